/** A text that was read, and places in it. Offsets count UTF-16 units from 0; lines and columns count from 1. */

/** One input file. */
export interface Source {
  /** The path as the user gave it, for messages. */
  readonly path: string;
  readonly text: string;
}

/** A stretch of a source: `end` is the offset after the last character. */
export interface Place {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The YAML scalar that the place is in or is the whole of: what is written there has to be escaped for it. */
  readonly scalar?: ScalarPlace;
}

/** A YAML scalar of one of the styles in which texts are escaped, and where it is. */
export interface ScalarPlace {
  readonly style: 'plain' | 'single' | 'double';
  readonly start: number;
  readonly end: number;
}

/** A value and where it was written. */
export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}

/**
 * The text of one scalar, which can tell for each of its characters where it stands in the file:
 * escapes, folds and the indentation of blocks are behind it.
 */
export interface ScalarText {
  readonly value: string;
  /** The whole scalar. */
  readonly place: Place;
  /** The place in the file of the characters `start` (inclusive) to `end` (exclusive) of `value`. */
  placeOf(start: number, end: number): Place;
}

/** Where the lines of a source begin: found once, so that many places in a long file are told quickly. */
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

/** A scalar text that is a file of its own: for texts that do not come from YAML, and for tests. */
export function wholeText(path: string, text: string): ScalarText {
  const source = { path, text };
  const placeOf = (start: number, end: number): Place => ({ source, start, end });
  return { value: text, place: placeOf(0, text.length), placeOf };
}
