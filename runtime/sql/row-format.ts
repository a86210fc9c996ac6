/** Finds the values of a row in the bytes from the server, and writes them as JSON without intermediate strings and objects. */
import { isUtf8 } from 'node:buffer';
import type { Json } from '../handler/json.js';

/** Writes a value to `out` at `at`, and returns the end position; `notWritten` if the value must be decoded. */
export type Write = (bytes: Buffer, start: number, end: number, out: Buffer, at: number) => number;

export const notWritten = -1;

/** The positions of the values in a row, by column; NULL has the length -1. */
export interface FoundValues {
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

/** A row format. Stays the same object for all runs of a prepared statement until its columns change. */
export interface RowFormat {
  /** The column names. */
  readonly names: readonly string[];
  /** Writers by column. */
  readonly writers: readonly Write[];
  /** Maximum number of bytes by which the JSON of a value may exceed the value in the row. */
  readonly growth: number;
  /** Finds the values; returns false if the row does not match the columns. */
  find(bytes: Buffer, from: number, to: number, found: FoundValues): boolean;
  /** The decoded value of a column in the row found last. Throws errors of the decoder. */
  valueOf(index: number, bytes: Buffer, start: number, end: number): Json;
  /** Like `valueOf`, in the form used to compare list elements: `{ ordered: 'NaN', shown: null }`. */
  orderedValueOf(index: number, bytes: Buffer, start: number, end: number): Json;
}

export const code = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  t: 0x54,
  z: 0x5a,
  newline: 0x0a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  true: 0x74,
  false: 0x66,
  blank: 0x20,
} as const;

export const literal = {
  null: Buffer.from('null'),
  true: Buffer.from('true'),
  false: Buffer.from('false'),
};

/** Copies a few bytes in a loop, which is faster than calling `copy`. */
export function copyShort(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  let next = at;
  for (let index = start; index < end; index += 1) {
    out[next] = bytes[index] ?? 0;
    next += 1;
  }
  return next;
}

export const writeNothing: Write = () => notWritten;

/** Bytes that JSON escapes, and bytes of non-ASCII characters. */
const escaped = 1;
const beyondAscii = 2;
const marks = new Uint8Array(256);
marks.fill(escaped, 0, 0x20);
marks[0x22] = marks[0x5c] = escaped;
marks.fill(beyondAscii, 0x80);

/** Values up to this number of bytes are copied byte by byte. */
const short = 64;

/** Writes UTF-8 strings. */
export const writeString: Write = (bytes, start, end, out, at) => {
  out[at] = code.quote;
  let next = at + 1;
  let found = 0;
  if (end - start <= short) {
    for (let index = start; index < end; index += 1) {
      const byte = bytes[index] ?? 0;
      found |= marks[byte] ?? 0;
      out[next] = byte;
      next += 1;
    }
  } else {
    for (let index = start; index < end; index += 1) found |= marks[bytes[index] ?? 0] ?? 0;
    if ((found & escaped) === 0) next += bytes.copy(out, next, start, end);
  }
  if (found !== 0) {
    // A database with the encoding SQL_ASCII may send any bytes.
    if (found !== beyondAscii || !isUtf8(bytes.subarray(start, end))) return notWritten;
  }
  out[next] = code.quote;
  return next + 1;
};

/** Maximum characters of a number that is always written unchanged: doubles have 15 digits. */
const maxNumber = 15;
/** Number of zeros after the point beyond which JavaScript writes a small number with an exponent. */
const maxZeros = 5;

/** Writes numbers without an exponent; trailing zeros of the fraction are removed. */
export const writeDigits: Write = (bytes, start, end, out, at) => {
  if (end - start > maxNumber) return notWritten;
  const first = bytes[start] === code.minus ? start + 1 : start;
  let index = first;
  while (index < end && isDigit(bytes[index])) index += 1;
  const point = index;
  if (point === first) return notWritten;
  const isZero = bytes[first] === code.zero;
  if (isZero && point > first + 1) return notWritten;
  let last = point;
  if (index < end) {
    if (bytes[point] !== code.point || point + 1 === end) return notWritten;
    let zeros = 0;
    for (index += 1; index < end; index += 1) {
      if (!isDigit(bytes[index])) return notWritten;
      if (bytes[index] !== code.zero) last = index + 1;
      else if (last === point) zeros += 1;
    }
    if (isZero && last > point && zeros > maxZeros) return notWritten;
  }
  // JavaScript writes -0 as 0.
  if (isZero && last === point && first > start) return notWritten;
  return copyShort(bytes, start, last, out, at);
};

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= code.zero && byte <= code.nine;
}
