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

/** Line and column of an offset, both from 1. */
export function position(source: Source, offset: number): { line: number; column: number } {
  const before = source.text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  let line = 1;
  for (let index = before.indexOf('\n'); index !== -1; index = before.indexOf('\n', index + 1)) line += 1;
  return { line, column: offset - lastBreak };
}

/** A scalar text that is a file of its own: for texts that do not come from YAML, and for tests. */
export function wholeText(path: string, text: string): ScalarText {
  const source = { path, text };
  const placeOf = (start: number, end: number): Place => ({ source, start, end });
  return { value: text, place: placeOf(0, text.length), placeOf };
}
