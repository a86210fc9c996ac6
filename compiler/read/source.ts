/** Sources, and spans in them. Offsets count UTF-16 units from 0; lines and columns count from 1. */

/** One input file. */
export interface Source {
  /** The path as the user gave it, for messages. */
  readonly path: string;
  readonly text: string;
  /** Of an included file, which is a map of operations: its path from the folder of the configuration, with `/`. */
  readonly includedAs?: string;
}

/** A range of a source: `end` is the offset after the last character. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The YAML scalar that contains the span or is the whole of it: edits must be escaped for it. */
  readonly scalar?: ScalarSpan | undefined;
}

/** A YAML scalar in one of the styles with escapes, and its position. */
export interface ScalarSpan {
  readonly style: 'plain' | 'single' | 'double';
  readonly start: number;
  readonly end: number;
}

/** A value and where it was written. */
export interface WithSpan<T> {
  readonly value: T;
  readonly span: Span;
}

/** The string of one scalar, with the span in the file of each of its characters, without escapes, folds and the indentation of blocks. */
export interface ScalarText {
  readonly value: string;
  /** The whole scalar. */
  readonly span: Span;
  /** The span in the file of the characters `start` (inclusive) to `end` (exclusive) of `value`. */
  spanOf(start: number, end: number): Span;
}

/** The position of a part of a file in its newest text: unchanged parts are cached, and their spans move with them. */
export class Anchor {
  constructor(
    /** The whole file. */
    public source: Source,
    /** Where the part begins in it. */
    public offset: number,
  ) {}

  move(source: Source, offset: number): void {
    this.source = source;
    this.offset = offset;
  }
}

/** A span in a cached part of a file: `start` and `end` refer to the newest text. Do not copy it with spread syntax (use `spanBeside`). */
export class MovingSpan implements Span {
  readonly #scalar: ScalarSpan | undefined;

  constructor(
    readonly anchor: Anchor,
    /** Both relative to the anchor, as are those of `scalar`. */
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

/** The span of other characters in the same part of the same file; offsets refer to the file. */
export function spanBeside(span: Span, start: number, end: number, scalar?: ScalarSpan): Span {
  if (!(span instanceof MovingSpan)) return { source: span.source, start, end, scalar };
  const { anchor } = span;
  const { offset } = anchor;
  const own = scalar && { style: scalar.style, start: scalar.start - offset, end: scalar.end - offset };
  return new MovingSpan(anchor, start - offset, end - offset, own);
}

/** The first characters of the span that match; the whole span without a match. */
export function partOf(span: Span, wanted: RegExp | string): Span {
  const written = span.source.text.slice(span.start, span.end);
  const found = typeof wanted === 'string' ? wanted : (wanted.exec(written)?.[0] ?? '');
  const at = typeof wanted === 'string' ? written.indexOf(wanted) : (wanted.exec(written)?.index ?? -1);
  if (at === -1 || found === '') return span;
  const start = span.start + at;
  return spanBeside(span, start, start + found.length, span.scalar);
}

/** The current span, which does not move. */
export function currentSpan(span: Span): Span {
  if (!(span instanceof MovingSpan)) return span;
  const { source, start, end, scalar } = span;
  return { source, start, end, scalar };
}

/** Where the lines of a source begin: computed once, so that many positions in a long file are fast. */
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

/** Line and column of an offset, both from 1. */
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

/** Where the line begins that an offset is in. */
export function startOfLine(source: Source, offset: number): number {
  return offset - position(source, offset).column + 1;
}

/** Where a line ends, counted from 1: the offset of its line break, or the end of the text. */
export function endOfLine(source: Source, line: number): number {
  const next = lineStartsOf(source)[line];
  if (next === undefined) return source.text.length;
  return source.text.endsWith('\r\n', next) ? next - 2 : next - 1;
}

/** The same text for the same position. */
export function positionKey({ source, start }: Span): string {
  return `${source.path} ${start}`;
}

/** `line 12` for a position in the same file as `beside`; for another file its name comes first, in a form that editors can open. */
export function lineBeside({ source, start }: Span, beside: Source): string {
  const { line } = position(source, start);
  return source.path === beside.path ? `line ${line}` : `${source.path}:${line}`;
}

/** A scalar that is a file of its own: for strings that are not from YAML, and for tests. */
export function wholeText(path: string, text: string): ScalarText {
  const source = { path, text };
  const spanOf = (start: number, end: number): Span => ({ source, start, end });
  return { value: text, span: spanOf(0, text.length), spanOf };
}
