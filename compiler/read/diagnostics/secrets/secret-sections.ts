/**
 * Finds secret values by their position in the text, even if it is invalid YAML: values under `datasources`, `authentications` and
 * `settings`, headers of requests, and passwords in URLs.
 */
import { nearest } from '../suggest.js';
import { isSecretHeader, isSecretOption, sections } from './secret-words.js';
import {
  isHeaderField,
  keyOf,
  showFlow,
  showForms,
  showHeaderName,
  showKeys,
  showValue,
  type Shown,
  type TextLine,
} from './shown-keys.js';

/** The result of the search. */
export interface Findings extends Shown {
  /** Hides the range from `start` to `end`, except for parts shown later; messages about it do not repeat any value. */
  readonly hide: (start: number, end: number) => void;
  /** Hides the range from `start` to `end`, which is a secret part of a longer, public string. */
  readonly star: (start: number, end: number) => void;
}

/** Hides all secrets of a configuration, in block or flow style. */
export function hideConfiguration(text: string, findings: Findings): void {
  const lines = linesOf(text);
  const isFlow = isFlowStyle(text);
  hideAlone(text, lines, findings);
  if (!isFlow) hideSections(text, lines, findings);
  hideHeaders(text, lines, findings);
  hideConstants(text, findings);
  hideFlowSections(text, findings, isFlow || /["',{](?:datasources|authentications)["']?\s*:/.test(text));
}

/** The non-empty lines of a text. */
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

/** The lines below that are indented more. */
function linesBelow(lines: readonly TextLine[], index: number): readonly TextLine[] {
  const indent = lines[index]?.indent ?? 0;
  let end = index + 1;
  while ((lines[end]?.indent ?? 0) > indent) end += 1;
  return lines.slice(index + 1, end);
}

function hideLines(lines: readonly TextLine[], findings: Findings): void {
  for (const { start, end } of lines) findings.hide(start, end);
}

/** Matches the account of a URL, also at the beginning of a line because a URL may be cut off. */
const account = /(?<=:\/\/)[^\s]{0,500}(?=@)|^[^\s"'@]{1,500}(?=@)/gm;
const option = /[?&;]([^=&?;\s'"]{1,80})=([^&\s'"]{1,2000})/g;

/** Hides accounts in URLs, and the values of URL options with secret names. */
export function hideInUrls(text: string, findings: Findings): void {
  for (const { index, 0: written } of text.matchAll(account)) findings.star(index, index + written.length);
  for (const { index, 0: whole, 1: name = '', 2: value = '' } of text.matchAll(option)) {
    if (!isSecretOption(name) && !/^user$/i.test(name)) continue;
    const end = index + whole.length;
    if (!value.startsWith(':[')) findings.star(end - value.length, end);
  }
}

/** A name followed by its value, in YAML, a header or a URL. The value can be a block on the lines below. */
const namedValue =
  /([\p{L}][\p{L}\p{N}_.-]{0,60})["']?[ \t]{0,20}[:=][ \t]{0,100}(?:[>|][-+]?[ \t]{0,20}\n[ \t]{1,100})?/gu;
/** `TEXT(…)`, and strings of Syntax B: in YAML quotes, in a placeholder, or as an argument. */
const constants = /\bTEXT\(([^()\n]*)|["'[(,]\s{0,20}'{1,2}([^'"\n]+)'/g;

/** Hides constants in expressions that are values of secret names: `secret: TEXT(…)`, `?key=:[TEXT(…)]`. */
function hideConstants(text: string, findings: Findings): void {
  for (const { index, 0: head, 1: name = '' } of text.matchAll(namedValue)) {
    if (!isSecretOption(name) && !isSecretHeader(name)) continue;
    const start = index + head.length;
    // The value ends before the next key in flow style.
    const [value = ''] =
      /^(?:(?!,\s{0,20}["']?[\w-]{1,60}["']?\s{0,20}:)[^\n])*/.exec(text.slice(start, start + 2000)) ?? [];
    // The secret of a signature that is not written as an expression yet.
    const [bare = ''] = /^secrets?$/i.test(name) ? (/^[\w+/=-]+(?=[\s,}]|$)/.exec(value) ?? []) : [];
    if (bare !== '') findings.star(start, start + bare.length);
    for (const { index: at, 0: written, 1: inside, 2: quoted = '' } of value.matchAll(constants)) {
      const constant = inside ?? quoted;
      const first = start + at + written.lastIndexOf(constant);
      // An environment reference is not secret.
      if (constant !== '' && !/^\$\{\w+\}$/.test(constant)) findings.star(first, first + constant.length);
    }
  }
}

const alone =
  /(?:\b(?:password|passwort|passwd|pwd|licen[cs]e)(["']?)|"user("))[ \t]{0,40}:[ \t]{0,100}(?=[^\s{[])/gi;

/** Hides values of passwords that are outside of their section. */
function hideAlone(text: string, lines: readonly TextLine[], findings: Findings): void {
  let line = 0;
  for (const { index, 0: whole, 1: first = '', 2: quote = first } of text.matchAll(alone)) {
    while ((lines[line]?.end ?? index) < index) line += 1;
    const lineEnd = lines[line]?.end ?? text.length;
    const start = index + whole.length;
    const value = text.slice(start, start + 200);
    // Not a secret: `token: PARAM(token)` in a schema, or a header with a placeholder.
    if (/^['"]?(?:[A-Z][A-Z\d_]*\(|(?:param|body)\b)|^["']?[^"'\n]*:\[/.test(value)) continue;
    const closing = quote === '"' && value.startsWith('"') ? /^"(?:[^"\\]|\\.)*"/.exec(value) : null;
    findings.hide(start, closing === null ? lineEnd : start + closing[0].length);
    if (quote === '') hideLines(linesBelow(lines, line), findings);
  }
}

/** Hides the sections with secrets in block style. */
function hideSections(text: string, lines: readonly TextLine[], findings: Findings): void {
  for (let index = 0; index < lines.length;) {
    const section = headerOf(text, lines[index], 1);
    const end = endOfSection(text, lines, index);
    const body = lines.slice(index, end);
    if (section === 'datasources' || section === 'authentications' || section === 'settings')
      hideSection(text, section, body, findings);
    else if (section !== 'specification')
      hideLostEntries(text, section === undefined ? body : body.slice(1), findings);
    index = end;
  }
}

function hideSection(text: string, section: string, lines: readonly TextLine[], findings: Findings): void {
  hideBody(text, lines, findings);
  if (section === 'settings') showForms(text, lines, findings);
}

function hideBody(text: string, lines: readonly TextLine[], findings: Findings): void {
  const [first] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return;
  findings.hide(first.start, last.end);
  showKeys(text, lines, findings);
}

/** The index of the first line after the section that begins at `start`. */
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

/** Sticky and limited to one line, because a file may consist of a hundred thousand lines of dashes. */
const header = /(?:[^\S\n]|["'?-])*([\p{L}_][\p{L}\p{N}_-]{0,40})["']?[^\S\n]*(?::|\n|$)/uy;

/** The section of which the line is the header, even if misspelled; `x-` for a user-defined field. */
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

/** Hides entries under other sections that look like datasources or authentications whose section header is missing. */
function hideLostEntries(text: string, lines: readonly TextLine[], findings: Findings): void {
  const entryIndent = lines.find((line) => !isComment(text, line))?.indent ?? 0;
  for (let index = 0; index < lines.length;) {
    let end = index + 1;
    while (end < lines.length && (lines[end]?.indent ?? 0) > entryIndent) end += 1;
    const entry = lines.slice(index, end);
    if (isLostEntry(text, entry)) hideBody(text, entry, findings);
    else {
      const lost = entry.findIndex((line) => isLostHeader(text, line));
      if (
        lost !== -1 &&
        lines.slice(index + lost, index + lost + 100).some(({ start }) => isAt(entryKey, text, start))
      ) {
        hideBody(text, lines.slice(index + lost), findings);
        return;
      }
    }
    index = end;
  }
}

function isLostEntry(text: string, lines: readonly TextLine[]): boolean {
  const has = (pattern: RegExp): boolean => lines.some(({ start }) => isAt(pattern, text, start));
  const [{ start, end } = { start: 0, end: 0 }] = lines;
  const brace = text.slice(start, end).indexOf('{');
  const isFlow = brace !== -1 && isAt(flowEntry, text, start + brace);
  return (isFlow || has(entryKey)) && !has(operationKey);
}

/** Whether the line is a section header that was moved into an operation by mistake. */
function isLostHeader(text: string, { start, end }: TextLine): boolean {
  return end - start < 200 && lostHeader.test(text.slice(start, end));
}

function isAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}

/** Hides the values of request headers. */
function hideHeaders(text: string, lines: readonly TextLine[], findings: Findings): void {
  if (!/header|authorization|x-/i.test(text)) return;
  for (const [index, line] of lines.entries()) {
    const key = keyOf(text, line);
    if (key === undefined || !isHeaderField(key.name)) continue;
    const value = text.slice(key.valueStart, line.end).trim();
    if (value !== '' && !value.startsWith('#')) continue;
    for (const item of headersBelow(text, lines, index)) hideHeader(text, item.start, item.end, findings);
  }
  for (const { index, 0: written } of text.matchAll(flowHeaders))
    if (!isAt(keyHeader, text, index + written.length))
      hideHeaderList(text, index + written.length, findings);
  for (const { index, 0: written, 1: item = '', 2: name = item } of text.matchAll(loneHeader)) {
    if (!isLoneHeader(name)) continue;
    const lineEnd = text.indexOf('\n', index);
    hideHeader(text, index + written.length, lineEnd === -1 ? text.length : lineEnd, findings);
  }
}

/**
 * The list items below a line, and lines that YAML may read as items, such as header names at a wrong indentation and the rest of a cut
 * item.
 */
function headersBelow(text: string, lines: readonly TextLine[], index: number): readonly TextLine[] {
  const indent = lines[index]?.indent ?? 0;
  let end = index + 1;
  for (let isOpen = false; end < lines.length; end += 1) {
    const line = lines[end];
    if (line === undefined) break;
    const first = line.start + line.indent;
    const isItem = text[first] === '-';
    const isBehind = isItem
      ? line.indent < indent && !isAt(headerItem, text, first)
      : line.indent <= indent && keyOf(text, line) !== undefined;
    if (isBehind && !isOpen) break;
    isOpen = isItem && isCut(text.slice(first, line.end));
  }
  return lines.slice(index + 1, end);
}

/** Whether an item continues on the next line, because its quote is open or its colon is missing. */
function isCut(item: string): boolean {
  const [, quote] = /^-\s*(["'])/.exec(item) ?? [];
  return quote === undefined ? !item.includes(':') : item.split(quote).length % 2 === 0;
}

const headerItem = /-\s+["']?[A-Z]/y;

const flowHeaders = /(["']?)\bheaders?\1[ \t]{0,20}:(?=[ \t]*[^\s#|>&])/g;

/** The header name of an API key, before another field of its authentication or at the end of a map. */
const keyHeader =
  /[ \t]*(["']?)[A-Za-z][A-Za-z-]{0,59}\1[ \t]*(?:,[ \t]*(?:operation|keys|query|cookie|default|type)[ \t]*:|\}[ \t]*(?:$|#))/my;

/** Text before a header name outside of a known list, and that name. */
const loneHeader =
  /(?:-\s+[^\w\s]{0,3}|["'[,{][ \t]*)(?=([a-z][\w"'-]{2,40}?)["']?[ \t]*[:=])|^[ \t]+(?:<<:[ \t]*)?(?=(authorization|cookie|x-[\w-]{1,40})[ \t]*:)/gim;

/** Whether the name is that of a header that can occur alone, with up to one misspelled letter in six. */
function isLoneHeader(name: string): boolean {
  return (
    /^x-/i.test(name) || nearest(name, ['authorization', 'proxy-authorization', 'cookie'], 6) !== undefined
  );
}

/**
 * Hides `['Key: Value', …]` in flow style. If the list is not closed, hides all lines up to one that begins with its bracket, or only the
 * first line.
 */
function hideHeaderList(text: string, start: number, findings: Findings): void {
  const list = /^\s*\[(?:[^\]"']|"(?:[^"\\]|\\.)*"|'[^']*')*\]/.exec(text.slice(start, start + 10_000))?.[0];
  const written =
    list ??
    /^[^\n]*(?:\n(?![ \t]*\])[^\n]*){0,20}(?=\n[ \t]*\])|^[^\n]*/.exec(
      text.slice(start, start + 10_000),
    )?.[0] ??
    '';
  findings.hide(start, start + written.length);
  for (const { index, 0: item } of written.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[^,[\]\s][^,]*/g))
    hideHeader(text, start + index, start + index + item.length, findings);
}

/** Headers that describe content that is sent or accepted. */
const plainHeader =
  /^(?:accept(?:-.*)?|content-(?:type|language|disposition)|user-agent|if-.*|cache-control|prefer)$/i;

/** An item of exactly the form `{ name: Accept, value: text/plain }`. */
const namedHeader =
  /^[ \t]*(?:- +)?\{ {0,9}(?:name|key) {0,9}: {1,9}(["']?)([A-Za-z-]{1,64})\1 {0,9}, {0,9}value {0,9}: [^,{}#&*\n]{1,200}\}\s*$/i;

/** A value of the request, or a string that is probably meant as one. */
const placeholder =
  /[:#$]?\[(?:[^[\]\n"']|\[[^[\]\n"']*\])*\]|[:#$]?\{[\w.$-]+\}|\b(?:param|body|request)\.[\w.]+|[A-Z][A-Z\d_]*\([^()\n"']*\)/g;

/** Hides `Key: Value`, but shows the key and expressions in the value. */
function hideHeader(text: string, start: number, end: number, findings: Findings): void {
  findings.hide(start, end);
  const item = text.slice(start, end);
  const [lead = '', word = ''] = /^[ \t]*(?:- +)?["']?([A-Za-z-]*)/.exec(item) ?? [];
  const name = namedHeader.exec(item)?.[2] ?? showHeaderName(text, start, end, findings) ?? word;
  findings.show(start, start + lead.length - word.length);
  if (/["']$/.test(item)) findings.show(end - 1, end);
  showValue(text, start, end, '', findings);
  if (plainHeader.test(name.replaceAll(' ', '-'))) findings.show(start, end);
  for (const { index, 0: written } of item.matchAll(placeholder))
    findings.show(start + index, start + index + written.length);
}

function isFlowStyle(text: string): boolean {
  return /^(?:\s|\ufeff|#[^\n]*\n|---)*(?:\{|"?specification"?\s*:?\s*"[^"\n]*"?\s*,)/.test(text);
}

const flowKey = /(["']?)([A-Za-z]{6,18})(["']?)[ \t\r\n]{0,20}(:?)[ \t\r\n]{0,20}([{"[]?)/g;

/** The beginning of a quoted section in a text that is not entirely in flow style. */
const quotedSection = /["'][A-Za-z]{6,18}["'][ \t\r\n]{0,20}:[ \t\r\n]{0,20}\{/;

/** Hides the sections with secrets in a text that is a map in flow style, such as JSON, and sections in flow style in any other text. */
function hideFlowSections(text: string, findings: Findings, isFlow: boolean): void {
  // A quick check, because most files contain no such section.
  if (!isFlow && !quotedSection.test(text)) return;
  let start: number | undefined;
  const close = (end: number): void => {
    if (start === undefined) return;
    findings.hide(start, end);
    showFlow(text, start, end, findings);
    start = undefined;
  };
  for (const match of text.matchAll(flowKey)) {
    const [, opening = '', name = '', closing = '', colon = '', bracket = ''] = match;
    const isQuoted = opening !== '' || closing !== '';
    if (start === undefined) {
      const near =
        isQuoted || colon !== '' ? nearest(name, ['datasources', 'authentications', 'settings']) : undefined;
      const valueStart = match.index + match[0].length - bracket.length;
      // Not a section, but a fulfillment's `datasource` field with a name.
      if (
        name === 'datasource' &&
        /^(["']?)[\w-]{1,60}\1[ \t\r\n]{0,20}[,}]/.test(text.slice(valueStart, valueStart + 90))
      )
        continue;
      const isWhole = opening !== '' && closing !== '' && colon !== '' && bracket === '{';
      if (
        isWhole
          ? near !== undefined
          : isFlow && (near === 'datasources' || (near !== undefined && bracket === '{'))
      )
        start = valueStart;
    } else if (opening !== '' && opening === closing && colon !== '' && bracket !== '') {
      const before =
        text
          .slice(Math.max(0, match.index - 20), match.index)
          .trimEnd()
          .at(-1) ?? '';
      if (/^(?:operations|specification)$/.test(name) && /[{,}]/.test(before)) close(match.index);
    }
  }
  close(text.length);
}

/** A range of the text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Hides the values of anchors that are used inside secrets. */
export function hideAnchors(text: string, secrets: readonly Stretch[], findings: Findings): void {
  if (!text.includes('&')) return;
  const used = new Set(
    secrets.flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(/\*([^\s,[\]{}]{1,100})/g)].map(([, name = '']) => name),
    ),
  );
  if (used.size === 0) return;
  const lines = linesOf(text);
  for (const [index, line] of lines.entries()) {
    const written = text.slice(line.start, line.end);
    const anchor = [...written.matchAll(/&([^\s,[\]{}]{1,100})/g)].find(([, name = '']) => used.has(name));
    if (anchor === undefined) continue;
    const start = line.start + anchor.index + anchor[0].length;
    findings.hide(start, line.end);
    showFlow(text, start, line.end, findings);
    const below = linesBelow(lines, index);
    hideLines(below, findings);
    showKeys(text, below, findings);
  }
}
