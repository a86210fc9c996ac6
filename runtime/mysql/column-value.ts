/** Binds values for columns, so that a value read from a column can be written back. */
import type { Json } from '../handler/json.js';
import { JsonDepthError, parseJson } from '../handler/parse-json.js';
import mysql2 from 'mysql2';
import { base64Bytes, plainDigits } from '../sql/column-values.js';
import { timestamp } from './timestamp.js';
import {
  jsonParameter,
  mysqlParameter,
  numberParameter,
  UnfitValueError,
  type MysqlParameter,
} from './parameter.js';
import type { MysqlColumn } from './column-types.js';
import { DatabaseFailure } from '../sql/failure.js';
import { BoundBytes, BoundNumber, type SqlValue } from '../sql/sql-template.js';

/** Not a named import, because Node does not detect this export. */
const { TypedParameter } = mysql2;

/** Binds a value for a column. With `isJsonText`, a string that parses as JSON is a document. */
export type ColumnBinder = (value: NotNull, isJsonText: boolean) => MysqlParameter;

type NotNull = Exclude<Json, null>;

/**
 * The parameter for a value that is passed to a column. Without a `binder`, the server converts the value. Throws an UnfitValueError,
 * or a DatabaseFailure for bytes in a string.
 */
export function columnParameter(
  binder: ColumnBinder | undefined,
  value: SqlValue,
  isJsonText: boolean,
): MysqlParameter {
  if (binder === undefined || value === null) return mysqlParameter(value);
  if (value instanceof BoundNumber)
    return binder === floatParameter && Number.isFinite(Number(value.digits))
      ? singlePrecision(Number(value.digits))
      : mysqlParameter(value);
  if (!(value instanceof BoundBytes)) return binder(value, isJsonText);
  if (binder === bytesParameter) return value.toBuffer();
  throw new DatabaseFailure({
    kind: 'unexpected',
    reason: 'a file is passed to a column that is not binary',
  });
}

/** The character set of binary data. */
const binary = 63;

/** The binder for writing to the column; undefined if the column accepts every string that it returns. */
export function columnBinder(column: MysqlColumn): ColumnBinder | undefined {
  const { columnType, columnLength, characterSet, extendedFormat } = column;
  if (extendedFormat === 'json' || columnType === 245) return documentParameter;
  switch (columnType) {
    case 1: // TINYINT
      return columnLength === 1 ? booleanParameter : undefined;
    case 7: // TIMESTAMP
    case 12: // DATETIME
      return (value) => mysqlParameter(timestamp(value));
    case 13: // // YEAR, where the string 0 means 2000
      return (value) => (value === 0 || value === '0' ? '0000' : mysqlParameter(value));
    case 16: // BIT
      return columnLength === 1 ? bitParameter : bitsParameter(columnLength);
    case 249: // TINYBLOB
    case 250: // MEDIUMBLOB
    case 251: // LONGBLOB
    case 252: // // BLOB, and TEXT with a text character set
    case 253: // VARBINARY, VARCHAR
    case 254: // BINARY, CHAR
      return characterSet === binary ? bytesParameter : undefined;
    case 255: // GEOMETRY
      return bytesParameter;
    default:
      return undefined;
  }
}

/** The flags of ENUM and SET. */
const wordFlags = 256 | 2048;

/**
 * The binder for comparisons with the column, in the form that the server compares; undefined if that is a string. A value that the
 * column never returns, such as a number for a BIT column, is bound as if there were no column.
 */
export function comparedBinder(column: MysqlColumn): ColumnBinder | undefined {
  const { columnType, columnLength } = column;
  switch (columnType) {
    case 245: // // JSON on MySQL, which compares a string with a JSON string
      return undefined;
    case 1: // // TINYINT; the column length differs in a subquery
      return booleanParameter;
    case 4: // FLOAT
      return floatParameter;
    case 0: // DECIMAL
    case 8: // // BIGINT, which is compared as DOUBLE in a row comparison with a string
    case 246: // DECIMAL
      return digitsParameter;
    case 10: // DATE
      return (value) => mysqlParameter(timestamp(value));
    case 16: // BIT
      return (value) => {
        const isWritten =
          typeof value !== 'number' && (columnLength === 1 ? bits.has(value) : isBits(value, columnLength));
        return isWritten ? columnParameter(columnBinder(column), value, false) : mysqlParameter(value);
      };
    default:
      return columnBinder(column);
  }
}

/**
 * The binder for values that can replace the value of the column (`COALESCE(a, ?)`). Values for numeric columns are numbers: otherwise
 * the result would be a string, and strings sort 9 after 10.
 */
export function alternativeBinder(column: MysqlColumn): ColumnBinder | undefined {
  switch (column.columnType) {
    case 2: // SMALLINT
    case 3: // INT
    case 9: // MEDIUMINT
      return digitsParameter;
    case 1: // TINYINT
      return (value) =>
        value === 'true' || value === 'false' ? booleanParameter(value) : digitsParameter(value);
    case 5: // DOUBLE
      return (value) => {
        const number = isWrittenNumber(value) ? Number(value) : Number.NaN;
        return Number.isFinite(number) ? TypedParameter.DOUBLE(number) : mysqlParameter(value);
      };
    default:
      return comparedBinder(column);
  }
}

/**
 * The binder for values of the last row of a page, which select the next rows. Numbers stay numbers, because the server would compare
 * strings as doubles. Throws a DatabaseFailure for a column whose sort order differs from its comparisons.
 */
export function positionBinder(column: MysqlColumn): ColumnBinder | undefined {
  const { columnType, flags, extendedFormat } = column;
  const isDocument = extendedFormat === 'json' || columnType === 245 || columnType === 255;
  if (isDocument || (flags & wordFlags) !== 0)
    throw new DatabaseFailure({ kind: 'unexpected', reason: 'a list is ordered by ENUM, SET or JSON' });
  switch (columnType) {
    case 4: // FLOAT
      return (value) => TypedParameter.DOUBLE(Math.fround(finite(value)));
    case 5: // DOUBLE
      return (value) => TypedParameter.DOUBLE(finite(value));
    case 0: // DECIMAL
    case 1: // TINYINT
    case 2: // SMALLINT
    case 3: // INT
    case 8: // BIGINT
    case 9: // MEDIUMINT
    case 13: // // YEAR, where the string 0 means 2000
    case 246: // DECIMAL
      return (value) => numberParameter(digitsOf(value));
    default:
      return columnBinder(column);
  }
}

function finite(value: NotNull): number {
  const number = typeof value === 'number' ? value : Number.NaN;
  if (!Number.isFinite(number)) throw new UnfitValueError('a number');
  return number;
}

const written = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function isWrittenNumber(value: NotNull): boolean {
  return typeof value === 'number' || (typeof value === 'string' && written.test(value));
}

function floatParameter(value: NotNull): MysqlParameter {
  const number = isWrittenNumber(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? singlePrecision(number) : mysqlParameter(value);
}

/**
 * A FLOAT parameter if possible. Otherwise, a FLOAT column would be compared and returned in double precision, where 1.1 is a different
 * number.
 */
function singlePrecision(number: number): MysqlParameter {
  return Number.isFinite(Math.fround(number)) ? TypedParameter.FLOAT(number) : TypedParameter.DOUBLE(number);
}

function digitsParameter(value: NotNull): MysqlParameter {
  const digits = digitsOf(value);
  return digits === undefined ? mysqlParameter(value) : numberParameter(digits);
}

function digitsOf(value: NotNull): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return plainDigits(value);
  return typeof value === 'string' && /^-?\d{1,65}(?:\.\d{1,38})?$/.test(value) ? value : undefined;
}

function documentParameter(value: NotNull, isJsonText: boolean): string {
  if (typeof value !== 'string' || !isJsonText) return jsonParameter(value);
  try {
    parseJson(value);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError && !(error instanceof JsonDepthError)) return jsonParameter(value);
    throw new UnfitValueError('JSON that is nested less deeply');
  }
}

/** Converts booleans, including the strings `true` and `false` of an undeclared parameter. Numbers other than 0 and 1 are also valid. */
function booleanParameter(value: NotNull): MysqlParameter {
  if (value === 'true') return '1';
  return value === 'false' ? '0' : mysqlParameter(value);
}

function bitParameter(value: NotNull): MysqlParameter {
  const bit = bits.get(value);
  if (bit === undefined) throw new UnfitValueError('true or false');
  return numberParameter(bit);
}

const bits: ReadonlyMap<unknown, string> = new Map<unknown, string>(
  ['0', '1'].flatMap((bit) =>
    [bit, Number(bit), bit === '1', String(bit === '1')].map((value) => [value, bit] as const),
  ),
);

function bitsParameter(length: number): ColumnBinder {
  return (value) => {
    if (!isBits(value, length)) throw new UnfitValueError(`a string of ${length} zeros and ones`);
    return numberParameter(String(BigInt(`0b${value}`)));
  };
}

function isBits(value: NotNull, length: number): value is string {
  return typeof value === 'string' && value.length <= length && /^[01]+$/.test(value);
}

function bytesParameter(value: NotNull): Buffer {
  const bytes = typeof value === 'string' ? base64Bytes(value) : undefined;
  if (bytes === undefined) throw new UnfitValueError('base64');
  return bytes;
}
