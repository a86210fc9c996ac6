/** Explains the YAML parser's errors in terms that authors of a configuration understand. */
import type { Document, YAMLError } from 'yaml';
import { position, type Source } from '../../source.js';
import { yamlPackage } from '../../../notation/yaml-package.js';

/** An error of the parser: code, message, start and end. */
export type Complaint = Pick<YAMLError, 'code' | 'message' | 'pos'>;

export interface YamlExplanation {
  readonly start: number;
  readonly end: number;
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** All errors of one parser run. */
export class Complaints {
  readonly #unclosed: readonly YamlExplanation[];

  /** `source` is the parsed text. Complaints are in source order. */
  constructor(
    private readonly source: Source,
    document: Document.Parsed,
    all: readonly Complaint[],
  ) {
    this.#unclosed = unclosedIn(source.text, document, all.slice(0, maxLookedAt));
  }

  /** Explains the complaint; `isNear` selects related complaints. Later complaints are mostly consequences of the first. */
  explain(first: Complaint, isNear: (offset: number) => boolean): YamlExplanation {
    const { text } = this.source;
    const explanation =
      explainTabs([first]) ??
      this.#unclosedNear(first, isNear) ??
      explainDash(text, [first]) ??
      explainFirst(this.source, text, [first]);
    const start = Math.min(explanation.start, Math.max(0, text.length - 1));
    return { ...explanation, start, end: Math.max(start, Math.min(explanation.end, text.length)) };
  }

  #unclosedNear({ pos: [at] }: Complaint, isNear: (offset: number) => boolean): YamlExplanation | undefined {
    const near = this.#unclosed.filter(({ start }) => isNear(start));
    return near.find(({ start }) => start <= at) ?? near[0];
  }
}

/** Maximum number of errors that are compared with all quotes and brackets. */
const maxLookedAt = 100;

function explainTabs(complaints: readonly Complaint[]): YamlExplanation | undefined {
  const tabs = complaints.filter(({ code }) => code === 'TAB_AS_INDENT');
  const [first] = tabs;
  if (first === undefined) return undefined;
  const [start, end] = first.pos;
  return {
    start,
    end,
    problem: 'tab in the indentation',
    hint: 'Indent with spaces.',
  };
}

/** Finds an unclosed quote or bracket. It swallows the lines that follow, so the complaint is usually far away. */
function unclosedIn(
  text: string,
  document: Document.Parsed,
  complaints: readonly Complaint[],
): YamlExplanation[] {
  const unclosed: YamlExplanation[] = [];
  const lineEnd = (start: number): number => {
    const end = text.indexOf('\n', start);
    return end === -1 ? text.length : end;
  };
  const { isCollection, isScalar, visit } = yamlPackage();
  visit(document, (_, node) => {
    if (!(isScalar(node) || isCollection(node)) || !node.range) return;
    const [start, end] = node.range;
    const character = text.charAt(start);
    if (isScalar(node) && (character === "'" || character === '"') && text.slice(start, end).includes('\n')) {
      const isClosed = end - start > 1 && text.charAt(end - 1) === character;
      const complained = complaints.some(
        ({ pos }) => pos[0] === start || (pos[0] >= end && pos[0] <= lineEnd(end)),
      );
      if (isClosed && !complained) return;
      const problem = `unclosed quote`;
      unclosed.push({
        start,
        end: lineEnd(start),
        problem,
        hint: `Write another ${character} where the string ends.`,
      });
    } else if (isCollection(node) && node.flow === true) {
      const closing = character === '{' ? '}' : ']';
      if (text.charAt(end - 1) === closing || complaints.every(({ pos }) => pos[0] < start)) return;
      const problem = `unclosed ${character}`;
      unclosed.push({ start, end: start + 1, problem, hint: `Write ${closing} where it ends.` });
    }
  });
  return unclosed;
}

/** Explains `-name: news`, which YAML reads as a key, and then complains about a later line indented like the content of `- name`. */
function explainDash(text: string, complaints: readonly Complaint[]): YamlExplanation | undefined {
  let line = lineAt(text, text.lastIndexOf('\n', (complaints[0]?.pos[0] ?? 0) - 1) + 1);
  for (let count = 0; count < 4 && line.start > 0; count += 1) {
    const key = /^-([\p{L}_][\p{L}\p{N}_]*):(?=\s|$)/u.exec(line.written)?.[1];
    if (key !== undefined) {
      const end = line.textStart + key.length + 2;
      const hint = `Write '- ${key}:' instead of '-${key}:'.`;
      return { start: line.textStart, end, problem: 'missing space after the dash of a list item', hint };
    }
    line = lineAt(text, text.lastIndexOf('\n', line.start - 2) + 1);
  }
  return undefined;
}

function explainFirst(source: Source, text: string, complaints: readonly Complaint[]): YamlExplanation {
  const first = complaints[0];
  if (first === undefined) throw new Error('there is no complaint to explain');
  const lineStart = text.lastIndexOf('\n', first.pos[0] - 1) + 1;
  const line = lineAt(text, lineStart);
  const next = lineAt(text, line.end + 1);
  const [start, end] = first.pos;
  if (/^- /.test(next.written) && /key/.test(first.message) && first.code === 'BLOCK_AS_IMPLICIT_KEY') {
    return aboutLine(next, 'list item among the keys of a map', itemHint);
  }
  if (/^- /.test(line.written) && /sequence/.test(first.message)) {
    return aboutLine(line, 'list item among the keys of a map', itemHint);
  }
  if (/^[[{].*[\]}]\s*:(?:\s|$)/.test(line.written))
    return aboutLine(line, 'a key must be a string', 'Quote the key.');
  const value = /^(?:- +)*[^\s'"]+:[ \t]+\S/.test(line.written);
  if (/IMPLICIT_KEY/.test(first.code) && value && next.column > line.column) {
    return aboutLine(
      next,
      'this line is indented too far: the line above has a value',
      `Indent it by ${line.column} spaces, like line ${position(source, lineStart).line}.`,
    );
  }
  if (first.code === 'BAD_INDENT' || /^Sequence item without/.test(first.message)) {
    const above = columnAbove(text, line);
    return aboutLine(
      line,
      'the indentation matches no line above',
      above && `Indent it by ${above.column} spaces, like line ${position(source, above.start).line}.`,
    );
  }
  if (/^Implicit map keys need/.test(first.message)) {
    return aboutLine(
      line,
      'this line is not a key with a value',
      'Write key: value, with a space after the colon.',
    );
  }
  return { start, end, ...inOtherWords(first, line) };
}

/** The message for all other complaints. The parser's own message is not used, because it can repeat text of the file. */
function inOtherWords({ code, message }: Complaint, line: Line): Pick<YamlExplanation, 'problem' | 'hint'> {
  const isKeyWithoutColon = /^[\p{L}_][\p{L}\p{N}_-]*(?:[ \t]+[^\s:]|$)/u.test(line.written);
  if (/^MULTILINE_IMPLICIT_KEY|^MISSING_CHAR/.test(code) && isKeyWithoutColon)
    return { problem: "missing ':' in this line", hint: colonHint };
  const [, problem = 'unexpected characters', hint] =
    explanations.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  return { problem, ...(hint === undefined ? {} : { hint }) };
}

const colonHint = 'Write a key, a colon, a space and the value, such as type: READ.';

/** Explanations by the parser's code and message. */
const explanations: readonly (readonly [pattern: RegExp, problem: string, hint?: string])[] = [
  [/KEY_OVER_1024/, 'a key is longer than 1024 characters', 'A quote above is probably not closed.'],
  [/MULTILINE_IMPLICIT_KEY/, "missing ':' in this line", colonHint],
  [/nested mappings/i, 'two keys in one line', 'Put the value in quotes, or each key on a separate line.'],
  [
    /BLOCK_IN_FLOW/,
    'a list or map in lines inside of { } or [ ]',
    'Close the bracket before it, or write the whole list or map in brackets.',
  ],
  [/BAD_SCALAR_START/, 'a value cannot begin with this character', 'Put the value in quotes.'],
  [
    /BAD_DQ_ESCAPE/,
    'unknown escape in a string in double quotes',
    'Write \\\\ for a backslash, or use single quotes.',
  ],
  [/MISSING_CHAR/, 'a character is missing here', 'Write the missing quote, bracket, comma or colon.'],
  [/DUPLICATE_KEY/, 'duplicate key'],
  [/anchor/i, 'unexpected anchor', "Quote a string that begins with '&'."],
  [/alias/i, 'unexpected alias', "Quote a string that begins with '*'."],
  [/tag/i, 'unexpected tag', "Quote a string that begins with '!'."],
  [/directive/i, "a line that begins with '%' is a directive", 'Remove the line, or quote the string.'],
  [
    /BLOCK_AS_IMPLICIT_KEY/,
    'a key and its value inside of another value',
    'Indent the line like the keys above it.',
  ],
  [
    /block scalar|header/i,
    "after '|' or '>' the string begins on the next line",
    'Move the string to the lines below, indented.',
  ],
  [
    /COMMENT_SPACE/,
    "a comment needs a space before its '#'",
    "Write a space before '#', or quote the string.",
  ],
  [
    /UNEXPECTED_TOKEN|RESOURCE|Unexpected/,
    'unexpected characters',
    'Look for a quote or bracket that is not closed, or a missing comma or colon before it.',
  ],
];

const itemHint = 'Write it as key: value, or indent it under the key whose list it belongs to.';

interface Line {
  readonly start: number;
  /** The position after the indentation. */
  readonly textStart: number;
  readonly end: number;
  /** The column of the content after indentation and dashes, counted from 0. */
  readonly column: number;
  /** The line without indentation. */
  readonly written: string;
}

function lineAt(text: string, from: number): Line {
  const blank = /(?:[ \t]*(?:#.*)?\r?\n)*/y;
  blank.lastIndex = Math.min(from, text.length);
  const start = blank.test(text) ? blank.lastIndex : from;
  const stop = text.indexOf('\n', start);
  const end = stop === -1 ? text.length : stop;
  const line = text.slice(start, end).trimEnd();
  const written = line.trimStart();
  const column = Math.max(0, line.search(/[^\s-]|-(?! )/));
  return { start, end, textStart: start + line.length - written.length, column, written };
}

function aboutLine({ textStart, written }: Line, problem: string, hint: string | undefined): YamlExplanation {
  const end = textStart + written.length;
  return { start: textStart, end, problem, ...(hint === undefined ? {} : { hint }) };
}

/** The line above with the nearest column at which this line would be valid. */
function columnAbove(text: string, line: Line): Line | undefined {
  let best: Line | undefined;
  let open = Number.POSITIVE_INFINITY;
  for (let end = line.start - 1; end > 0 && open > 0; end = text.lastIndexOf('\n', end - 1)) {
    const above = lineAt(text, text.lastIndexOf('\n', end - 1) + 1);
    if (above.start >= line.start || above.column >= open || above.written === '') continue;
    open = above.column;
    const isNearer =
      best === undefined || Math.abs(above.column - line.column) < Math.abs(best.column - line.column);
    if (isNearer) best = above;
  }
  return best;
}
