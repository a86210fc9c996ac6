/** Reports string lines at the wrong column, and comments between them. */
import type { Edit } from '../../../diagnostics/fix.js';
import { position } from '../../../source.js';
import type { Line } from '../yaml-lines.js';
import { type YamlFixer, indentation } from './yaml-fixer.js';

/** The number of spaces before a line: YAML treats tabs and other blanks as part of the string. */
export function blanksOf(fixer: YamlFixer, line: Line): number {
  return /^ */.exec(fixer.text.slice(line.start, line.textStart))?.[0].length ?? 0;
}

/** Whether the indentation contains blanks other than spaces. */
export function isOdd(fixer: YamlFixer, line: Line): boolean {
  return blanksOf(fixer, line) < line.column;
}

/** Moves lines that are to the left of the string to its column. */
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

/** Moves a whole string to the right of its key: all of its lines, or its first line and most others, are too far left. */
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

/** Moves the lines while keeping their relative indentation. */
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

/** Reports a comment to the left of a string: YAML ends the string there and cannot parse the lines below. */
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
