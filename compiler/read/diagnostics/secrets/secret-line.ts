/** What may be shown of the text below `datasources`, `authentications` and `settings`: names of fields, kinds of things; no value. */
import { isKnownKey, isKnownValue } from './secret-words.js';

/** Receives the characters that may be shown, and the names that are those of resources or headers. */
export interface Shown {
  readonly show: (start: number, end: number) => void;
  readonly name: (name: string) => void;
}

const keyPattern = /([ \t]*(?:- +)*)(["']?)([\p{L}_][\p{L}\p{N}_.-]{0,63})\2(?=[ \t]*:(?:[ \t\r\n]|$))/uy;
const entryPattern = /([ \t]*)(["']?)([\p{L}_][\p{L}\p{N}_. -]{0,63})\2(?=[ \t]*:(?:[ \t\r\n]|$))/uy;
const headerPattern = /([ \t]*- +)(["']?)([\w!#$%&*+.^`|~-]{1,64})(?=:[ \t])/y;

/** What a line of block style holds: the key that was shown, and where the value behind it begins. */
export interface Line {
  readonly key: string | undefined;
  /** After the colon and the space; without a key that may be shown, the beginning of the line. */
  readonly valueStart: number;
}

/** Shows the key of the line if it is a known field, or with `isEntry` any name. */
export function showKey(text: string, start: number, end: number, shown: Shown, isEntry: boolean): Line {
  const match = matchAt(isEntry ? entryPattern : keyPattern, text, start, end);
  const key = match?.[3];
  if (match === null || key === undefined || (!isEntry && !isKnownKey(key)))
    return { key: undefined, valueStart: start };
  const colon = text.indexOf(':', start + match[0].length);
  shown.show(start, colon + 1);
  if (isEntry) shown.name(key);
  return { key, valueStart: colon + 1 };
}

/** The key of a line of block style; undefined when it has none. */
export function keyOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): string | undefined {
  return matchAt(keyPattern, text, start, end)?.[3];
}

/** Shows the name of a header in an item of the list `header`. */
export function showHeaderName(text: string, start: number, end: number, shown: Shown): void {
  const match = matchAt(headerPattern, text, start, end);
  if (match === null) return;
  shown.show(start, start + match[0].length + 1);
  shown.name(match[3] ?? '');
}

function matchAt(pattern: RegExp, text: string, start: number, end: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  return match !== null && start + match[0].length <= end ? match : null;
}

const known = /(["']?)([\w.-]{1,40})\1(?=[ \t\r]*(?:[,}\]]|$|#))/y;
const scheme = /["']?(?:jdbc:)?(?:postgresql|postgres|mysql|mariadb|https?):\/\//iy;
const option = /[?&]([A-Za-z]{1,40}|tinyInt1isBit)=/g;
const reference = /\$\{([A-Z][A-Z0-9_]{0,63})(?:(\})|:)/g;
const block = /[|>][-+\d]{0,2}(?=[ \t\r]*$)/y;

/** Shows what may be shown of a value: the word of a kind, a URL's scheme and the names of its options, `${NAME}`. */
export function showValue(text: string, from: number, end: number, shown: Shown): void {
  let start = from;
  while (start < end && /\s/.test(text.charAt(start))) start += 1;
  const value = text.slice(start, end);
  for (const pattern of [known, block]) {
    pattern.lastIndex = 0;
    const match = pattern.exec(value);
    if (match !== null && (pattern === block || isKnownValue(match[2] ?? '')))
      shown.show(start, start + match[0].length);
  }
  scheme.lastIndex = 0;
  const found = scheme.exec(value);
  if (found !== null) {
    shown.show(start, start + found[0].length);
    for (const { index, 0: written, 1: name = '' } of value.matchAll(option)) {
      shown.show(start + index, start + index + written.length);
      shown.name(name);
    }
  }
  let close = -1;
  for (const match of value.matchAll(reference)) {
    const at = start + match.index;
    shown.show(at, at + match[0].length);
    if (match[2] !== undefined) continue;
    // The same brace ends all that are open, and is looked for once.
    if (close < at) {
      const found = value.indexOf('}', at - start);
      close = found === -1 ? Number.POSITIVE_INFINITY : start + found;
    }
    if (close < end) shown.show(close, close + 1);
  }
}

const token =
  /[\s{}[\],:]|"(?:[^"\\]|\\[^])*"?|'(?:[^']|'')*'?|(?:[^\s{}[\],:"']|:(?![\s{}[\],"']))(?:[^\s{}[\],:]|:(?![\s{}[\],"']))*/y;

/** The same for flow style, `{ type: db, url: … }` and JSON. */
export function showFlow(text: string, start: number, end: number, shown: Shown): void {
  token.lastIndex = start;
  let isValue = false;
  for (;;) {
    const at = token.lastIndex;
    const written = at < end ? token.exec(text)?.[0] : undefined;
    if (written === undefined) return;
    const next = Math.min(end, token.lastIndex);
    if (/^[{}[\],:]$/.test(written)) {
      shown.show(at, next);
      if (written === ',') isValue = false;
    } else if (!/^\s$/.test(written)) {
      const name = written.length > 80 ? '' : written.replace(/^(["'])(.*)\1$/s, '$2');
      const inside = behindKey(text, next);
      if (inside === undefined) {
        if (isValue) showValue(text, at, next, shown);
      } else if (isKnownKey(name)) {
        shown.show(at, next);
      } else if (isKnownKey(inside) && /^[\p{L}_][\p{L}\p{N}_. -]*$/u.test(name)) {
        shown.show(at, next);
        shown.name(name);
      }
      isValue = inside !== undefined;
    }
    token.lastIndex = next;
  }
}

const colon = /[ \t\r\n]{0,100}:[ \t\r\n]{0,100}(?:\{[ \t\r\n]{0,100}["']?([\w-]{1,40})["']?[ \t]{0,9}:)?/y;

/** After a colon: the first key of the map behind it, empty if there is none. Undefined without a colon. */
function behindKey(text: string, from: number): string | undefined {
  colon.lastIndex = from;
  const match = colon.exec(text);
  return match === null ? undefined : (match[1] ?? '');
}
