/** Reads MySQL and MariaDB rows from the binary protocol of prepared statements. */
import type { Json } from '../handler/json.js';
import {
  code,
  copyShort,
  literal,
  notWritten,
  writeDigits,
  writeNothing,
  writeString,
  type FoundValues,
  type RowFormat,
  type Write,
} from '../sql/row-format.js';
import type { RowSink } from '../sql/driver.js';
import { writeJson } from '../sql/json-bytes.js';
import type { Decode } from '../sql/rows.js';
import {
  isDocument,
  isSortedBit,
  orderedDecoder,
  shortestFloat,
  type MysqlColumn,
  type MysqlValue,
} from './column-types.js';
import { packetHeader, type Packet, type RowParser } from './driver-internals.js';

export class MysqlRows implements RowFormat {
  readonly writers: readonly Write[];
  /** A timestamp takes 11 bytes, and 29 characters in JSON. */
  readonly growth = 24;
  private readonly sizes: Int8Array;
  /** The offset of the first value, after one byte and the NULL bitmap. */
  private readonly head: number;
  /** The current row. */
  private packet: Packet | undefined;
  private options: unknown;
  /** The values of the current row, if some had to be decoded. */
  private read: readonly (MysqlValue | null)[] | undefined;

  /** `prepared`: the columns as described by the server before it ran the statement. */
  constructor(
    readonly names: readonly string[],
    private readonly columns: readonly MysqlColumn[],
    prepared: readonly MysqlColumn[],
    private readonly decoders: readonly Decode<MysqlValue>[],
    private readonly parser: RowParser,
    /** Columns in which 1 means true and 0 means false. */
    isTruth: readonly boolean[] = [],
  ) {
    this.writers = columns.map((column, index) =>
      isTruth[index] === true ? writerOfTruth(column) : writerOf(column, prepared[index]),
    );
    this.sizes = Int8Array.from(columns, sizeOf);
    this.head = 1 + Math.floor((columns.length + 9) / 8);
  }

  find(bytes: Buffer, from: number, to: number, { starts, lengths }: FoundValues): boolean {
    const { sizes, head } = this;
    let at = from + head;
    for (let index = 0; index < sizes.length; index += 1) {
      const bit = index + 2;
      if (((bytes[from + 1 + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0) {
        lengths[index] = -1;
        continue;
      }
      let size = sizes[index] ?? unknownSize;
      if (size <= 0) {
        const first = bytes[at] ?? noLength;
        at += 1;
        if (size === unknownSize) return false;
        if (first < noLength) size = first;
        else if (size === byteSize) return false;
        else {
          // An integer of 2, 3 or 8 bytes; the upper half of an 8-byte length is always 0.
          if (first === 0xfc) {
            size = (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 0x100;
            at += 2;
          } else if (first === 0xfd) {
            size = (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 0x100 + (bytes[at + 2] ?? 0) * 0x10000;
            at += 3;
          } else if (first === 0xfe && at + 8 <= to && bytes.readUInt32LE(at + 4) === 0) {
            size = bytes.readUInt32LE(at);
            at += 8;
          } else return false;
        }
      }
      starts[index] = at;
      lengths[index] = size;
      at += size;
      if (at > to) return false;
    }
    return at === to;
  }

  valueOf(index: number): Json {
    const value = this.values[index] ?? null;
    return value === null ? null : (this.decoders[index]?.(value) ?? null);
  }

  orderedValueOf(index: number): Json {
    const [value = null, column, decode] = [this.values[index], this.columns[index], this.decoders[index]];
    if (value === null || column === undefined || decode === undefined) return null;
    return orderedDecoder(column, decode)(value);
  }

  /** Passes the row to the sink. Throws the errors of decoders. */
  pass(packet: Packet, options: unknown, sink: RowSink): void {
    this.packet = packet;
    this.options = options;
    try {
      if (sink.take(packet.buffer, packet.start + packetHeader, packet.end)) return;
      const values = this.names.map((_, index) => this.valueOf(index));
      sink.takeValues(values, (index) => this.orderedValueOf(index));
    } finally {
      // Released, because the format outlives the row, which can take megabytes.
      this.packet = this.read = undefined;
    }
  }

  /** The values of the current row, as the driver reads them. */
  private get values(): readonly (MysqlValue | null)[] {
    if (this.packet === undefined) throw new Error('no row is arriving');
    this.read ??= this.parser.next(this.packet, this.columns, this.options);
    return this.read;
  }
}

/** The smallest first byte that is not itself a length. */
const noLength = 0xfb;

/** The length precedes the value: as a length-encoded integer, or in one byte. */
const ownSize = 0;
const byteSize = -1;
/** The size is unknown; such types do not occur in rows. */
const unknownSize = -2;

/** The size of a value in bytes, or one of the constants above. */
function sizeOf({ columnType }: MysqlColumn): number {
  switch (columnType) {
    case 1: // TINYINT
      return 1;
    case 2: // SMALLINT
    case 13: // YEAR
      return 2;
    case 3: // INT
    case 4: // FLOAT
    case 9: // MEDIUMINT
      return 4;
    case 5: // DOUBLE
    case 8: // BIGINT
      return 8;
    case 6: // NULL
      return unknownSize;
    case 7: // TIMESTAMP
    case 10: // DATE
    case 11: // TIME
    case 12: // DATETIME
    case 14: // DATE
      return byteSize;
    default:
      return ownSize;
  }
}

/** The character set of binary data. */
const binary = 63;

/** The flag of unsigned numbers. */
const unsigned = 32;

/** The writer of a column. Other types must be decoded: bits, bytes, JSON on MySQL, geometries, strings that are not UTF-8. */
function writerOf(column: MysqlColumn, prepared: MysqlColumn | undefined): Write {
  const { columnType, columnLength, flags, decimals = 0 } = column;
  if (isSortedBit(column, prepared)) return writeNothing;
  const isText = column.encoding === 'utf8' && column.characterSet !== binary;
  if (isDocument(column)) return isText ? writeJson : writeNothing;
  const isUnsigned = (flags & unsigned) !== 0;
  switch (columnType) {
    case 0: // DECIMAL
    case 246:
      return writeDigits;
    case 1: // TINYINT
      if (columnLength === 1) return writeBoolean;
      return integer(isUnsigned ? (bytes, at) => bytes.readUInt8(at) : (bytes, at) => bytes.readInt8(at));
    case 2: // SMALLINT
      return integer(
        isUnsigned ? (bytes, at) => bytes.readUInt16LE(at) : (bytes, at) => bytes.readInt16LE(at),
      );
    case 3: // INT
    case 9: // MEDIUMINT
      return integer(
        isUnsigned ? (bytes, at) => bytes.readUInt32LE(at) : (bytes, at) => bytes.readInt32LE(at),
      );
    case 4: // FLOAT
      return (bytes, start, _, out, at) => writeNumber(shortestFloat(bytes.readFloatLE(start)), out, at);
    case 5: // DOUBLE
      return (bytes, start, _, out, at) => writeNumber(bytes.readDoubleLE(start), out, at);
    case 7: // TIMESTAMP; the session is in UTC
      return (bytes, start, end, out, at) => {
        const next = writeTimestamp(bytes, start, end, out, at, decimals);
        if (next === notWritten) return notWritten;
        out[next - 1] = code.z;
        out[next] = code.quote;
        return next + 1;
      };
    case 8: // BIGINT
      return (bytes, start, _, out, at) => {
        const upper = isUnsigned ? bytes.readUInt32LE(start + 4) : bytes.readInt32LE(start + 4);
        const number = upper * 0x1_0000_0000 + bytes.readUInt32LE(start);
        return Number.isSafeInteger(number) ? writeInteger(number, out, at) : notWritten;
      };
    case 10: // DATE
      return writeDate;
    case 12: // DATETIME
      return (bytes, start, end, out, at) => writeTimestamp(bytes, start, end, out, at, decimals);
    case 13: // YEAR
      return integer((bytes, at) => bytes.readUInt16LE(at));
    case 15: // VARCHAR
    case 247: // ENUM
    case 248: // SET
    case 249: // TINYTEXT
    case 250: // MEDIUMTEXT
    case 251: // LONGTEXT
    case 252: // TEXT
    case 253: // VARCHAR
    case 254: // CHAR
      return isText ? writeString : writeNothing;
    default:
      return writeNothing;
  }
}

const writeBoolean: Write = (bytes, start, _, out, at) => {
  const written = bytes[start] === 0 ? literal.false : literal.true;
  return copyShort(written, 0, written.length, out, at);
};

/** Writes integers as booleans; other types must be decoded. */
function writerOfTruth(column: MysqlColumn): Write {
  return sizeOf(column) > 0 && column.columnType !== 4 && column.columnType !== 5 ? writeTruth : writeNothing;
}

const writeTruth: Write = (bytes, start, end, out, at) => {
  const first = bytes[start] ?? notTruth;
  if (first >= notTruth) return notWritten;
  for (let index = start + 1; index < end; index += 1) if (bytes[index] !== 0) return notWritten;
  const written = first === 0 ? literal.false : literal.true;
  return copyShort(written, 0, written.length, out, at);
};

/** The smallest number that is neither true nor false. */
const notTruth = 2;

function integer(read: (bytes: Buffer, at: number) => number): Write {
  return (bytes, start, _, out, at) => writeInteger(read(bytes, start), out, at);
}

/** Writes an integer in the safe range of JavaScript. */
function writeInteger(number: number, out: Buffer, at: number): number {
  let start = at;
  let rest = number;
  if (number < 0) {
    out[start] = code.minus;
    start += 1;
    rest = -number;
  }
  let end = start + 1;
  for (let limit = 10; limit <= rest; limit *= 10) end += 1;
  for (let index = end - 1; index >= start; index -= 1) {
    const others = Math.floor(rest / 10);
    out[index] = code.zero + (rest - others * 10);
    rest = others;
  }
  return end;
}

function writeNumber(number: number, out: Buffer, at: number): number {
  if (Number.isSafeInteger(number)) return writeInteger(number, out, at);
  if (!Number.isFinite(number)) return notWritten;
  const shifted = number * decimalShift;
  if (Math.abs(shifted) < maxExact && Number.isInteger(shifted) && shifted / decimalShift === number)
    return writeDecimal(shifted, out, at);
  const text = String(number);
  for (let index = 0; index < text.length; index += 1) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** Numbers with at most 15 digits, and at most four after the point, are written as scaled integers, without an intermediate string. */
const decimalShift = 10_000;
const maxExact = 1e15;

function writeDecimal(shifted: number, out: Buffer, at: number): number {
  let digits = 4;
  let rest = Math.abs(shifted);
  for (; rest % 10 === 0; rest /= 10) digits -= 1;
  const scale = 10 ** digits;
  const whole = Math.floor(rest / scale);
  if (shifted < 0) out[at] = code.minus;
  const point = writeInteger(whole, out, shifted < 0 ? at + 1 : at);
  out[point] = code.point;
  return writePadded(rest - whole * scale, digits, out, point + 1);
}

/** Writes `"2020-01-01"`. */
const writeDate: Write = (bytes, start, end, out, at) => {
  const length = end - start;
  if (length !== 0 && length !== 4) return notWritten;
  const next = writeDay(bytes, start, length, out, at);
  if (next === notWritten) return notWritten;
  out[next] = code.quote;
  return next + 1;
};

/** Writes `"2020-01-01T10:00:00.123"`; `decimals` is the number of fractional digits of the column. */
function writeTimestamp(
  bytes: Buffer,
  start: number,
  end: number,
  out: Buffer,
  at: number,
  decimals: number,
): number {
  const length = end - start;
  if (length !== 0 && length !== 4 && length !== 7 && length !== 11) return notWritten;
  let next = writeDay(bytes, start, length, out, at);
  if (next === notWritten) return notWritten;
  for (let index = 0; index < 3; index += 1) {
    const part = length > 4 ? (bytes[start + 4 + index] ?? 0) : 0;
    if (part > 99) return notWritten;
    out[next] = index === 0 ? code.t : code.colon;
    next = writePadded(part, 2, out, next + 1);
  }
  if (length === 11) {
    next = writeFraction(bytes.readUInt32LE(start + 7), decimals, out, next);
    if (next === notWritten) return notWritten;
  }
  out[next] = code.quote;
  return next + 1;
}

/** Writes `"2020-01-01`, or `"0000-00-00` if there are no bytes. */
function writeDay(bytes: Buffer, start: number, length: number, out: Buffer, at: number): number {
  const year = length === 0 ? 0 : bytes.readUInt16LE(start);
  const month = length === 0 ? 0 : (bytes[start + 2] ?? 0);
  const day = length === 0 ? 0 : (bytes[start + 3] ?? 0);
  if (year > 9999 || month > 99 || day > 99) return notWritten;
  out[at] = code.quote;
  const behindYear = writePadded(year, 4, out, at + 1);
  out[behindYear] = code.minus;
  const behindMonth = writePadded(month, 2, out, behindYear + 1);
  out[behindMonth] = code.minus;
  return writePadded(day, 2, out, behindMonth + 1);
}

/** Writes `.123`, without trailing zeros. */
function writeFraction(microseconds: number, decimals: number, out: Buffer, at: number): number {
  if (microseconds === 0 || microseconds > 999_999) return notWritten;
  let digits = 6;
  let rest = microseconds;
  for (; rest % 10 === 0; rest /= 10) digits -= 1;
  if (digits > decimals) return notWritten;
  out[at] = code.point;
  return writePadded(rest, digits, out, at + 1);
}

function writePadded(number: number, digits: number, out: Buffer, at: number): number {
  let rest = number;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    const others = Math.floor(rest / 10);
    out[index] = code.zero + (rest - others * 10);
    rest = others;
  }
  return at + digits;
}
