/** Converts MySQL and MariaDB column types to JSON values. Local time zones are never used, so results are the same on every machine. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { decimalValue, timestampValue } from '../sql/column-values.js';
import type { Decode } from '../sql/rows.js';

/** A column value, as the driver returns it. */
export type MysqlValue = string | number | Buffer | readonly number[] | null;

/** A result column, as the driver reports it. */
export interface MysqlColumn {
  readonly name: string;
  readonly columnType: number;
  readonly columnLength: number;
  readonly flags: number;
  /** The database of the table. */
  readonly schema?: string;
  /** The table of the column; empty for expressions, and for columns sorted in a temporary table. */
  readonly orgTable?: string;
  /** The column name in that table. */
  readonly orgName?: string;
  /** The character set number; 63 for binary data. */
  readonly characterSet?: number;
  /** The driver's name for the character set: `utf8`. */
  readonly encoding?: string;
  /** The number of fractional digits. */
  readonly decimals?: number;
  /** MariaDB's extended type information: `json` for columns and expressions that are JSON documents. */
  readonly extendedFormat?: string;
}

const bitType = 16;

/**
 * The decoder for a column type, by its protocol number. MariaDB sends JSON as a marked string. `prepared` is the column as described
 * by the server before it ran the statement.
 */
export function mysqlDecoder(
  column: MysqlColumn,
  prepared: MysqlColumn | undefined,
  sql: string,
): Decode<MysqlValue> {
  const { columnType, columnLength } = column;
  if (isDocument(column)) return jsonValue;
  if (isSortedBit(column, prepared)) return (value) => bitText(BigInt(String(value)), columnLength);
  switch (columnType) {
    case 1: // TINYINT
      return columnLength === 1 ? (value) => value !== 0 : plainValue;
    case 4: // FLOAT
      return (value) => (typeof value === 'number' ? shortestFloat(value) : plainValue(value));
    case 7: // TIMESTAMP; the session is in UTC
      return (value) => `${timestampValue(String(value))}Z`;
    case 12: // DATETIME
      return (value) => timestampValue(String(value));
    case bitType:
      return (value) =>
        Buffer.isBuffer(value) ? bitText(bitNumber(value, column, sql), columnLength) : plainValue(value);
    case 0: // DECIMAL, as old servers report it
    case 246: // DECIMAL
      return (value) => decimalValue(String(value));
    default:
      return plainValue;
  }
}

/** Decodes comparisons and other conditions: 1 becomes true, 0 becomes false. */
export function truthDecoder(decode: Decode<MysqlValue>): Decode<MysqlValue> {
  return (value) => {
    if (value === 1 || value === '1') return true;
    return value === 0 || value === '0' ? false : decode(value);
  };
}

/** The decoder for a column that a list is ordered by: a TINYINT(1) is shown as true, but compared as a number. */
export function orderedDecoder(
  { columnType, columnLength }: MysqlColumn,
  decode: Decode<MysqlValue>,
): Decode<MysqlValue> {
  if (columnType !== 1 || columnLength !== 1) return decode;
  return (value) =>
    typeof value === 'number' && value !== 0 && value !== 1 ? { ordered: value, shown: true } : decode(value);
}

/** Whether the column contains JSON documents: the JSON type of MySQL, or a column that MariaDB marks as JSON. */
export function isDocument({ columnType, extendedFormat }: MysqlColumn): boolean {
  return columnType === 245 || extendedFormat === 'json';
}

/**
 * Parses a JSON document. An invalid document stays a string, for example if the CHECK of the column was removed or a function
 * truncated the value.
 */
function jsonValue(value: MysqlValue): Json {
  if (typeof value !== 'string') return plainValue(value);
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

/** Returns strings and numbers unchanged, and bytes in base64, including geometries (whose SRID the server stores in the first bytes). */
function plainValue(value: MysqlValue): Json {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Below this limit, every integer is exact in single precision. */
const exactFloat = 2 ** 24;

/** The shortest number with the same value in single precision: 1.1 arrives as 1.100000023841858. */
export function shortestFloat(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < exactFloat) return value;
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** The flag of columns that are not read from a table, not even from a temporary table. */
const computed = 128;

/** Whether the column is a BIT that MariaDB sends as an integer of the same length, as it does after sorting DISTINCT rows. */
export function isSortedBit(
  { columnType, columnLength, orgTable }: MysqlColumn,
  prepared: MysqlColumn | undefined,
): boolean {
  return (
    prepared?.columnType === bitType &&
    prepared.columnLength === columnLength &&
    (columnType === 3 || columnType === 8) &&
    orgTable === ''
  );
}

/**
 * The number of a BIT value. BIT arrives as bytes, but MariaDB sends results of functions (MAX, IF, COALESCE) as decimal digits.
 * Results of window functions and UNION have the same metadata but are bytes; they can only be distinguished by length.
 */
function bitNumber(bytes: Buffer, { columnLength, flags }: MysqlColumn, sql: string): bigint {
  const text = bytes.toString('latin1');
  const areDigits =
    (flags & computed) !== 0 &&
    /^\d+$/.test(text) &&
    (bytes.length !== Math.ceil(columnLength / 8) || !/\b(?:OVER|UNION|EXCEPT|INTERSECT)\b/i.test(sql));
  return BigInt(areDigits ? text : `0x0${bytes.toString('hex')}`);
}

/** BIT(1) is a boolean; longer values are bit strings, as on PostgreSQL. */
function bitText(number: bigint, length: number): Json {
  return length === 1 ? number === 1n : number.toString(2).padStart(length, '0');
}
