/** Secrets that are found by what precedes them: in flow style and JSON, in URLs, after names of secrets, after anchors. */
import { showFlow, showKey, showValue } from './secret-line.js';
import type { Findings, TextLine } from './secret-sections.js';
import { isSecretField, isSecretHeader, isSecretOption } from './secret-words.js';
import { nearest } from '../suggest.js';

/** From one offset of the text to another. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const flowKey = /(["']?)([A-Za-z]{6,18})(["']?)[ \t\r\n]{0,20}(:?)[ \t\r\n]{0,20}([{"[]?)/g;

/** What a section begins with in a text that is not in flow style as a whole. */
const quotedSection = /["'][A-Za-z]{6,18}["'][ \t\r\n]{0,20}:[ \t\r\n]{0,20}\{/;

/**
 * Hides the sections with secrets in a text that is one map in flow style, such as JSON; in another text, where it is in this
 * style after all.
 */
export function hideFlowSections(text: string, findings: Findings, isFlow: boolean): void {
  // Most texts hold nothing that could be the beginning of a section: that is seen at once.
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
      // The field of a fulfillment: the name of a datasource, and nothing below it.
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

const account = /:\/\/([^\s]{0,500})(?=@)/g;
const option = /[?&;]([^=&?;\s'"]{1,80})=([^&\s'"]{1,2000})/g;
const named = /(["']?)([\p{L}_][\p{L}\p{N}_-]{0,40})\1[ \t]{0,40}:[ \t]{0,100}(?=[^\s{[])/gu;

const nameAtEnd = /(["']?)([\p{L}_][\p{L}\p{N}_-]{0,40})\1[ \t]{0,40}:$/u;

/** Hides the accounts of URLs, and the values of secrets' names in URLs, headers and fields wherever they are. */
export function hideNamedSecrets(text: string, lines: readonly TextLine[], findings: Findings): void {
  for (const { index, 1: written = '' } of text.matchAll(account))
    findings.star(index + 3, index + 3 + written.length);
  for (const { index, 0: whole, 1: name = '', 2: value = '' } of text.matchAll(option)) {
    if (!isSecretOption(name) && !/^user$/i.test(name)) continue;
    const end = index + whole.length;
    if (!value.startsWith(':[')) findings.star(end - value.length, end);
  }
  // A long file has the same few names, and the same few beginnings of lines, again and again.
  const kinds = new Map<string, ReturnType<typeof kindOf>>();
  const plain = new Map<string, boolean>();
  for (const [line, field] of lines.entries()) {
    const { start: lineStart, end: lineEnd, indent } = field;
    const colon = text.indexOf(':', lineStart);
    if (colon === -1) return;
    if (colon >= lineEnd) continue;
    const beginning = text.slice(lineStart + indent, colon + 1);
    if (isBrokenSecretHeader(beginning)) findings.star(colon + 1, lineEnd);
    const isAlone = !text.slice(colon + 1, lineEnd).includes(':');
    const isPlain = isAlone && (plain.get(beginning) ?? isPlainKey(beginning));
    if (isAlone) plain.set(beginning, isPlain);
    if (isPlain) continue;
    for (const match of text.slice(lineStart, lineEnd).matchAll(named)) {
      const [whole, quote = '', name = ''] = match;
      const kind = kinds.get(name) ?? kindOf(name);
      kinds.set(name, kind);
      if (kind === 'known') continue;
      const isHeader = kind === 'header';
      const start = lineStart + match.index + whole.length;
      const end = endOfValue(text, start, lineEnd, quote);
      const value = text.slice(start, Math.min(end, start + 200));
      if (isExpression(value)) continue;
      if (isHeader) findings.star(start, end);
      else findings.hide(start, end);
      if (quote === '' && !isHeader) hideBelow(field, line, lines, findings);
    }
  }
}

/** `- X-Api Key:` and `- "Authori"zation:` are headers whose names have characters that no name has. */
function isBrokenSecretHeader(beginning: string): boolean {
  const [, name = ''] = /^[\s"'-]*([^\s"':][^:]{0,60}):$/.exec(beginning) ?? [];
  if (!/[\s"']/.test(name)) return false;
  return ['', '-'].some((between) => isSecretHeader(name.replaceAll(/[\s"']+/g, between)));
}

/** Whether what ends at the first colon of a line ends with no name of a secret. */
function isPlainKey(beginning: string): boolean {
  const [, , name] = nameAtEnd.exec(beginning) ?? [];
  return name === undefined || kindOf(name) === 'known';
}

function kindOf(name: string): 'header' | 'field' | 'known' {
  if (isSecretHeader(name)) return 'header';
  return isSecretField(name) ? 'field' : 'known';
}

/** A quoted value ends at its quote, in JSON. Any other value may continue to the end of the line. */
function endOfValue(text: string, start: number, lineEnd: number, quote: string): number {
  if (quote !== '"' || text[start] !== '"') return lineEnd;
  let end = start + 1;
  while (end < lineEnd && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return Math.min(lineEnd, end + 1);
}

/** `token: PARAM(token)` of a schema, and a header with a placeholder. */
function isExpression(value: string): boolean {
  return /^['"]?(?:[A-Z_]+\(|(?:param|body)\b)|:\[/.test(value);
}

/** The lines that are indented more than a field belong to its value. */
function hideBelow(field: TextLine, index: number, lines: readonly TextLine[], findings: Findings): void {
  for (let next = index + 1; (lines[next]?.indent ?? 0) > field.indent; next += 1) {
    const line = lines[next];
    if (line !== undefined) findings.hide(line.start, line.end);
  }
}

/** Hides the values of anchors that are used in the secrets. */
export function hideAnchors(
  text: string,
  lines: readonly TextLine[],
  secrets: readonly Stretch[],
  findings: Findings,
): void {
  if (!text.includes('&')) return;
  const used = new Set(
    secrets.flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(/\*([^\s,[\]{}]{1,100})/g)].map(([, name = '']) => name),
    ),
  );
  if (used.size === 0) return;
  for (const [index, line] of lines.entries()) {
    const written = text.slice(line.start, line.end);
    const anchor = [...written.matchAll(/&([^\s,[\]{}]{1,100})/g)].find(([, name = '']) => used.has(name));
    if (anchor === undefined) continue;
    const start = line.start + anchor.index + anchor[0].length;
    findings.hide(start, line.end);
    showFlow(text, start, line.end, findings);
    for (let next = index + 1; (lines[next]?.indent ?? 0) > line.indent; next += 1) {
      const below = lines[next];
      if (below === undefined) break;
      findings.hide(below.start, below.end);
      const { key, valueStart } = showKey(text, below.start, below.end, findings, false);
      if (key !== undefined) showValue(text, valueStart, below.end, findings);
    }
  }
}
