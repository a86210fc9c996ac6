/** Reads one line: its column, its dashes, its key, its value. */
import { contextBelow, expectedKind, isField, costOfKey, type Context } from '../yaml-contexts.js';
import { colonOf, nameOfKey, type Line } from '../yaml-lines.js';
import { isDash, keyIn, word } from '../yaml-line-text.js';
import { costs, type YamlFixer, insertion } from './yaml-fixer.js';
import { continuesText, columnOf, columnOfTab, startsItem } from './yaml-fix-column.js';
import { keyWithoutColon } from './yaml-fix-key.js';
import { readValue } from './yaml-fix-value.js';

/** Number of blanks after a colon that are looked at. */
const maxBlanks = 16;

/** Reads the next line, and what of the lines behind it belongs to it. */
export function readNextLine(fixer: YamlFixer): void {
  const line = fixer.lines[fixer.next];
  fixer.next += 1;
  if (line !== undefined && !/^(?:---|\.\.\.|%)/.test(fixer.text.slice(line.start, line.start + 3)))
    readLine(fixer, line);
}

function readLine(fixer: YamlFixer, line: Line): void {
  const written = fixer.text.slice(line.textStart, line.end);
  const blanks = fixer.text.slice(line.start, line.textStart);
  if (/[^ \t]/.test(blanks)) reportOddBlanks(fixer, line.start, blanks);
  const column = line.hasTab ? columnOfTab(fixer, line, written) : columnOf(fixer, line, written);
  if (column === undefined) return;
  if (continuesText(fixer, column, written)) return;
  const isItem = startsItem(fixer, column, written);
  if (fixer.before.kind === 'open' && fixer.top !== undefined) {
    const isEmpty = column < fixer.top.column || (column === fixer.top.column && !isItem);
    if (isEmpty) fixer.add(costs.strange);
  }
  enterLine(fixer, line, column, isItem);
  if (isItem && !isDash(written)) {
    const hint = `Write '- ' with a space after the dash.`;
    const key = /^-[^:]*:/.exec(written)?.[0] ?? '-';
    fixer.report(line.textStart, line.textStart + key.length, 'missing space after the dash of a list item', {
      hint: word.test(key.slice(1)) ? `Write '- ${key.slice(1)}' instead of '${key}'.` : hint,
      edits: [insertion(line.textStart + 1, ' ')],
    });
    readContent(fixer, line, line.textStart + 1, column + 2, fixer.top?.context);
  } else readContent(fixer, line, line.textStart, column, fixer.top?.context);
}

/** Behind a colon only a space or tab makes a key of what is before it; others look the same. */
function reportOddBlank(fixer: YamlFixer, at: number): void {
  const odd = /^[^\S \t\r\n]+/.exec(fixer.text.slice(at, at + maxBlanks))?.[0];
  if (odd !== undefined) reportOddBlanks(fixer, at, odd);
}

/** Spaces that YAML reads as letters are pasted from documents and web pages. */
function reportOddBlanks(fixer: YamlFixer, start: number, blanks: string): void {
  const code = /[^\S \t]/.exec(blanks)?.[0].charCodeAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  fixer.report(start, start + blanks.length, `a blank that is not a space (${name})`, {
    hint: 'Write spaces.',
    edits: [{ start, end: start + blanks.length, text: blanks.replaceAll(/[^ \t]/g, ' ') }],
  });
}

/** Closes what ends before this line, and opens what begins with it. */
function enterLine(fixer: YamlFixer, line: Line, column: number, isItem: boolean): void {
  for (let top = fixer.top; top !== undefined; top = fixer.top) {
    const isOver = top.column > column || (top.column === column && top.kind === 'list' && !isItem);
    if (!isOver) break;
    fixer.levels.pop();
  }
  const top = fixer.top;
  const kind = isItem ? 'list' : 'map';
  fixer.isFurther = top?.column === column && top.kind === kind;
  if (top !== undefined && fixer.isFurther) top.line = line;
  else {
    const { context } = fixer.before;
    const parent = top?.column;
    fixer.levels.push({ column, kind, context, line, keys: new Set() });
    const isUsual = column === (parent === undefined ? 0 : parent + 2) || (isItem && column === parent);
    if (!isUsual) fixer.add(costs.unusual);
    const expected = expectedKind(context);
    if (expected !== undefined && expected !== kind) fixer.add(costs.strange);
  }
}

/** The part after the indentation and dashes. */
function readContent(fixer: YamlFixer, line: Line, from: number, column: number, context: Context): void {
  let at = from;
  let itemColumn = column;
  let own = context;
  let written = fixer.text.slice(at, line.end);
  const isBehindDash = isDash(written) || from > line.textStart;
  while (isDash(written) || (at === from && from > line.textStart && written !== '')) {
    const blanks = /^-?[ \t]*/.exec(written)?.[0].length ?? 1;
    // A space that is missing behind the dash has been counted.
    itemColumn += written.startsWith('-') ? blanks : 0;
    at += blanks;
    written = fixer.text.slice(at, line.end);
    if (written === '' || written.startsWith('#')) {
      fixer.before = { kind: 'open', context: own };
      return;
    }
    if (isDash(written)) {
      own = undefined;
      fixer.levels.push({ column: itemColumn, kind: 'list', context: own, line, keys: new Set() });
    } else break;
  }
  const next = fixer.lines[fixer.next];
  // Two spaces behind the dash of the first line, and one would be in line with the others.
  if (
    isBehindDash &&
    itemColumn > column + 2 &&
    next?.column === column + 2 &&
    keyIn(written) !== undefined
  ) {
    const hint = 'Write one space after the dash.';
    const problem = 'the lines of this list item begin at different columns';
    const begin = at - (itemColumn - column - 2);
    fixer.report(line.textStart, line.end, problem, { hint, edits: [{ start: begin, end: at, text: '' }] });
    itemColumn = column + 2;
  }
  const properties = /^(?:[&!][^\s,[\]{}]*[ \t]+)+/.exec(written)?.[0].length ?? 0;
  if (/^[?:](?:\s|$)/.test(written) || /^[&!]\S*$/.test(written)) {
    fixer.before = { kind: 'open', context: undefined };
    return;
  }
  at += properties;
  written = written.slice(properties);
  const isMapEntry =
    !isBehindDash ||
    next?.column === itemColumn ||
    (next !== undefined && next.column > itemColumn && isField(own, written) === true) ||
    (/\s/.test(written) && isField(own, word.exec(written)?.[0] ?? '') === true);
  const colon = colonOf(written);
  if (colon !== undefined) {
    if (isBehindDash)
      fixer.levels.push({ column: itemColumn, kind: 'map', context: own, line, keys: new Set() });
    const key = nameOfKey(written.slice(0, colon));
    if (isMapEntry) reportOddBlank(fixer, at + colon + 1);
    countKey(fixer, own, key, /^\s*[^\s#]/.test(written.slice(colon + 1)));
    readValue(fixer, line, at + colon + 1, itemColumn, contextBelow(own, key));
    return;
  }
  const fixed = isMapEntry ? keyWithoutColon(fixer, line, at, itemColumn, own) : undefined;
  if (fixed !== undefined) {
    if (isBehindDash)
      fixer.levels.push({ column: itemColumn, kind: 'map', context: own, line, keys: new Set() });
    countKey(fixer, own, fixed.key, /\S/.test(fixer.text.slice(fixed.value, line.end)));
    readValue(fixer, line, fixed.value, itemColumn, contextBelow(own, fixed.key));
    return;
  }
  if (!isBehindDash && !fixer.isFurther) fixer.levels.pop();
  readValue(fixer, line, at, isBehindDash ? column : (fixer.top?.column ?? -1), undefined);
}

/** Adds the cost of a key of the current map. */
function countKey(fixer: YamlFixer, context: Context, key: string, isInline: boolean): void {
  const keys = fixer.top?.keys;
  if (keys === undefined || key === '<<') return;
  if (fixer.cost !== undefined) fixer.add(costOfKey(context, key, { isInline, others: keys }));
  keys.add(key);
}
