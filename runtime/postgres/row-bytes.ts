/** Rows of PostgreSQL as the bytes of a JSON array, without strings and objects in between: what `JSON.stringify` makes of the decoded rows. */
import { isUtf8 } from 'node:buffer';
import { maxJson } from '../handler/json-text.js';
import type { RowSink } from '../sql/driver.js';
import { rowDecoder, type Column, type Decode } from '../sql/rows.js';
import { textValue } from './column-types.js';

/** Bytes of the first piece, and of the largest. */
const firstPiece = 64 * 1024;
const largestPiece = 512 * 1024;
/** A result of at most so many bytes is one string, which is sent together with the headers. */
const small = 32 * 1024;
/** First pieces of results that have become strings. */
const spare: Buffer[] = [];
const maxSpare = 4;

/** The result: a string if it is small. */
export type RowsAsJson = string | readonly Buffer[];

/** The fields of each element, and of which columns they are; without them the rows as they are. */
export type RowFields = Readonly<Record<string, string>>;

/** The rows of one run of a statement. */
export class RowBytes implements RowSink {
  private layout: Layout | undefined;
  private piece: Buffer | undefined;
  private at = 0;
  private readonly full: Buffer[] = [];
  private fullBytes = 0;
  private isEmpty = true;
  /** It has become larger than a body may be. */
  isTooLarge = false;

  constructor(private readonly fields: RowFields | undefined) {}

  begin(columns: readonly Column<number>[], decoders: readonly Decode<string>[]): void {
    this.layout = layoutOf(columns, decoders, this.fields);
  }

  take(bytes: Buffer, from: number, to: number): boolean {
    const { layout } = this;
    if (layout === undefined || !findValues(layout, bytes, from, to)) return false;
    const size = layout.fixed + layout.uses * (to - from);
    let out = this.room(size);
    let { at } = this;
    out[at] = this.isEmpty ? code.openList : code.comma;
    at += 1;
    this.isEmpty = false;
    for (const { key, index, write, decode } of layout.fields) {
      at = copyShort(key, 0, key.length, out, at);
      const start = layout.starts[index] ?? 0;
      const length = layout.lengths[index] ?? -1;
      if (length === -1) {
        at = copyShort(literal.null, 0, literal.null.length, out, at);
        continue;
      }
      const next = write(bytes, start, start + length, out, at);
      if (next !== notWritten) at = next;
      else {
        this.at = at;
        this.writeText(JSON.stringify(decode(bytes.toString('utf8', start, start + length)) ?? null));
        out = this.room(size);
        ({ at } = this);
      }
    }
    this.at = copyShort(layout.end, 0, layout.end.length, out, at);
    return true;
  }

  takeText(values: readonly (string | null)[]): void {
    const { fields = [], end = literal.null } = this.layout ?? {};
    let text = this.isEmpty ? '[' : ',';
    this.isEmpty = false;
    for (const { key, index, decode } of fields) {
      const value = values[index] ?? null;
      text += key.toString() + JSON.stringify(value === null ? null : (decode(value) ?? null));
    }
    this.writeText(text + end.toString());
  }

  /** The JSON array. Nothing can be taken from then on. */
  finish(): RowsAsJson {
    const { full } = this;
    if (this.isEmpty) return '[]';
    const piece = this.room(1);
    piece[this.at] = code.closeList;
    this.at += 1;
    this.piece = undefined;
    if (full.length === 0 && this.at <= small) {
      const text = piece.toString('utf8', 0, this.at);
      if (spare.length < maxSpare) spare.push(piece);
      return text;
    }
    return [...full, trimmed(piece, this.at)];
  }

  private writeText(text: string): void {
    const bytes = text.length < 4096 ? text.length * 3 : Buffer.byteLength(text);
    const piece = this.room(bytes);
    this.at += piece.write(text, this.at);
  }

  /** A piece that has room for so many bytes behind what is written. */
  private room(bytes: number): Buffer {
    const { piece, at } = this;
    if (piece !== undefined && at + bytes <= piece.length) return piece;
    let size = firstPiece;
    if (piece !== undefined) {
      this.keep(piece.subarray(0, at));
      size = Math.min(piece.length * 2, largestPiece);
    }
    this.at = 0;
    const found = size === firstPiece && bytes <= size ? spare.pop() : undefined;
    this.piece = found ?? Buffer.allocUnsafeSlow(Math.max(size, bytes));
    return this.piece;
  }

  /** What is too large is not kept: the reply reports it. */
  private keep(piece: Buffer): void {
    this.fullBytes += piece.length;
    if (this.fullBytes > maxJson) {
      this.isTooLarge = true;
      this.full.length = 0;
    } else this.full.push(piece);
  }
}

/** The last piece, which must not keep much more memory than it has bytes. */
function trimmed(piece: Buffer, length: number): Buffer {
  if (length > piece.length / 2) return piece.subarray(0, length);
  const copy = Buffer.allocUnsafeSlow(length);
  piece.copy(copy, 0, 0, length);
  return copy;
}

/** Writes a value to `out` from `at` on, and returns where it ends; `notWritten` if it has to be decoded. */
type Write = (bytes: Buffer, start: number, end: number, out: Buffer, at: number) => number;

const notWritten = -1;

interface Field {
  /** With what is before it. */
  readonly key: Buffer;
  /** Of its column. */
  readonly index: number;
  readonly write: Write;
  readonly decode: Decode<string>;
}

interface Layout {
  readonly wished: RowFields | undefined;
  readonly fields: readonly Field[];
  /** Behind the last field. */
  readonly end: Buffer;
  /** The bytes of an element without its values, where each has some more for its quotes, or is `false`. */
  readonly fixed: number;
  /** How often a column is used at most. */
  readonly uses: number;
  /** Where the values of the row are that is being written, by their columns; the length of NULL is -1. */
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

/** By the columns of prepared statements, which stay the same for all their runs. */
const layouts = new WeakMap<readonly Column<number>[], Layout>();

function layoutOf(
  columns: readonly Column<number>[],
  decoders: readonly Decode<string>[],
  wished: RowFields | undefined,
): Layout {
  const known = layouts.get(columns);
  if (known !== undefined && haveSameFields(known.wished, wished)) return known;
  const layout = makeLayout(columns, decoders, wished);
  layouts.set(columns, layout);
  return layout;
}

function haveSameFields(one: RowFields | undefined, other: RowFields | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && one[name] === other[name])
  );
}

function makeLayout(
  columns: readonly Column<number>[],
  decoders: readonly Decode<string>[],
  wished: RowFields | undefined,
): Layout {
  // An object that is made as rows are has their order, and of two columns with one name the last one.
  const indexes = rowDecoder(
    columns.map(({ name }) => name),
    columns.map((_, index) => () => index),
  )(columns.map(() => ''));
  // A field without a column is undefined, as it is in an object.
  const found = Object.entries(wished ?? selfNamed(indexes)).flatMap(([name, column]) => {
    const index = Object.hasOwn(indexes, column) ? indexes[column] : undefined;
    return typeof index === 'number' ? [{ name, index }] : [];
  });
  const fields = found.map(({ name, index }, position): Field => {
    const decode = decoders[index] ?? textValue;
    const write =
      decode === textValue ? writeString : (writers.get(columns[index]?.type ?? 0) ?? writeNothing);
    const key = Buffer.from(`${position === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    return { key, index, write, decode };
  });
  const uses = columns.map((_, index) => fields.filter((field) => field.index === index).length);
  const end = Buffer.from(fields.length === 0 ? '{}' : '}');
  return {
    ...{ wished, fields, end },
    fixed: fields.reduce((sum, { key }) => sum + key.length + perValue, 1 + end.length),
    uses: Math.max(1, ...uses),
    starts: new Int32Array(columns.length),
    lengths: new Int32Array(columns.length),
  };
}

/** Bytes by which a value may be longer than on the wire. */
const perValue = 4;

function selfNamed(row: object): RowFields {
  return Object.fromEntries(Object.keys(row).map((name) => [name, name]));
}

/** Finds the values of a row; false if it is not what its columns promise. */
function findValues({ starts, lengths }: Layout, bytes: Buffer, from: number, to: number): boolean {
  if (from + 2 > to || bytes.readInt16BE(from) !== starts.length) return false;
  let at = from + 2;
  for (let index = 0; index < starts.length; index += 1) {
    if (at + 4 > to) return false;
    const length = bytes.readInt32BE(at);
    at += 4;
    starts[index] = at;
    lengths[index] = length;
    if (length > 0) at += length;
    else if (length < -1) return false;
  }
  return at === to;
}

const code = {
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
  openList: 0x5b,
  closeList: 0x5d,
  true: 0x74,
  false: 0x66,
  blank: 0x20,
} as const;

const literal = { null: Buffer.from('null'), true: Buffer.from('true'), false: Buffer.from('false') };

/** For a few bytes a loop takes less time than a call of `copy`. */
function copyShort(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  let next = at;
  for (let index = start; index < end; index += 1) {
    out[next] = bytes[index] ?? 0;
    next += 1;
  }
  return next;
}

const writeNothing: Write = () => notWritten;

/** Bytes that JSON escapes, and those of characters beyond ASCII. */
const escaped = 1;
const beyondAscii = 2;
const marks = new Uint8Array(256);
marks.fill(escaped, 0, 0x20);
marks[0x22] = marks[0x5c] = escaped;
marks.fill(beyondAscii, 0x80);

/** Bytes of a value that are copied one by one. */
const short = 32;

const writeString: Write = (bytes, start, end, out, at) => {
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
    // A database of the encoding SQL_ASCII may send anything.
    if (found !== beyondAscii || !isUtf8(bytes.subarray(start, end))) return notWritten;
  }
  out[next] = code.quote;
  return next + 1;
};

/** Characters of a number that is certainly written as it is: a double has 15 digits. */
const maxNumber = 15;
/** Zeros behind the point from which on a small number has an exponent. */
const maxZeros = 5;

/** Numbers without an exponent; zeros at the end of the fraction are left out. */
const writeNumber: Write = (bytes, start, end, out, at) => {
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
  // -0 is 0.
  if (isZero && last === point && first > start) return notWritten;
  return copyShort(bytes, start, last, out, at);
};

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= code.zero && byte <= code.nine;
}

const writeBoolean: Write = (bytes, start, end, out, at) => {
  if (end - start !== 1) return notWritten;
  const written =
    bytes[start] === code.true ? literal.true : bytes[start] === code.false ? literal.false : undefined;
  return written === undefined ? notWritten : copyShort(written, 0, written.length, out, at);
};

/** `2020-01-01 10:00:00` and `2020-01-01 10:00:00.123456` */
const wholeSeconds = 19;
const maxTimestamp = 26;

const writeTimestamp: Write = (bytes, start, end, out, at) => {
  const length = end - start;
  if (length < wholeSeconds || length > maxTimestamp || bytes[start + 10] !== code.blank) return notWritten;
  if (length > wholeSeconds) {
    const isTrimmed = length > wholeSeconds + 1 && bytes[end - 1] !== code.zero;
    if (bytes[start + wholeSeconds] !== code.point || !isTrimmed) return notWritten;
  }
  out[at] = code.quote;
  let next = at + 1;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[start + index];
    if (index === 10) out[next] = code.t;
    else if (
      byte !== undefined &&
      (isDigit(byte) || byte === code.minus || byte === code.colon || index === wholeSeconds)
    )
      out[next] = byte;
    else return notWritten;
    next += 1;
  }
  out[next] = code.quote;
  return next + 1;
};

/** As the session's zone is UTC, the offset is `+00`. */
const writeUtcTimestamp: Write = (bytes, start, end, out, at) => {
  const offset = end - 3;
  if (offset < start || bytes[offset] !== code.plus) return notWritten;
  if (bytes[offset + 1] !== code.zero || bytes[offset + 2] !== code.zero) return notWritten;
  const next = writeTimestamp(bytes, start, offset, out, at);
  if (next === notWritten) return notWritten;
  out[next - 1] = code.z;
  out[next] = code.quote;
  return next + 1;
};

/** By the types that are not strings in JSON, or are others there. What is not here is decoded: arrays, bytes, JSON, types of users. */
const writers = new Map<number, Write>([
  [16, writeBoolean],
  // smallint, integer, bigint, oid
  [21, writeNumber],
  [23, writeNumber],
  [20, writeNumber],
  [26, writeNumber],
  // real, double precision, numeric
  [700, writeNumber],
  [701, writeNumber],
  [1700, writeNumber],
  [1114, writeTimestamp],
  [1184, writeUtcTimestamp],
]);
