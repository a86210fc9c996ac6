/** Reads a value to its end: quotes, brackets and block strings can span several lines or be unclosed. */
import type { Context } from '../yaml-contexts.js';
import { colonOf, commentOf, endOfFlow, endOfQuote, type Line } from '../yaml-lines.js';
import { isSqlOf, readBlock, readBlockBehind, readPlainSql } from './yaml-fix-block.js';
import { type YamlFixer, indexInside, insertion } from './yaml-fixer.js';

/** Limits unsuccessful look-ahead to this multiple of the file length; beyond it, unclosed quotes and brackets end on their line. */
const maxLooks = 8;

/** Reads the part after a colon or dash. Further lines of the value must be indented more than `parent`. */
export function readValue(
  fixer: YamlFixer,
  line: Line,
  from: number,
  parent: number,
  context: Context,
): void {
  const blanks = /[ \t]*(?:[&!][^\s,[\]{}]*(?:[ \t]+|$))*/y;
  const text = fixer.text.slice(from, line.end);
  blanks.test(text);
  const at = from + blanks.lastIndex;
  const written = fixer.text.slice(at, line.end);
  const character = written.charAt(0);
  fixer.before = { kind: 'closed', context: undefined };
  if (written === '' || character === '#') {
    fixer.before = { kind: 'open', context };
    readPlainSql(fixer, line, parent);
  } else if (written === '"""' || written === "'''") readTriple(fixer, line, at, parent);
  else if (character === '"' || character === "'") readQuoted(fixer, line, at, parent);
  else if (character === '{' || character === '[') readFlow(fixer, line, at, parent, context);
  else if (/^[|>][-+\d]*(?:[ \t]+#.*)?$/.test(written)) readBlock(fixer, line, parent, /\d/.test(written));
  else if (character === '|' && isSqlOf(fixer, line)) readBlockBehind(fixer, line, at, parent);
  else if (!/^[*@`%,\]}|>]/.test(written) && colonOf(written) === undefined) {
    fixer.before = { kind: commentOf(written) < written.length ? 'closed' : 'text', context: undefined };
    readPlainSql(fixer, line, parent);
  }
}

/** Fixes a multi-line string in triple quotes, as in other languages. */
function readTriple(fixer: YamlFixer, line: Line, at: number, parent: number): void {
  const character = fixer.text.slice(at, line.end);
  const closing = fixer.lines.findIndex(
    (other, index) => index >= fixer.next && fixer.text.slice(other.textStart, other.end) === character,
  );
  const [last, first] = [fixer.lines[closing], fixer.lines[fixer.next]];
  if (last === undefined || first === undefined || first === last || first.column <= parent) return;
  const end = fixer.lines[closing - 1]?.end ?? last.start;
  fixer.report(at, line.end, `a string of several lines in ${character}`, {
    hint: `Write | instead of the ${character} before it, and remove the one after it.`,
    edits: [
      { start: at, end: line.end, text: '|' },
      { start: end, end: last.end, text: '' },
    ],
  });
  fixer.next = closing + 1;
}

/** The position after the closing quote of the string at `at`, if it is on a later line and nothing else follows on that line. */
export function quoteEnd(fixer: YamlFixer, line: Line, at: number, parent: number): number | undefined {
  if (fixer.budget.looked > maxLooks * fixer.text.length) return undefined;
  const last = fixer.lines[indexInside(fixer, parent) - 1] ?? line;
  const end = endOfQuote(fixer.text, at, last.end);
  fixer.budget.looked += (end ?? last.end) - at;
  if (end === undefined) return undefined;
  const lineEnd = fixer.text.indexOf('\n', end);
  return /^\s*(?:$|#)/.test(fixer.text.slice(end, lineEnd === -1 ? undefined : lineEnd)) ? end : undefined;
}

/** Removes a comma at the end of a line, as in JSON. */
function readComma(fixer: YamlFixer, close: number): void {
  const comma = /[ \t]*,(?=[ \t\r]*(?:\n|$))/y;
  comma.lastIndex = close;
  if (!comma.test(fixer.text)) return;
  fixer.report(close, comma.lastIndex, 'a comma at the end of the line', {
    hint: 'Remove the comma.',
    edits: [{ start: close, end: comma.lastIndex, text: '' }],
  });
}

function skipTo(fixer: YamlFixer, offset: number): void {
  for (let line = fixer.lines[fixer.next]; line !== undefined && line.start < offset;) {
    fixer.next += 1;
    line = fixer.lines[fixer.next];
  }
}

function readQuoted(fixer: YamlFixer, line: Line, at: number, parent: number): void {
  const close = endOfQuote(fixer.text, at, line.end);
  if (close !== undefined) {
    readComma(fixer, close);
    return;
  }
  const end = quoteEnd(fixer, line, at, parent);
  if (end !== undefined) {
    skipTo(fixer, end);
    return;
  }
  const quote = fixer.text.charAt(at);
  const hasComment = commentOf(fixer.text.slice(at, line.end)) < line.end - at;
  fixer.report(at, line.end, 'unclosed quote', {
    hint: `Write another ${quote} where the string ends.`,
    edits: [{ start: at, end: at + 1, text: quote }, insertion(line.end, quote)],
    isSafe: !hasComment && !/["']/.test(fixer.text.slice(at + 1, line.end)),
  });
}

function readFlow(fixer: YamlFixer, line: Line, at: number, parent: number, context: Context): void {
  if (fixer.budget.looked > maxLooks * fixer.text.length) return;
  const after = indexInside(fixer, parent);
  const closer = fixer.lines[after];
  const isClosed = closer !== undefined && /^[\]}]/.test(fixer.text.charAt(closer.textStart));
  const last = (isClosed ? closer : fixer.lines[after - 1]) ?? line;
  const found = endOfFlow(fixer.text, at, last.end);
  if (found === 'mismatch') {
    fixer.before = { kind: 'closed', context: undefined };
    return;
  }
  if ('end' in found) {
    readComma(fixer, found.end);
    skipTo(fixer, found.end);
    return;
  }
  fixer.budget.looked += last.end - at;
  const own = endOfFlow(fixer.text, at, line.end);
  if (own === 'mismatch' || 'end' in own) return;
  const character = fixer.text.charAt(at);
  if (at + 1 === line.end && isBlock(fixer, after)) {
    const before = fixer.text.slice(line.textStart, at);
    const blanks = before.length - before.trimEnd().length;
    fixer.report(at, at + 1, `unclosed ${character}`, {
      hint: `Remove the ${character}: the lines below it are its content by their indentation.`,
      edits: [{ start: at - blanks, end: at + 1, text: '' }],
    });
    fixer.before = { kind: 'open', context };
    return;
  }
  if (own.quote !== undefined) {
    const quote = fixer.text.charAt(own.quote);
    const end = fixer.text.slice(own.quote, line.end).search(/[,}\]]/);
    const text = fixer.text.slice(own.quote, end === -1 ? line.end : own.quote + end);
    const to = own.quote + text.trimEnd().length;
    fixer.report(own.quote, to, 'unclosed quote', {
      hint: `Write another ${quote} where the string ends.`,
      edits: [{ start: own.quote, end: own.quote + 1, text: quote }, insertion(to, quote)],
      isSafe: false,
    });
    return;
  }
  const isHere = !/[,[{]$/.test(fixer.text.slice(at, line.end));
  const to = isHere ? line.end : last.end;
  const open = isHere ? own.open : found.open;
  fixer.report(at, at + 1, `unclosed ${character}`, {
    hint: isHere ? `Write ${open} at the end of this line.` : `Write ${open} where it ends.`,
    edits: [insertion(to, open)],
    isSafe: isHere && !/[[{]/.test(fixer.text.slice(at + 1, line.end)),
  });
  if (!isHere) skipTo(fixer, to);
}

/** Whether the lines up to `end` are a block list or map, that is, without commas after entries. */
function isBlock(fixer: YamlFixer, end: number): boolean {
  const inside = fixer.lines.slice(fixer.next, end);
  const [first, ...others] = inside;
  if (first === undefined) return false;
  const entries = [first, ...others.filter(({ column }) => column === first.column)].map((line) =>
    fixer.textOf(line),
  );
  const isWritten = entries.every(
    (text) =>
      !text.endsWith(',') && (text.startsWith('- ') || (!/^[{[]/.test(text) && colonOf(text) !== undefined)),
  );
  return isWritten && (entries.length > 1 || /^- |:$/.test(fixer.textOf(first)));
}
