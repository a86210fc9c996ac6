/** Diagnostics of lines of a string at the wrong column, and of comments between them. */
import type { Edit } from '../../../diagnostics/fix.js';
import { position } from '../../../source.js';
import type { Line } from '../yaml-lines.js';
import { type YamlFixer, indentation } from './yaml-fixer.js';

/** The spaces before a line: for YAML, tabs and other blanks are a part of the string. */
export function blanksOf(fixer: YamlFixer, line: Line): number {
  return /^ */.exec(fixer.text.slice(line.start, line.textStart))?.[0].length ?? 0;
}

/** Whether a line has other blanks before it than spaces. */
export function isOdd(fixer: YamlFixer, line: Line): boolean {
  return blanksOf(fixer, line) < line.column;
}

/** Lines left of the string belong at its column. */
export function moveGroup(
  fixer: YamlFixer,
  group: readonly Line[],
  { column, like, isFirst }: { readonly column: number; readonly like: Line; readonly isFirst: boolean },
): void {
  const [first] = group;
  if (first === undefined) return;
  const edits = movesTo(fixer, group, column);
  if (reportOdd(fixer, first, edits)) return;
  const isRight = first.column > column;
  const problem = isFirst
    ? `the first line of this string is indented ${isRight ? 'more' : 'less'} than the others`
    : 'this line of a string is indented less than its first line';
  const which = group.length === 1 ? 'it' : linesOf(fixer, group);
  const hint = `Indent ${which} by ${column} spaces, like line ${lineOf(fixer, like)}.`;
  fixer.report(first.textStart, first.end, problem, { hint, edits });
}

/** A string of which no line, or neither the first one nor most of the others, is right of its key. */
export function moveAll(fixer: YamlFixer, lines: readonly Line[], column: number): void {
  const [first] = lines;
  if (first === undefined) return;
  const edits = movesTo(fixer, lines, column);
  if (reportOdd(fixer, first, edits)) return;
  const which = lines.length === 1 ? 'it' : linesOf(fixer, lines);
  fixer.report(first.textStart, first.end, 'a string must be indented more than its key', {
    hint: `Indent ${which} by ${column} spaces.`,
    edits,
  });
}

function reportOdd(fixer: YamlFixer, line: Line, edits: Edit[]): boolean {
  if (!isOdd(fixer, line)) return false;
  const character = line.hasTab ? 'tab' : 'a blank that is not a space';
  fixer.report(line.start, line.textStart, `${character} in the indentation`, {
    hint: 'Indent with spaces.',
    edits,
    isTab: line.hasTab,
  });
  return true;
}

/** The lines keep their indentation relative to the leftmost of them. */
function movesTo(fixer: YamlFixer, lines: readonly Line[], column: number): Edit[] {
  const columns = lines.filter((line) => !isOdd(fixer, line)).map((line) => line.column);
  const min = columns.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return lines.map((line) => indentation(line, isOdd(fixer, line) ? column : column + line.column - min));
}

function linesOf(fixer: YamlFixer, group: readonly Line[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return '';
  return `lines ${lineOf(fixer, first)} to ${lineOf(fixer, last)}`;
}

function lineOf(fixer: YamlFixer, line: Line): number {
  return position(fixer.source, line.textStart).line;
}

/** A comment left of a string ends it for YAML, which then does not understand the lines below. */
export function reportComments(
  fixer: YamlFixer,
  opening: Line,
  lines: readonly Line[],
  { column, parent, isSql }: { readonly column: number; readonly parent: number; readonly isSql: boolean },
): void {
  let before = opening;
  for (const line of lines) {
    const max = before === opening ? parent + 1 : column;
    for (const match of fixer.text.slice(before.end, line.start).matchAll(/^([ \t]*)(#+)([^\r\n]*)/gm)) {
      const [, blanks = '', markers = '', words = ''] = match;
      if (match.index === 0 || blanks.length >= max) continue;
      const start = before.end + match.index;
      const at = start + blanks.length;
      const text = `${' '.repeat(column)}-- ${words.trim()}`.trimEnd();
      fixer.report(
        at,
        at + markers.length + words.trimEnd().length,
        'this comment ends the string above it',
        {
          hint: isSql
            ? `Write '--' instead of '#', and indent it by ${column} spaces.`
            : 'Move it above the key of the string.',
          edits: [{ start, end: at + markers.length + words.length, text: isSql ? text : '' }],
          isSafe: isSql,
        },
      );
    }
    before = line;
  }
}
