/** Random errors in configurations: one YAML error among five other errors, and the diagnostics for them. */
import { parseDocument } from 'yaml';
import { checkSource } from '../../compiler/compile.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { position } from '../../compiler/read/source.js';
import type { Random } from '../helpers/random.js';

/** Returns the line with an error; undefined if the change does not apply to the line. */
type Change = (line: string, random: Random) => string | undefined;

function changed(line: string, pattern: RegExp, to: string): string | undefined {
  const result = line.replace(pattern, to);
  return result === line ? undefined : result;
}

/** Errors not reported by the YAML parser. */
const others: readonly Change[] = [
  (line) => changed(line, /^(\s*(?:- )?)datasource:/, '$1datasuorce:'),
  (line) => changed(line, /^(\s*(?:- )?)statuscode:/, '$1statuscod:'),
  (line) => changed(line, /^(\s*(?:- )?)schema:/, '$1shcema:'),
  (line) => changed(line, /^(\s*(?:- )?)message:/, '$1mesage:'),
  (line) => changed(line, /type: (?:READ|UPDATE)$/, 'type: RAED'),
  (line) => changed(line, /statuscode: \d+$/, 'statuscode: 9999'),
  (line) => changed(line, /default: (?:true|false)$/, 'default: maybe'),
  (line) => changed(line, /datasource: (\w+)$/, 'datasource: $1x'),
  (line) => changed(line, /VALUE\((\w+), /, 'VALUE($1zz, '),
  (line) => changed(line, /INTEGER\((\d+)\)$/, 'INTEGER(x$1)'),
  (line) => changed(line, /^(\s*(?:- )?if: .*)$/, '$1 =='),
];

/** YAML errors, by kind. */
export const yamlErrors: Readonly<Record<string, Change>> = {
  'missing colon': (line) => changed(line, /^(\s*(?:- )?[^\s'"{:#][^:'"{]*):(?=\s|$)/, '$1'),
  'missing space after a colon': (line) => changed(line, /^(\s*(?:- )?\w+): +(?=\S)/, '$1:'),
  'missing space after a dash': (line) => changed(line, /^(\s*)- (?=\w+:)/, '$1-'),
  'unclosed quote': (line, random) =>
    changed(line, /(['"])$/, '') ??
    changed(line, /^(\s*(?:- )?\w+: )(?=[\w$])/, `$1${random.pick(["'", '"'])}`),
  tab: (line, random) => {
    const [indentation = ''] = /^ */.exec(line) ?? [];
    const width = random.pick([2, 4, 8]);
    if (indentation.length < width) return undefined;
    const rest = line.slice(indentation.length);
    if (random.chance(50)) return `${indentation.slice(width)}\t${rest}`;
    return `${'\t'.repeat(indentation.length / width)}${' '.repeat(indentation.length % width)}${rest}`;
  },
  'wrong indent': (line, random) => {
    const by = random.pick([-3, -2, -1, 1, 2, 3]);
    if (by > 0) return ' '.repeat(by) + line;
    return line.startsWith(' '.repeat(-by)) ? line.slice(-by) : undefined;
  },
  'unclosed bracket': (line) => changed(line, /[}\]]$/, ''),
};

/** YAML errors in the lines of a block scalar after `|`. */
export const stringErrors: Readonly<Record<string, Change>> = {
  'line of a string left of it': (line, random) => {
    const text = line.trimStart();
    const indentation = line.length - text.length;
    return indentation === 0 ? undefined : ' '.repeat(random.below(indentation)) + text;
  },
  'tab before a line of a string': (line, random) => {
    const text = line.trimStart();
    return '\t'.repeat(Math.max(1, (line.length - text.length) / random.pick([2, 4, 8]))) + text;
  },
  'comment left of a string': (line, random) => {
    const indentation = line.length - line.trimStart().length;
    return `${' '.repeat(random.below(Math.max(1, indentation)))}# what follows\n${line}`;
  },
};

export interface Case {
  readonly kind: string;
  readonly text: string;
  /** Diagnostics of the other five errors alone: code and line. */
  readonly expected: readonly string[];
  /** The line of the YAML error, starting at 1. */
  readonly line: number;
}

function diagnosticsOf(text: string): readonly Diagnostic[] {
  return checkSource({ config: { path: 'config.yaml', text } }).diagnostics;
}

function reported(text: string, diagnostics = diagnosticsOf(text)): string[] {
  return diagnostics.map(({ code, span }) => `${code} ${position(span.source, span.start).line}`);
}

/** Lines in which an error can be made independently, or lines of block scalars after `|`. */
function linesOf(text: string, isOfStrings = false): number[] {
  let block = Number.POSITIVE_INFINITY;
  return text.split('\n').flatMap((line, index) => {
    const indentation = line.search(/\S/);
    if (indentation === -1) return [];
    const isInString = indentation > block;
    if (!isInString && line.trimStart().startsWith('#')) return [];
    if (!isInString) block = /: [|>][-+]?$/.test(line) ? indentation : Number.POSITIVE_INFINITY;
    return isInString === isOfStrings ? [index] : [];
  });
}

/** Single errors that can be made in a valid configuration, each reported as one diagnostic on its line. */
export function singleErrors(text: string): { line: number; to: string }[] {
  if (reported(text).length > 0) return [];
  const lines = text.split('\n');
  return linesOf(text).flatMap((index) =>
    others.flatMap((change) => {
      const to = change(lines[index] ?? '', undefined as never);
      if (to === undefined) return [];
      const all = reported(lines.with(index, to).join('\n'));
      return all.length === 1 && all[0]?.endsWith(` ${index + 1}`) === true ? [{ line: index, to }] : [];
    }),
  );
}

/** Draws five errors and a YAML error; undefined if they cannot be combined. */
export function drawCase(
  text: string,
  singles: readonly { line: number; to: string }[],
  random: Random,
): Case | undefined {
  const lines = text.split('\n');
  const kind = random.pick([...Object.keys(yamlErrors), ...Object.keys(stringErrors)]);
  const chosen = new Map<number, string>();
  for (let tries = 0; chosen.size < 5 && tries < 50; tries += 1) {
    const { line, to } = random.pick(singles);
    chosen.set(line, to);
  }
  const change = yamlErrors[kind] ?? stringErrors[kind];
  const free = linesOf(text, kind in stringErrors).filter((line) => !chosen.has(line));
  if (free.length === 0) return undefined;
  for (const [line, to] of chosen) lines[line] = to;
  for (let tries = 0; tries < 20; tries += 1) {
    const line = random.pick(free);
    const to = change?.(lines[line] ?? '', random);
    if (to === undefined) continue;
    const wrong = lines.with(line, to).join('\n');
    const { errors } = parseDocument(wrong, { prettyErrors: false, uniqueKeys: false });
    if (errors.length === 0) continue;
    const isMore = to.includes('\n');
    const expected = reported((isMore ? lines.with(line, `\n${lines[line] ?? ''}`) : lines).join('\n'));
    // If one of the five errors hides another, the case is useless.
    return expected.length === 5 ? { kind, text: wrong, expected, line: line + 1 } : undefined;
  }
  return undefined;
}

export interface Outcome {
  readonly found: number;
  readonly messages: number;
  readonly isPlaced: boolean;
  readonly missed: readonly string[];
  readonly extra: readonly string[];
  /** Whether the text after the fix is valid YAML; undefined without a fix. */
  readonly isFixed: boolean | undefined;
}

export function outcomeOf({ text, expected, line }: Case): Outcome {
  const diagnostics = diagnosticsOf(text);
  const all = reported(text, diagnostics);
  const missed = expected.filter((one) => !all.includes(one));
  const extra = all.filter((one) => !expected.includes(one));
  const error = diagnostics.find(({ code, span }) => {
    return code === 'invalid-yaml' && position(span.source, span.start).line === line;
  });
  const fixed = error?.fix === undefined ? undefined : withEdits(text, error.fix.edits);
  return {
    found: expected.length - missed.length,
    messages: all.length,
    isPlaced: extra.some((one) => one.endsWith(` ${line}`)),
    missed,
    extra,
    isFixed:
      fixed === undefined ? undefined : parseDocument(fixed, { uniqueKeys: false }).errors.length === 0,
  };
}
