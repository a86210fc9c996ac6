/** `include` of a configuration: patterns, the files that they match, and the operations in those files. */
import type { Report } from '../diagnostics/report.js';
import { spanBeside, type Source, type Span } from '../source.js';
import { isBroken, isEmpty, type Entry, type MapNode, type Node, type ScalarNode } from './yaml/node.js';
import type { Budget } from './yaml/budget.js';
import { readNodes } from './yaml/yaml-document.js';
import type { Fields } from './fields.js';
import { resourceFields } from './resource-fields.js';

/** A file that a pattern matches. */
export interface MatchedFile {
  /** Its path from the folder of the configuration, with `/`. */
  readonly name: string;
  /** The same for two names of one file. */
  readonly id: string;
  /** Its text, and its path for messages; or why it cannot be included. */
  read(): Omit<Source, 'includedAs'> | { readonly problem: string; readonly hint: string };
}

/** Finds the files that a pattern matches, which is one that can be matched. */
export type FindIncluded = (pattern: string) => readonly MatchedFile[];

/** Where the files of a configuration come from. */
export interface ConfigFiles {
  readonly find: FindIncluded;
  /** Learns of each file before anything of it is reported. */
  readonly begin: (source: Source) => void;
}

/** For a configuration that is one file. */
export const oneFile: ConfigFiles = { find: () => [], begin: () => undefined };

/** The patterns of a configuration, in their order, without those that are wrong. */
export function readPatterns(fields: Fields, report: Report): ScalarNode[] {
  const node = fields.node('include');
  const list = fields.list('include');
  fields.requireItems('include');
  // One pattern without its brackets has been reported, and is read.
  const items = list?.items ?? (node?.kind === 'scalar' && !isEmpty(node) ? [node] : []);
  return items.flatMap((item) => {
    if (isBroken(item)) return [];
    if (item.kind !== 'scalar' || isEmpty(item)) {
      report.add('wrong-kind', item.span, {
        ...{ what: "An item of 'include'", expected: 'a string', example: '- operations/*.yaml' },
      });
      return [];
    }
    const wrong = problemOf(item.text.value);
    if (wrong === undefined) return [item];
    report.add('wrong-include', item.span, wrong);
    return [];
  });
}

/** `./operations/*.yaml` is `operations/*.yaml`. */
export function withoutDot(pattern: string): string {
  return pattern.replace(/^(?:\.\/)+/, '');
}

const example = 'Write the path of a file, or a pattern such as operations/*.yaml.';

/** Why no file can match the pattern. */
function problemOf(pattern: string): { problem: string; hint: string } | undefined {
  const wrong = (problem: string, hint: string): { problem: string; hint: string } => ({
    problem: `'${pattern}' ${problem}`,
    hint,
  });
  if (pattern.trim() === '') return { problem: 'Empty pattern', hint: example };
  if (pattern.includes('\\'))
    return wrong("has a '\\'", 'Folders are separated by / on every system, and no character is escaped.');
  if (/^(?:\/|~|[A-Za-z]:|\w+:\/\/)/.test(pattern))
    return wrong('is not a path from the folder of the configuration', example);
  const segments = withoutDot(pattern).split('/');
  if (segments.includes('..'))
    return wrong(
      'leads out of the folder of the configuration',
      'Included files are in the folder of the configuration or in folders below it.',
    );
  if (segments.some((segment) => segment === '' || segment === '.'))
    return wrong('is not the path of a file', example);
  if (segments.some((segment) => segment.startsWith('.')))
    return wrong(
      'names a hidden file',
      'Names that begin with a dot are never included. Give the file another name.',
    );
  const [special] = /[[\]{}!]|[*+?@](?=\()/.exec(pattern) ?? [];
  if (special !== undefined)
    return wrong(
      `has a '${special}'`,
      'A pattern may have * and ? in a name, and ** for folders at any depth. Write two patterns, or the names of the files.',
    );
  if (segments.some((segment) => segment !== '**' && segment.includes('**')))
    return wrong("has a '**' beside other characters", 'Write ** between two slashes: operations/**/*.yaml');
  if (segments.at(-1) === '**') return wrong('names folders, not files', `Write ${pattern}/*.yaml`);
  return undefined;
}

/** The files that the patterns match, each once, in the order of their names; what is wrong with them is reported. */
export function includedSources(
  patterns: readonly ScalarNode[],
  { find }: Pick<ConfigFiles, 'find'>,
  budget: Budget,
  report: Report,
): Source[] {
  const matched = new Map<string, { readonly file: MatchedFile; readonly span: Span }>();
  for (const { text, span } of patterns) {
    const files = find(withoutDot(text.value));
    if (files.length === 0)
      report.add('wrong-include', span, {
        problem: `'${text.value}' matches no file`,
        hint: 'Patterns begin at the folder of the configuration. Hidden files are never included.',
      });
    for (const file of files) {
      const other = matched.get(file.id);
      if (other === undefined || compare(file.name, other.file.name) < 0)
        matched.set(file.id, { file, span: other?.span ?? span });
    }
  }
  const sources: Source[] = [];
  for (const { file, span } of [...matched.values()].sort((a, b) => compare(a.file.name, b.file.name))) {
    const same = sources.at(-1)?.includedAs === file.name;
    const read = same
      ? {
          problem: 'has the same name as another file, but for the form of its characters',
          hint: 'Give one of the two another name.',
        }
      : file.read();
    if ('problem' in read) {
      report.add('wrong-include', span, { problem: `'${file.name}' ${read.problem}`, hint: read.hint });
    } else if (budget.takeText(read.text)) {
      sources.push({ path: read.path, text: read.text, includedAs: file.name });
    } else {
      const source = { ...read, includedAs: file.name };
      report.add('too-large', { source, start: 0, end: 0 }, { what: 'file', limit: budget.textLimit });
      break;
    }
  }
  return sources;
}

/** By their code units: the same on every system. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The operations of an included file, as they are written. */
export function readIncluded(source: Source, budget: Budget, report: Report): readonly Entry[] {
  const root = readNodes(source, report, budget);
  return root === undefined ? [] : entriesOfIncluded(root, source, report);
}

/** The operations below the root of an included file; what is not an operation is reported. */
export function entriesOfIncluded(root: Node, source: Source, report: Report): readonly Entry[] {
  if (root.kind !== 'map') {
    const isNothing = root.kind === 'scalar' && isEmpty(root);
    report.add('not-operations', isNothing ? { source, start: 0, end: 0 } : firstLine(root.span), {
      problem: isNothing ? 'this one is empty' : `this one is a ${root.kind === 'list' ? 'list' : 'string'}`,
      hint: isNothing ? `${howToWrite} Or remove the file.` : howToWrite,
    });
    return [];
  }
  const foreign = root.entries.find(({ key, value }) => isForeign(key.text.value, value));
  if (foreign !== undefined) {
    const isTests = foreign.key.text.value === 'tests';
    report.add('not-operations', foreign.key.span, {
      problem: isTests ? 'this one holds tests' : 'this one is an API description',
      hint: `Write a pattern that does not match it, such as operations/*.yaml.`,
    });
    return [];
  }
  if (root.entries.length === 0 && root.isIncomplete !== true)
    report.add('not-operations', root.span, { problem: 'this one is empty', hint: howToWrite });
  return root.entries.flatMap((entry) => {
    const section = entry.key.text.value;
    if (!isSection(section, entry.value)) return [entry];
    reportSection(entry, source, report);
    // What the user has put below one heading too many is read all the same.
    return section === 'operations' && entry.value.kind === 'map' ? entry.value.entries : [];
  });
}

const howToWrite =
  "Write operations as below 'operations' of the configuration, with their names at the beginning of lines.";

/** Whether the key shows that the file is another one than the user thinks. */
function isForeign(key: string, value: Node): boolean {
  if (key === 'openapi' || key === 'swagger') return value.kind === 'scalar';
  return key === 'tests' && value.kind === 'list';
}

/** A section of the configuration; an operation may have its name. */
function isSection(name: string, value: Node): boolean {
  const sections: readonly string[] = resourceFields['the configuration'];
  return sections.includes(name) && !(value.kind === 'map' && looksLikeOperation(value));
}

function looksLikeOperation({ entries }: MapNode): boolean {
  const fields: readonly string[] = resourceFields['an operation'];
  return entries.some(({ key }) => fields.includes(key.text.value));
}

function reportSection({ key, value }: Entry, source: Source, report: Report): void {
  const section = key.text.value;
  const hints: Readonly<Record<string, string>> = {
    specification: 'Remove the line: the version is that of the configuration.',
    include: `Move the pattern to 'include' of the configuration${patternsFrom(value, source)}. An included file includes none.`,
    operations: "Write the operations without 'operations:' above them, at the beginning of their lines.",
  };
  report.add('not-operations', key.span, {
    problem: `'${section}' belongs to the configuration`,
    hint: hints[section] ?? `Move '${section}' to the configuration.`,
  });
}

/** The patterns as the configuration would have them: they begin at its folder. */
function patternsFrom(value: Node, { includedAs = '' }: Source): string {
  const items = value.kind === 'list' ? value.items : [value];
  const patterns = items.flatMap((item) => (item.kind === 'scalar' && !isEmpty(item) ? item.text.value : []));
  const folder = includedAs.slice(0, includedAs.lastIndexOf('/') + 1);
  const [first] = patterns;
  return first === undefined || patterns.length > 1 ? '' : `, as ${folder}${first.replace(/^\.\//, '')}`;
}

/** The part of the span in its first line, without the blanks at its end. */
function firstLine(span: Span): Span {
  const [line = ''] = /^.*/.exec(span.source.text.slice(span.start, span.start + 1000)) ?? [];
  return spanBeside(span, span.start, span.start + line.trimEnd().length);
}

/** Reports the names of operations that an earlier file, or the configuration, has too. */
export function reportRepeated(parts: readonly (readonly Entry[])[], report: Report): void {
  const seen = new Map<string, Span>();
  for (const entries of parts) {
    const own = new Map<string, Span>();
    for (const { key, value } of entries) {
      const first = seen.get(key.text.value);
      if (first !== undefined)
        report.add('duplicate-key', key.span, {
          ...{ key: key.text.value, first, here: key.span },
          ...{ holdsMaps: value.kind === 'map', isField: false },
        });
      else if (!own.has(key.text.value)) own.set(key.text.value, key.span);
    }
    for (const [name, span] of own) seen.set(name, span);
  }
}
