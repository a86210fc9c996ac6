/** How the column types of MySQL and MariaDB become JSON values, the same on every machine: no column is read in a local time zone. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { decimalValue, timestampValue } from '../sql/column-values.js';
import type { Decode } from '../sql/rows.js';

/** A column as the driver returns it. */
export type MysqlValue = string | number | Buffer | readonly number[] | null;

/** A column of a result, as the driver reports it. */
export interface MysqlColumn {
  readonly name: string;
  readonly columnType: number;
  readonly columnLength: number;
  readonly flags: number;
  /** The database of its table. */
  readonly schema?: string;
  /** The table that it is from; empty for an expression, and for a column that has been sorted in a temporary table. */
  readonly orgTable?: string;
  /** Its name in that table. */
  readonly orgName?: string;
  /** The number of its character set; 63 for binary data. */
  readonly characterSet?: number;
  /** The driver's name for that: `utf8`. */
  readonly encoding?: string;
  /** The number of digits of a fraction. */
  readonly decimals?: number;
  /** MariaDB's extension of the type: `json` for a column or an expression that is a document. */
  readonly extendedFormat?: string;
}

const bitType = 16;

/**
 * The decoder for the protocol's number of the column type. MariaDB sends JSON as a string, and marks it. `prepared`: the column as the
 * server described it before it ran the statement.
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

/** For a comparison or another condition: 1 is true, and 0 is false. */
export function truthDecoder(decode: Decode<MysqlValue>): Decode<MysqlValue> {
  return (value) => {
    if (value === 1 || value === '1') return true;
    return value === 0 || value === '0' ? false : decode(value);
  };
}

/** The decoder of a column in a list's order: a TINYINT(1) is shown as true, but compared as a number. */
export function orderedDecoder(
  { columnType, columnLength }: MysqlColumn,
  decode: Decode<MysqlValue>,
): Decode<MysqlValue> {
  if (columnType !== 1 || columnLength !== 1) return decode;
  return (value) =>
    typeof value === 'number' && value !== 0 && value !== 1 ? { ordered: value, shown: true } : decode(value);
}

/** A column of MySQL of the type JSON, or one that MariaDB marks as such. */
export function isDocument({ columnType, extendedFormat }: MysqlColumn): boolean {
  return columnType === 245 || extendedFormat === 'json';
}

/** A value that is not a document (the CHECK of the column was removed, a function truncated it) stays a string. */
function jsonValue(value: MysqlValue): Json {
  if (typeof value !== 'string') return plainValue(value);
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

/** Strings and numbers unchanged; bytes in base64, including geometries (the server stores their SRID in the first bytes). */
function plainValue(value: MysqlValue): Json {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Up to here every integer is a float. */
const exactFloat = 2 ** 24;

/** The minimum digits that mean the same number in single precision: 1.1 arrives as 1.100000023841858. */
export function shortestFloat(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < exactFloat) return value;
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** The flag of columns that are not read from a table, not even from a temporary one. */
const computed = 128;

/** MariaDB sends BIT as an integer of the same length if it has sorted DISTINCT rows. */
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
 * A BIT arrives as its bytes, but MariaDB sends the result of a function (MAX, IF, COALESCE) as the decimal digits of its number. Results
 * of window functions and UNION have the same metadata and are bytes: only the length distinguishes them.
 */
function bitNumber(bytes: Buffer, { columnLength, flags }: MysqlColumn, sql: string): bigint {
  const text = bytes.toString('latin1');
  const areDigits =
    (flags & computed) !== 0 &&
    /^\d+$/.test(text) &&
    (bytes.length !== Math.ceil(columnLength / 8) || !/\b(?:OVER|UNION|EXCEPT|INTERSECT)\b/i.test(sql));
  return BigInt(areDigits ? text : `0x0${bytes.toString('hex')}`);
}

/** BIT(1) is true or false; longer ones are written out, as PostgreSQL does. */
function bitText(number: bigint, length: number): Json {
  return length === 1 ? number === 1n : number.toString(2).padStart(length, '0');
}
