/** Sources and spans. Offsets count UTF-16 code units from 0; lines and columns count from 1. */

/** An input file. */
export interface Source {
  /** The path as specified by the user, for messages. */
  readonly path: string;
  readonly text: string;
  /** For an included file (a map of operations): its path relative to the configuration's folder, with `/`. */
  readonly includedAs?: string;
}

/** A range of a source; `end` is exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The YAML scalar that contains or equals the span: edits must be escaped for it. */
  readonly scalar?: ScalarSpan | undefined;
}

/** A YAML scalar in a style with escapes, and its position. */
export interface ScalarSpan {
  readonly style: 'plain' | 'single' | 'double';
  readonly start: number;
  readonly end: number;
}

/** A value and its span. */
export interface WithSpan<T> {
  readonly value: T;
  readonly span: Span;
}

/** The decoded string of a scalar (without escapes, folding and block indentation), with the file span of each character. */
export interface ScalarText {
  readonly value: string;
  /** The whole scalar. */
  readonly span: Span;
  /** The file span of the characters from `start` (inclusive) to `end` (exclusive) of `value`. */
  spanOf(start: number, end: number): Span;
}

/** The current position of a cached part of a file, with which the spans in that part move. */
export class Anchor {
  constructor(
    /** The whole file. */
    public source: Source,
    /** The offset of the part in the file. */
    public offset: number,
  ) {}

  move(source: Source, offset: number): void {
    this.source = source;
    this.offset = offset;
  }
}

/** A span in a cached part of a file: `start` and `end` refer to the current text. Do not copy it with spread syntax; use `spanBeside`. */
export class MovingSpan implements Span {
  readonly #scalar: ScalarSpan | undefined;

  constructor(
    readonly anchor: Anchor,
    /** Relative to the anchor, like the offsets in `scalar`. */
    readonly from: number,
    readonly to: number,
    scalar: ScalarSpan | undefined,
  ) {
    this.#scalar = scalar;
  }

  get source(): Source {
    return this.anchor.source;
  }

  get start(): number {
    return this.anchor.offset + this.from;
  }

  get end(): number {
    return this.anchor.offset + this.to;
  }

  get scalar(): ScalarSpan | undefined {
    if (this.#scalar === undefined) return undefined;
    const { style, start, end } = this.#scalar;
    const { offset } = this.anchor;
    return { style, start: start + offset, end: end + offset };
  }
}

/** Another span in the same part of the file; offsets refer to the file. */
export function spanBeside(span: Span, start: number, end: number, scalar?: ScalarSpan): Span {
  if (!(span instanceof MovingSpan)) return { source: span.source, start, end, scalar };
  const { anchor } = span;
  const { offset } = anchor;
  const own = scalar && { style: scalar.style, start: scalar.start - offset, end: scalar.end - offset };
  return new MovingSpan(anchor, start - offset, end - offset, own);
}

/** The span of the first match; the whole span if there is no match. */
export function partOf(span: Span, wanted: RegExp | string): Span {
  const written = span.source.text.slice(span.start, span.end);
  const found = typeof wanted === 'string' ? wanted : (wanted.exec(written)?.[0] ?? '');
  const at = typeof wanted === 'string' ? written.indexOf(wanted) : (wanted.exec(written)?.index ?? -1);
  if (at === -1 || found === '') return span;
  const start = span.start + at;
  return spanBeside(span, start, start + found.length, span.scalar);
}

/** A snapshot of the span that does not move. */
export function currentSpan(span: Span): Span {
  if (!(span instanceof MovingSpan)) return span;
  const { source, start, end, scalar } = span;
  return { source, start, end, scalar };
}

/** The starts of the lines of each source, cached so that many positions in a long file are fast. */
const lineStarts = new WeakMap<Source, readonly number[]>();

function lineStartsOf(source: Source): readonly number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1))
    starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}

/** The line and column of an offset, both from 1. */
export function position(source: Source, offset: number): { line: number; column: number } {
  const starts = lineStartsOf(source);
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** The start of the line that contains the offset. */
export function startOfLine(source: Source, offset: number): number {
  return offset - position(source, offset).column + 1;
}

/** The end of a line (counted from 1): the offset of its line break, or the end of the text. */
export function endOfLine(source: Source, line: number): number {
  const next = lineStartsOf(source)[line];
  if (next === undefined) return source.text.length;
  return source.text.endsWith('\r\n', next) ? next - 2 : next - 1;
}

/** A key that is equal for equal positions. */
export function positionKey({ source, start }: Span): string {
  return `${source.path} ${start}`;
}

/** `line 12` for a position in the same file as `beside`; otherwise prefixed by the file name, in a form that editors can open. */
export function lineBeside({ source, start }: Span, beside: Source): string {
  const { line } = position(source, start);
  return source.path === beside.path ? `line ${line}` : `${source.path}:${line}`;
}

/** A scalar that is a whole file: for strings that are not from YAML, and for tests. */
export function wholeText(path: string, text: string): ScalarText {
  const source = { path, text };
  const spanOf = (start: number, end: number): Span => ({ source, start, end });
  return { value: text, span: spanOf(0, text.length), spanOf };
}
