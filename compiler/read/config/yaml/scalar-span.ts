/** Maps each character of a YAML scalar, in any style, to its position in the file. */
import type { ScalarSpan, ScalarText, Span, Source } from '../../source.js';

export type ScalarStyle = 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_LITERAL' | 'BLOCK_FOLDED';

interface Decoded {
  value: string;
  /** For each UTF-16 code unit of `value`, the offset of its source character. */
  offsets: number[];
}

/**
 * The string of the scalar from `start` to `end`, with a span for each character. `value` is the result of the YAML parser; if our decoding
 * differs, every span is the whole scalar.
 */
export function scalarText(
  source: Source,
  start: number,
  end: number,
  style: ScalarStyle,
  value: string,
): ScalarText {
  return new Scalar(value, { source, start, end, scalar: scalarSpan(start, end, style) }, style);
}

/** A class, because closures would need three times the memory, and a large configuration has a million scalars. */
class Scalar implements ScalarText {
  /** Computed on first use: the spans inside most scalars are never needed. */
  #place: Place | undefined;
  readonly #style: ScalarStyle;

  constructor(
    readonly value: string,
    readonly span: Span,
    style: ScalarStyle,
  ) {
    this.#style = style;
  }

  spanOf(from: number, to: number): Span {
    const { source, start, scalar } = this.span;
    this.#place ??= this.#findPlace();
    const place = this.#place;
    if (place === 'unknown') return this.span;
    if (typeof place === 'number') {
      const { length } = this.value;
      const first = place + Math.min(from, length);
      const last = to > from ? place + Math.min(to, length + 1) : first;
      return { source, start: first, end: last, scalar };
    }
    const offsetOf = (index: number): number => place[index] ?? (place.at(-1) ?? start - 1) + 1;
    const first = offsetOf(from);
    const last = to > from ? Math.max(first + 1, offsetOf(to - 1) + 1) : first;
    return { source, start: first, end: last, scalar };
  }

  #findPlace(): Place {
    const { value } = this;
    const style = this.#style;
    const { source, start, end } = this.span;
    return (
      verbatimStart(source.text, start, end, style, value) ??
      decode(source.text, start, end, style, value)?.offsets ??
      'unknown'
    );
  }
}

/** The source offset of the value if it contains no escapes (the usual case); otherwise the offset of each character. */
type Place = number | readonly number[] | 'unknown';

const escapedStyles = { PLAIN: 'plain', QUOTE_SINGLE: 'single', QUOTE_DOUBLE: 'double' } as const;

/** The span of a scalar; undefined for an empty scalar, which marks a missing value, and for block scalars, which have no escapes. */
function scalarSpan(start: number, end: number, style: ScalarStyle): ScalarSpan | undefined {
  if (start === end || style === 'BLOCK_LITERAL' || style === 'BLOCK_FOLDED') return undefined;
  return { style: escapedStyles[style], start, end };
}

/** The start of the value in the source, if it contains no escapes. */
function verbatimStart(
  text: string,
  start: number,
  end: number,
  style: ScalarStyle,
  value: string,
): number | undefined {
  if (value === '' || style.startsWith('BLOCK')) return undefined;
  const at = style === 'PLAIN' ? start : start + 1;
  const length = style === 'PLAIN' ? end - start : end - start - 2;
  return length === value.length && text.startsWith(value, at) ? at : undefined;
}

function decode(
  text: string,
  start: number,
  end: number,
  style: ScalarStyle,
  value: string,
): Decoded | undefined {
  if (!style.startsWith('BLOCK')) {
    const decoded = decodeFlow(text, start, end, style);
    return decoded.value === value ? decoded : undefined;
  }
  for (const indent of blockIndents(text, start, end)) {
    const decoded = fold(decodeBlock(text, start, end, indent), value);
    if (decoded !== undefined) return decoded;
  }
  return undefined;
}

const flowBreak = /[ \t]*(?:\r?\n[ \t]*)+/y;
const doubleQuotedEscapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  '\t': '\t',
};

/** Decodes plain and quoted scalars: one line break becomes a space, n + 1 line breaks become n. */
function decodeFlow(text: string, start: number, end: number, style: ScalarStyle): Decoded {
  const units: string[] = [];
  const offsets: number[] = [];
  const put = (characters: string, offset: number): void => {
    for (const unit of characters.split('')) {
      units.push(unit);
      offsets.push(offset);
    }
  };
  const quoted = style !== 'PLAIN';
  const last = quoted ? end - 1 : end;
  let at = quoted ? start + 1 : start;
  while (at < last) {
    flowBreak.lastIndex = at;
    const run = flowBreak.exec(text)?.[0];
    if (run !== undefined) {
      const breaks = run.split('\n').length - 1;
      put(breaks === 1 ? ' ' : '\n'.repeat(breaks - 1), at);
      at += run.length;
    } else if (style === 'QUOTE_SINGLE' && text.startsWith("''", at)) {
      put("'", at);
      at += 2;
    } else if (style === 'QUOTE_DOUBLE' && text[at] === '\\') {
      at += decodeEscape(text, at, put);
    } else {
      put(text.charAt(at), at);
      at += 1;
    }
  }
  return { value: units.join(''), offsets };
}

/** Appends the character of the escape at `at` and returns the escape's source length. */
function decodeEscape(text: string, at: number, put: (characters: string, offset: number) => void): number {
  const letter = text.charAt(at + 1);
  const digits = { x: 2, u: 4, U: 8 }[letter];
  if (digits !== undefined) {
    const code = Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
    if (code <= 0x10ffff) put(String.fromCodePoint(code), at);
    return 2 + digits;
  }
  const continuation = /^\\\r?\n[ \t]*/.exec(text.slice(at, at + 200))?.[0];
  if (continuation !== undefined) return continuation.length;
  put(doubleQuotedEscapes[letter] ?? letter, at);
  return 2;
}

/** The possible indentations of a block scalar. */
function blockIndents(text: string, start: number, end: number): readonly number[] {
  const headerEnd = text.indexOf('\n', start);
  const body = text.slice(headerEnd + 1, end);
  if (!/^[|>][+-]?[1-9]/.test(text.slice(start, headerEnd))) {
    return [/^(?: *\r?\n)*( *)/.exec(body)?.[1]?.length ?? 0];
  }
  // Explicit indentation is relative to the parent's, which is unknown here, so the value decides.
  const indents = body.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.search(/[^ ]/)]));
  const smallest = indents.reduce((min, indent) => Math.min(min, indent), 1000);
  return Array.from({ length: smallest }, (_, index) => smallest - index);
}

/** The lines of a block scalar without header and indentation, keeping line breaks. */
function decodeBlock(text: string, start: number, end: number, indent: number): Decoded {
  const headerEnd = text.indexOf('\n', start);
  const body = text.slice(headerEnd + 1, end);
  const units: string[] = [];
  const offsets: number[] = [];
  let at = headerEnd + 1;
  for (const line of body.split('\n')) {
    const content = line.endsWith('\r') ? line.slice(0, -1) : line;
    for (let index = Math.min(indent, content.length); index < content.length; index += 1) {
      units.push(content.charAt(index));
      offsets.push(at + index);
    }
    units.push('\n');
    offsets.push(at + content.length);
    at += line.length + 1;
  }
  return { value: units.join(''), offsets };
}

/** Aligns `value`, in which line breaks may be folded into spaces or dropped, with the unfolded text. */
function fold(unfolded: Decoded, value: string): Decoded | undefined {
  const offsets: number[] = [];
  let from = 0;
  for (let index = 0; index < value.length; index += 1) {
    const wanted = value[index];
    if (unfolded.value[from] === '\n' && wanted !== '\n') {
      // The first line break of a run became this space; the others remain line breaks in the value.
      if (wanted === ' ') {
        offsets.push(unfolded.offsets[from] ?? 0);
        from += 1;
        continue;
      }
      while (unfolded.value[from] === '\n') from += 1;
    }
    if (unfolded.value[from] !== wanted) return undefined;
    offsets.push(unfolded.offsets[from] ?? 0);
    from += 1;
  }
  return { value, offsets };
}
