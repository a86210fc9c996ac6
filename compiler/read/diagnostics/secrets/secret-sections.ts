/**
 * Finds the secrets of a configuration by their position in the text, whether or not YAML can read it: all values below `datasources`,
 * `authentications` and `settings`, and values with secret names elsewhere.
 */
import { keyOf, showFlow, showHeaderName, showKey, showValue, type Shown } from './secret-line.js';
import { isKnownKey, sections } from './secret-words.js';
import { nearest } from '../suggest.js';

/** A line that holds something; `end` is before its line break. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
}

/** What the search fills in. */
export interface Findings extends Shown {
  /** Everything from `start` to `end` is a secret, until some of it is shown; messages about it repeat no value. */
  readonly hide: (start: number, end: number) => void;
  /** The characters from `start` to `end` are a secret inside of a string that is not one. */
  readonly star: (start: number, end: number) => void;
}

/** The lines of a text but for empty ones. */
export function linesOf(text: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start < text.length;) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    let first = start;
    while (first < end && (text.startsWith(' ', first) || /\s|\ufeff/.test(text.charAt(first)))) first += 1;
    if (first < end) lines.push({ start, end, indent: first - start });
    start = end + 1;
  }
  return lines;
}

/** Hides the sections with secrets in a text of block style. */
export function hideSections(text: string, lines: readonly TextLine[], findings: Findings): void {
  for (let index = 0; index < lines.length;) {
    const section = headerOf(text, lines[index], 1);
    const end = endOfSection(text, lines, index);
    const body = lines.slice(index, end);
    if (section === 'datasources' || section === 'authentications' || section === 'settings')
      hideBody(text, body, findings, section === 'settings');
    else if (section !== 'specification')
      hideLostEntries(text, section === undefined ? body : body.slice(1), findings);
    index = end;
  }
}

/** The index of the first line behind the section that begins with a line. */
function endOfSection(text: string, lines: readonly TextLine[], start: number): number {
  let entryIndent: number | undefined;
  let end = start + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (line === undefined || headerOf(text, line, Math.max(1, entryIndent ?? 1)) !== undefined) break;
    if (!isComment(text, line)) entryIndent ??= line.indent;
  }
  return end;
}

/** Begins in the line that it is tried at: a file may be a hundred thousand lines of dashes. */
const header = /(?:[^\S\n]|["'?-])*([\p{L}_][\p{L}\p{N}_-]{0,40})["']?[^\S\n]*(?::|\n|$)/uy;

/** The section whose header the line is: its name, misspelt or not; `x-` for a field of the user's own. */
function headerOf(text: string, line: TextLine | undefined, below: number): string | undefined {
  if (line === undefined || line.indent >= below) return undefined;
  header.lastIndex = line.start;
  const name = header.exec(text)?.[1];
  if (name === undefined || header.lastIndex > line.end + 1) return undefined;
  return name.startsWith('x-') && line.indent === 0 ? 'x-' : nearest(name, sections);
}

function isComment(text: string, { start, indent }: TextLine): boolean {
  return text[start + indent] === '#';
}

const operationKey =
  /[\s-]*["']?(?:fulfillments|responses|triggers|mappings|instructions|queries|query|request|sql|schema)\b/y;
const entryKey = /[\s-]*["']?(?:password|url|driver|user|type["']?\s*:\s*["']?(?:db|rest|basicauth))\b/y;
const flowEntry =
  /\{[^\n]{0,200}?\b(?:password|url|driver|user|type["']?\s*:\s*["']?(?:db|rest|basicauth))\b/y;
const lostHeader = /^[\s-]*["']?(datasources|authentications)["']?\s*:?\s*(?:#.*)?$/;

/** Below another section: entries that are datasources or authentications all the same, as their header is gone. */
function hideLostEntries(text: string, lines: readonly TextLine[], findings: Findings): void {
  const entryIndent = lines.find((line) => !isComment(text, line))?.indent ?? 0;
  for (let index = 0; index < lines.length;) {
    let end = index + 1;
    while (end < lines.length && (lines[end]?.indent ?? 0) > entryIndent) end += 1;
    const entry = lines.slice(index, end);
    if (isLostEntry(text, entry)) hideBody(text, entry, findings, false, entry[0]?.indent);
    else {
      const lost = entry.findIndex((line) => isLostHeader(text, line));
      if (
        lost !== -1 &&
        lines.slice(index + lost, index + lost + 100).some(({ start }) => isAt(entryKey, text, start))
      ) {
        hideBody(text, lines.slice(index + lost), findings, false);
        return;
      }
    }
    index = end;
  }
}

function isLostEntry(text: string, lines: readonly TextLine[]): boolean {
  const has = (pattern: RegExp): boolean => lines.some(({ start }) => isAt(pattern, text, start));
  const [first] = lines;
  const brace = first === undefined ? -1 : text.slice(first.start, first.end).indexOf('{');
  const isFlow = brace !== -1 && isAt(flowEntry, text, (first?.start ?? 0) + brace);
  return (isFlow || has(entryKey)) && !has(operationKey);
}

/** The header of a section that has slipped into an operation. */
function isLostHeader(text: string, { start, end }: TextLine): boolean {
  return end - start < 200 && lostHeader.test(text.slice(start, end));
}

function isAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}

/**
 * Hides lines of which the first is a header, or with `entryIndent` the name of an entry. Keys are shown where they are known
 * fields, or names of entries that hold some.
 */
function hideBody(
  text: string,
  lines: readonly TextLine[],
  findings: Findings,
  isFlat: boolean,
  entryIndent?: number,
): void {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return;
  findings.hide(first.start, last.end);
  let names = entryIndent;
  if (names === undefined) {
    const colon = text.indexOf(':', first.start);
    const valueStart = colon === -1 || colon >= first.end ? first.end : colon + 1;
    findings.show(first.start, valueStart);
    showFlow(text, valueStart, first.end, findings);
  }
  /** Lines that are indented more belong to a value. */
  let valueIndent = Number.POSITIVE_INFINITY;
  let headerIndent = Number.POSITIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    if ((entryIndent === undefined && index === 0) || isComment(text, line)) continue;
    names ??= isFlat ? -1 : line.indent;
    if (line.indent > valueIndent) continue;
    valueIndent = Number.POSITIVE_INFINITY;
    if (line.indent >= headerIndent && text[line.start + line.indent] === '-') {
      showHeaderName(text, line.start, line.end, findings);
      showValue(text, line.start, line.end, findings);
      valueIndent = line.indent;
      continue;
    }
    headerIndent = Number.POSITIVE_INFINITY;
    const isEntry = line.indent <= names && isNameOfEntry(text, lines, index);
    const { key, valueStart } = showKey(text, line.start, line.end, findings, isEntry);
    if (key === undefined) valueIndent = line.indent;
    else if (!isEntry) {
      if (nearest(key, ['header', 'headers']) !== undefined) headerIndent = line.indent;
      else if (nearest(key, ['pool']) === undefined) valueIndent = line.indent;
    }
    if (key === undefined) continue;
    const value = text.slice(valueStart, Math.min(line.end, valueStart + 100)).trimStart();
    if (/^(?:&[\w-]{1,40} +)?[{[]/.test(value)) showFlow(text, valueStart, line.end, findings);
    else if (!isEntry) showValue(text, valueStart, line.end, findings);
  }
}

/** Whether fields of a datasource or authentication follow on the line or below it. */
function isNameOfEntry(text: string, lines: readonly TextLine[], index: number): boolean {
  const line = lines[index];
  if (line === undefined) return false;
  const rest = text.slice(line.start, Math.min(line.end, line.start + 200));
  if (/:\s+(?:[{*]|&[\w-]+\s*\{)|:\s+["']?(?:jdbc:|https?:)\S/.test(rest)) return true;
  const next = lines.slice(index + 1, index + 20).find((other) => !isComment(text, other));
  // A name with nothing below it.
  if (/^\s*[A-Za-z][\w-]{0,40}:\s*$/.test(rest) && (next === undefined || next.indent <= line.indent))
    return true;
  return next !== undefined && next.indent > line.indent && isKnownKey(keyOf(text, next) ?? '');
}
