/**
 * Checks for loop reads that run for several elements in one statement, as parts of a UNION ALL: each value must equal that of the READ
 * for one element.
 */
import type { Connection } from 'mysql2';
import type { MysqlColumn } from './column-types.js';
import type { Prepared } from './driver-internals.js';
import { mysqlRows } from './session.js';

/** Column flags: UNSIGNED, and ZEROFILL, ENUM and SET. */
const unsigned = 32;
const others = 64 | 256 | 2048;

/** The reported number of decimals of FLOAT and DOUBLE declared without precision. */
const anyDigits = 31;

/**
 * Whether a UNION preserves the values of these columns. Other types are converted according to sql_mode (such as dates without a day),
 * or change (BIT, YEAR, geometries, TINYINT(1), numbers with fixed decimals).
 */
export function areKept(columns: readonly MysqlColumn[]): boolean {
  return columns.every(({ columnType, flags, decimals }) => {
    if ((flags & others) !== 0) return false;
    switch (columnType) {
      case 4: // FLOAT
      case 5: // DOUBLE
        return decimals === anyDigits;
      case 2: // SMALLINT
      case 3: // INT
      case 8: // BIGINT
      case 9: // MEDIUMINT
      case 246: // DECIMAL
      case 253: // VARCHAR
      case 254: // CHAR
        return true;
      default:
        return isText(columnType);
    }
  });
}

/**
 * Whether these columns, except the last one with the position, match those of the statement for one element, and are preserved by a
 * UNION.
 */
export function haveColumnsOf(one: Prepared, columns: readonly MysqlColumn[]): boolean {
  return (
    columns.length === one.columns.length + 1 &&
    one.columns.every((column, index) => isColumnOf(column, columns[index]))
  );
}

/** Compares columns. In a UNION, the server can report a different length and a different TEXT type. */
function isColumnOf(one: MysqlColumn, union: MysqlColumn | undefined): boolean {
  if (union === undefined || one.name !== union.name) return false;
  if ((union.flags & others) !== 0 || (one.flags & unsigned) !== (union.flags & unsigned)) return false;
  if (one.characterSet !== union.characterSet || one.extendedFormat !== union.extendedFormat) return false;
  if (isText(one.columnType)) return isText(union.columnType) && one.columnLength <= union.columnLength;
  if (one.columnType !== union.columnType) return false;
  if (isInteger(one.columnType)) return true;
  // The server also reports decimals for strings, with different values in a UNION.
  const isOfText = one.columnType === 253 || one.columnType === 254;
  return one.columnLength === union.columnLength && (isOfText || one.decimals === union.decimals);
}

/** Whether the type is TINYTEXT, MEDIUMTEXT, LONGTEXT, TEXT or a BLOB type. */
function isText(type: number): boolean {
  return type >= 249 && type <= 252;
}

/** Whether the type is SMALLINT, INT, BIGINT or MEDIUMINT. */
function isInteger(type: number): boolean {
  return type === 2 || type === 3 || type === 8 || type === 9;
}

/**
 * Queries whether all columns belong to tables instead of views: an expression in a view may have more digits or characters than the
 * type that a UNION gives it. Throws the errors of the driver.
 */
export async function areOfTables(connection: Connection, columns: readonly MysqlColumn[]): Promise<boolean> {
  const tables = new Map<string, string>();
  for (const { schema = '', orgTable = '' } of columns) {
    if (!isPlain(schema) || !isPlain(orgTable)) return false;
    // One query for each table, because the server finds a table by its name but would scan all tables for a condition with OR.
    const conditions = `TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA = '${schema}' AND TABLE_NAME = '${orgTable}'`;
    tables.set(
      `${schema}.${orgTable}`,
      `SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE ${conditions}`,
    );
  }
  const rows = await mysqlRows(connection, [...tables.values()].join(' UNION ALL '));
  const found = new Set(rows.map(([name]) => name));
  // The server compares names case-insensitively, although names can differ only in letter case.
  return [...tables.keys()].every((name) => found.has(name));
}

/** Whether the name can be written in SQL without escaping. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name);
}
