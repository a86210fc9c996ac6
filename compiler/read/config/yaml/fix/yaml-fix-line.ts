/** Reads one line: its column, dashes, key and value. */
import { contextBelow, expectedKind, isField, costOfKey, type Context } from '../yaml-contexts.js';
import { colonOf, nameOfKey, type Line } from '../yaml-lines.js';
import { isDash, keyIn, word } from '../yaml-line-text.js';
import { costs, type YamlFixer, insertion } from './yaml-fixer.js';
import { continuesText, columnOf, columnOfTab, startsItem } from './yaml-fix-column.js';
import { keyWithoutColon } from './yaml-fix-key.js';
import { readValue } from './yaml-fix-value.js';

/** Maximum number of blanks examined after a colon. */
const maxBlanks = 16;

/** Reads the next line and all lines that belong to its value. */
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

/** Reports a blank other than a space or tab after a colon. It looks the same, but YAML does not recognize the key. */
function reportOddBlank(fixer: YamlFixer, at: number): void {
  const odd = /^[^\S \t\r\n]+/.exec(fixer.text.slice(at, at + maxBlanks))?.[0];
  if (odd !== undefined) reportOddBlanks(fixer, at, odd);
}

/** Reports Unicode spaces, which are pasted from documents and web pages, and which YAML reads as letters. */
function reportOddBlanks(fixer: YamlFixer, start: number, blanks: string): void {
  const code = /[^\S \t]/.exec(blanks)?.[0].charCodeAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  fixer.report(start, start + blanks.length, `a blank that is not a space (${name})`, {
    hint: 'Write spaces.',
    edits: [{ start, end: start + blanks.length, text: blanks.replaceAll(/[^ \t]/g, ' ') }],
  });
}

/** Closes the levels that end before this line, and opens the levels that begin with it. */
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

/** A part of a line after its dashes. */
interface Content {
  readonly at: number;
  readonly written: string;
  /** The column of the innermost list item. */
  readonly column: number;
  readonly context: Context;
}

/** Reads the part after the indentation and dashes. */
function readContent(fixer: YamlFixer, line: Line, from: number, column: number, context: Context): void {
  const isBehindDash = isDash(fixer.text.slice(from, line.end)) || from > line.textStart;
  const item = skipDashes(fixer, line, { at: from, column, context });
  if (item === undefined) return;
  const aligned = isBehindDash ? alignItem(fixer, line, item, column) : item;
  if (/^[?:](?:\s|$)/.test(item.written) || /^[&!]\S*$/.test(item.written)) {
    fixer.before = { kind: 'open', context: undefined };
    return;
  }
  const { at, written, column: itemColumn, context: own } = withoutProperties(aligned);
  const isMapEntry = !isBehindDash || beginsMap(fixer, itemColumn, own, written);
  const colon = colonOf(written);
  const found =
    colon === undefined
      ? isMapEntry
        ? keyWithoutColon(fixer, line, at, itemColumn, own)
        : undefined
      : { key: nameOfKey(written.slice(0, colon)), value: at + colon + 1 };
  if (found === undefined) {
    if (!isBehindDash && !fixer.isFurther) fixer.levels.pop();
    readValue(fixer, line, at, isBehindDash ? column : (fixer.top?.column ?? -1), undefined);
    return;
  }
  if (isBehindDash)
    fixer.levels.push({ column: itemColumn, kind: 'map', context: own, line, keys: new Set() });
  if (colon !== undefined && isMapEntry) reportOddBlank(fixer, found.value);
  const rest = fixer.text.slice(found.value, line.end);
  countKey(fixer, own, found.key, colon === undefined ? /\S/.test(rest) : /^\s*[^\s#]/.test(rest));
  readValue(fixer, line, found.value, itemColumn, contextBelow(own, found.key));
}

/** Skips all dashes, each of which opens a list; undefined if nothing follows them. */
function skipDashes(
  fixer: YamlFixer,
  line: Line,
  { at: from, column, context }: Omit<Content, 'written'>,
): Content | undefined {
  let content: Content = { at: from, written: fixer.text.slice(from, line.end), column, context };
  while (
    isDash(content.written) ||
    (content.at === from && from > line.textStart && content.written !== '')
  ) {
    const blanks = /^-?[ \t]*/.exec(content.written)?.[0].length ?? 1;
    const at = content.at + blanks;
    const written = fixer.text.slice(at, line.end);
    // A missing space after the dash is already included.
    const behind = content.column + (content.written.startsWith('-') ? blanks : 0);
    content = { at, written, column: behind, context: content.context };
    if (written === '' || written.startsWith('#')) {
      fixer.before = { kind: 'open', context: content.context };
      return undefined;
    }
    if (!isDash(written)) break;
    content = { ...content, context: undefined };
    fixer.levels.push({ column: behind, kind: 'list', context: undefined, line, keys: new Set() });
  }
  return content;
}

/** Removes extra spaces after a dash if the next lines of the item are aligned for a single space. */
function alignItem(fixer: YamlFixer, line: Line, item: Content, column: number): Content {
  const { at, written } = item;
  const isOff = item.column > column + 2 && fixer.lines[fixer.next]?.column === column + 2;
  if (!isOff || keyIn(written) === undefined) return item;
  const hint = 'Write one space after the dash.';
  const problem = 'the lines of this list item begin at different columns';
  const begin = at - (item.column - column - 2);
  fixer.report(line.textStart, line.end, problem, { hint, edits: [{ start: begin, end: at, text: '' }] });
  return { ...item, column: column + 2 };
}

/** Skips the anchors and tags before the content. */
function withoutProperties(content: Content): Content {
  const properties = /^(?:[&!][^\s,[\]{}]*[ \t]+)+/.exec(content.written)?.[0].length ?? 0;
  return { ...content, at: content.at + properties, written: content.written.slice(properties) };
}

/** Whether the content after a dash is the first entry of a map. */
function beginsMap(fixer: YamlFixer, column: number, context: Context, written: string): boolean {
  const next = fixer.lines[fixer.next];
  return (
    next?.column === column ||
    (next !== undefined && next.column > column && isField(context, written) === true) ||
    (/\s/.test(written) && isField(context, word.exec(written)?.[0] ?? '') === true)
  );
}

/** Adds the key to the current map, and its cost. */
function countKey(fixer: YamlFixer, context: Context, key: string, isInline: boolean): void {
  const keys = fixer.top?.keys;
  if (keys === undefined || key === '<<') return;
  if (fixer.cost !== undefined) fixer.add(costOfKey(context, key, { isInline, others: keys }));
  keys.add(key);
}
