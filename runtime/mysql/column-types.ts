/** How the column types of MySQL and MariaDB become JSON values (decisions 2). */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';
import { decimalValue, timestampValue } from '../sql/column-values.js';
import type { Decode } from '../sql/rows.js';

/** A column as the driver returns it. */
export type MysqlValue = string | number | Buffer | readonly number[] | null;

/** What the driver reports of a column. */
export interface MysqlColumn {
  readonly name: string;
  readonly columnType: number;
  readonly columnLength: number;
  /** The number of its character set; 63 for bytes that are not text. */
  readonly characterSet?: number;
  /** What MariaDB reports besides the type: `json` for a column or an expression that is a document. */
  readonly extendedFormat?: string;
}

/** By the protocol's number of the column type. MariaDB sends JSON as text, and marks it as JSON. */
export function mysqlDecoder({ columnType, columnLength, extendedFormat }: MysqlColumn): Decode<MysqlValue> {
  if (extendedFormat === 'json') return jsonValue;
  switch (columnType) {
    case 1: // TINYINT
      return columnLength === 1 ? (value) => value !== 0 : plainValue;
    case 4: // FLOAT
      return (value) => (typeof value === 'number' ? shortestFloat(value) : plainValue(value));
    case 7: // TIMESTAMP; the session is in UTC
      return (value) => `${timestampValue(String(value))}Z`;
    case 12: // DATETIME
      return (value) => timestampValue(String(value));
    case 16: // BIT
      return (value) => (Buffer.isBuffer(value) ? bitValue(value, columnLength) : plainValue(value));
    case 0: // DECIMAL, as old servers report it
    case 246: // DECIMAL
      return (value) => decimalValue(String(value));
    case 245: // JSON
      return jsonValue;
    default:
      return plainValue;
  }
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

/** Texts and numbers as they are; bytes in base64, geometries too (with their SRID before them, as the server keeps them). */
function plainValue(value: MysqlValue): Json {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** The minimum digits that mean the same number in single precision: 1.1 arrives as 1.100000023841858. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** BIT(1) is true or false; longer ones are written out, as PostgreSQL does. */
function bitValue(bytes: Buffer, length: number): Json {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = bits.padStart(length, '0').slice(-length);
  return length === 1 ? text === '1' : text;
}
