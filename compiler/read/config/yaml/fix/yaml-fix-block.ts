/** Reads the lines of a block string (`|` or `>`) and finds lines with too little indentation, at which YAML ends the string. */
import { isField } from '../yaml-contexts.js';
import type { Line } from '../yaml-lines.js';
import { isDash, keyIn, looksLikeKey, word } from '../yaml-line-text.js';
import { indexInside, type YamlFixer } from './yaml-fixer.js';
import { blanksOf, isOdd, moveAll, moveGroup, reportComments } from './yaml-fix-string.js';

/** Maximum number of uncertain lines that are examined after the end of a string. */
const maxUnsure = 5;

/** Beginnings of SQL lines that cannot be keys. */
const sqlWords =
  /^(?:SELECT|FROM|WHERE|AND|OR|NOT|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|GROUP|ORDER|HAVING|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|INSERT|UPDATE|DELETE|VALUES|SET|RETURNING|WITH|ON|USING|CASE|WHEN|THEN|ELSE|END|FOR)(?=\s|$)/;
const sqlMarkers = /^(?:[(),]|:\[|--(?:\s|$))/;

/** Reads the lines of the block string whose key is in `opening`. */
export function readBlock(fixer: YamlFixer, opening: Line, parent: number, isFixed: boolean): void {
  const isSql = isSqlOf(fixer, opening);
  const start = fixer.next;
  const inside = indexInside(fixer, parent);
  fixer.next = isFixed ? inside : endOfBlock(fixer, { inside, parent, isSql });
  const lines = fixer.lines.slice(start, fixer.next);
  const [first] = lines;
  if (first === undefined || isFixed) return;
  const own = lines.filter((line) => blanksOf(fixer, line) > parent);
  const outside = lines.length - own.length;
  if (own.length === 0 || (own[0] !== first && outside > 1)) {
    moveAll(fixer, lines, parent + 2);
    return;
  }
  const column = columnOfString(fixer, own, first);
  reportComments(fixer, opening, lines, { column, parent, isSql });
  const isWrong = (line: Line): boolean => {
    const blanks = blanksOf(fixer, line);
    return blanks < column || (line === first && blanks > column);
  };
  const like = lines.find((line) => line.column === column && !isOdd(fixer, line)) ?? first;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined || !isWrong(line)) continue;
    const group = [line];
    for (
      let next = lines[index + 1];
      next !== undefined && isWrong(next) && isOdd(fixer, next) === isOdd(fixer, line);
    ) {
      group.push(next);
      index += 1;
      next = lines[index + 1];
    }
    moveGroup(fixer, group, { column, like, isFirst: line === first });
  }
}

/** Whether the line's key has SQL as its value. */
export function isSqlOf(fixer: YamlFixer, opening: Line): boolean {
  return keyIn(fixer.textOf(opening)) === 'query';
}

/** Moves SQL that begins on the line of the `|` (at `at`) to the next line. */
export function readBlockBehind(fixer: YamlFixer, opening: Line, at: number, parent: number): void {
  const next = fixer.lines[fixer.next];
  const column = next === undefined || next.column <= parent ? parent + 2 : next.column;
  const blanks = /^[ \t]*/.exec(fixer.text.slice(at + 1, opening.end))?.[0].length ?? 0;
  const lineEnd = /\s*?(\r?\n|$)/y;
  lineEnd.lastIndex = opening.end;
  const newline = lineEnd.exec(fixer.text)?.[1] || '\n';
  fixer.report(at, opening.end, "a string begins on the line below its '|'", {
    hint: `Move the string to a separate line, indented by ${column} spaces.`,
    edits: [{ start: at + 1, end: at + 1 + blanks, text: `${newline}${' '.repeat(column)}` }],
  });
  readBlock(fixer, opening, parent, false);
}

/** Reads the lines of SQL without a `|`. Reports lines that are not indented more than the key. */
export function readPlainSql(fixer: YamlFixer, opening: Line, parent: number): void {
  if (!isSqlOf(fixer, opening)) return;
  const start = fixer.next;
  let inside = start;
  for (
    let line = fixer.lines[inside];
    line !== undefined && line.column > parent;
    line = fixer.lines[inside]
  ) {
    const written = fixer.textOf(line);
    if (looksLikeKey(written) || isDash(written)) return;
    inside += 1;
  }
  const end = endOfBlock(fixer, { inside, parent, isSql: true });
  if (end === inside) return;
  const column = fixer.lines[start]?.column ?? 0;
  moveAll(fixer, fixer.lines.slice(inside, end), inside === start ? parent + 2 : column);
  fixer.next = end;
  fixer.before = { kind: 'closed', context: undefined };
}

interface Block {
  /** The index of the first line that YAML does not include in the string. */
  readonly inside: number;
  readonly parent: number;
  readonly isSql: boolean;
}

/** The index after the last line that is meant to be part of the string. */
function endOfBlock(fixer: YamlFixer, { inside, parent, isSql }: Block): number {
  let end = inside;
  for (let index = inside; index - end < maxUnsure; index += 1) {
    const line = fixer.lines[index];
    if (line === undefined) break;
    const written = fixer.textOf(line);
    if (index > inside && line.column > parent && !looksLikeKey(written) && !isDash(written)) end = index + 1;
    else if (isSql && (sqlMarkers.test(written) || isSqlWithColon(written))) end = index + 1;
    else if (!canBeText(fixer, written)) break;
    else if (isSql && sqlWords.test(written)) end = index + 1;
    else if (isNameAbove(fixer, line, index + 1)) break;
    else if (isSql && sqlWords.test(written.toUpperCase())) end = index + 1;
  }
  return end;
}

/** Whether the text before a colon and space begins a string inside SQL. */
function isSqlWithColon(written: string): boolean {
  return sqlWords.test(written) && /['"(]/.test(keyIn(written) ?? '');
}

/** Whether the line can be text. Only its position could show that it is a key without its colon. */
function canBeText(fixer: YamlFixer, written: string): boolean {
  if (isDash(written) || keyIn(written) !== undefined) return false;
  if (/^(?:["'/#[\]{}%@`|>&*!?]|---|\.\.\.|<{7}|>{7}|={7}|[A-Za-z]+ \/)/.test(written)) return false;
  const name = word.exec(written)?.[0];
  if (name === undefined) return true;
  const rest = written.slice(name.length);
  if (/^:[^:[]/.test(rest)) return false;
  return (
    !/^(?:\s|[=:;]|$)/.test(rest) || fixer.levels.every(({ context }) => isField(context, name) !== true)
  );
}

/** Whether the lines below look like the content of this line, as if it were a name without its colon. */
function isNameAbove(fixer: YamlFixer, line: Line, next: number): boolean {
  const below = fixer.lines[next];
  if (below === undefined || line.hasTab || below.column <= line.column) return false;
  const written = fixer.textOf(below);
  return looksLikeKey(written) || isDash(written);
}

/** The column of the string: that of its first line, unless the first line is at the wrong column. */
function columnOfString(fixer: YamlFixer, own: readonly Line[], first: Line): number {
  const [head = 0, ...others] = own.map((line) => blanksOf(fixer, line));
  const min = others.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  if (own[0] !== first) return Math.min(head, min);
  const isTooFar = !isOdd(fixer, first) && others.length > 1 && others.every((column) => column < head);
  return isTooFar ? min : head;
}
