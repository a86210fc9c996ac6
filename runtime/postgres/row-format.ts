/** Reads PostgreSQL rows in text format. */
import type { Json } from '../handler/json.js';
import {
  code,
  copyShort,
  isDigit,
  literal,
  notWritten,
  writeDigits,
  writeNothing,
  writeString,
  type FoundValues,
  type RowFormat,
  type Write,
} from '../sql/row-format.js';
import type { Column, Decode } from '../sql/rows.js';
import { textValue } from './column-types.js';
import { writeJson } from '../sql/json-bytes.js';
import { writeJsonb } from './jsonb-bytes.js';
import { withOrdered } from './statements.js';

/** Row formats by the columns of a prepared statement, which stay the same for all its runs. */
const formats = new WeakMap<readonly Column<number>[], PostgresRows>();

/** The format of rows with these columns. */
export function rowFormat(
  columns: readonly Column<number>[],
  decoders: readonly Decode<string>[],
): PostgresRows {
  let format = formats.get(columns);
  if (format === undefined) {
    format = new PostgresRows(columns, decoders);
    formats.set(columns, format);
  }
  return format;
}

export class PostgresRows implements RowFormat {
  readonly names: readonly string[];
  readonly writers: readonly Write[];
  /** Two quotes, and two more bytes for `false`. */
  readonly growth = 4;

  constructor(
    columns: readonly Column<number>[],
    private readonly decoders: readonly Decode<string>[],
  ) {
    this.names = columns.map(({ name }) => name);
    this.writers = columns.map(({ type }, index) =>
      decoders[index] === textValue ? writeString : (writers.get(type) ?? writeNothing),
    );
  }

  find(bytes: Buffer, from: number, to: number, { starts, lengths }: FoundValues): boolean {
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

  valueOf(index: number, bytes: Buffer, start: number, end: number): Json {
    return this.decoded(index, bytes.toString('utf8', start, end));
  }

  orderedValueOf(index: number, bytes: Buffer, start: number, end: number): Json {
    return this.orderedOf(index, bytes.toString('utf8', start, end));
  }

  orderedOf(index: number, text: string | null | undefined): Json {
    const decode = this.decoders[index];
    return text === null || text === undefined || decode === undefined ? null : withOrdered(decode)(text);
  }

  /** The decoded values of a row read by the driver. */
  valuesOf(texts: readonly (string | null)[]): Json[] {
    return texts.map((text, index) => (text === null ? null : this.decoded(index, text)));
  }

  private decoded(index: number, text: string): Json {
    return this.decoders[index]?.(text) ?? null;
  }
}

/** The columns of a row as strings; undefined if the bytes are not a row. */
export function textsOf(bytes: Buffer, from: number, to: number): (string | null)[] | undefined {
  if (from + 2 > to) return undefined;
  const count = bytes.readInt16BE(from);
  const texts: (string | null)[] = [];
  let at = from + 2;
  for (let index = 0; index < count; index += 1) {
    if (at + 4 > to) return undefined;
    const length = bytes.readInt32BE(at);
    const start = at + 4;
    at = start + Math.max(0, length);
    if (length < -1 || at > to) return undefined;
    texts.push(length === -1 ? null : bytes.toString('utf8', start, at));
  }
  return at === to ? texts : undefined;
}

const writeBoolean: Write = (bytes, start, end, out, at) => {
  if (end - start !== 1) return notWritten;
  const written =
    bytes[start] === code.true ? literal.true : bytes[start] === code.false ? literal.false : undefined;
  return written === undefined ? notWritten : copyShort(written, 0, written.length, out, at);
};

/** The lengths of `2020-01-01 10:00:00` and `2020-01-01 10:00:00.123456`. */
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

/** Writes timestamps with time zone. The offset is always `+00`, because the session uses UTC. */
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

/**
 * Writers by type, for types whose JSON is not a string, or a different string. Other types must be decoded: arrays, bytes,
 * user-defined types.
 */
const writers = new Map<number, Write>([
  [16, writeBoolean],
  // smallint, integer, bigint, oid
  [21, writeDigits],
  [23, writeDigits],
  [20, writeDigits],
  [26, writeDigits],
  // real, double precision, numeric
  [700, writeDigits],
  [701, writeDigits],
  [1700, writeDigits],
  [1114, writeTimestamp],
  [1184, writeUtcTimestamp],
  [114, writeJson],
  [3802, writeJsonb],
]);
