/**
 * Reads of a loop that run for several elements in one statement, as parts of a UNION ALL: checks that each value equals that of the READ
 * for one element.
 */
import type { Connection } from 'mysql2';
import type { MysqlColumn } from './column-types.js';
import type { Prepared } from './driver-internals.js';
import { mysqlRows } from './session.js';

/** Flags of values: UNSIGNED, ZEROFILL, ENUM, SET. */
const unsigned = 32;
const others = 64 | 256 | 2048;

/** The number of decimals of FLOAT and DOUBLE that are declared without one. */
const anyDigits = 31;

/**
 * Whether a UNION preserves the values of these columns. Other types are converted according to sql_mode (such as dates without a day), or
 * change (BIT, YEAR, geometries, TINYINT(1), numbers with fixed decimals).
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

/** Whether these columns, without the last one for the position, are those of the statement for one element, and a UNION preserves them. */
export function haveColumnsOf(one: Prepared, columns: readonly MysqlColumn[]): boolean {
  return (
    columns.length === one.columns.length + 1 &&
    one.columns.every((column, index) => isColumnOf(column, columns[index]))
  );
}

/** In a UNION, the server can report another length and another TEXT type. */
function isColumnOf(one: MysqlColumn, union: MysqlColumn | undefined): boolean {
  if (union === undefined || one.name !== union.name) return false;
  if ((union.flags & others) !== 0 || (one.flags & unsigned) !== (union.flags & unsigned)) return false;
  if (one.characterSet !== union.characterSet || one.extendedFormat !== union.extendedFormat) return false;
  if (isText(one.columnType)) return isText(union.columnType) && one.columnLength <= union.columnLength;
  if (one.columnType !== union.columnType) return false;
  if (isInteger(one.columnType)) return true;
  // The server also reports decimals for strings, and different ones in a UNION.
  const isOfText = one.columnType === 253 || one.columnType === 254;
  return one.columnLength === union.columnLength && (isOfText || one.decimals === union.decimals);
}

/** TINYTEXT, MEDIUMTEXT, LONGTEXT and TEXT, and the BLOB types. */
function isText(type: number): boolean {
  return type >= 249 && type <= 252;
}

/** SMALLINT, INT, BIGINT, MEDIUMINT. */
function isInteger(type: number): boolean {
  return type === 2 || type === 3 || type === 8 || type === 9;
}

/**
 * Asks the server whether all columns are of tables, and not of views: an expression may have more digits or characters than the type that a
 * UNION gives it. Throws errors of the driver.
 */
export async function areOfTables(connection: Connection, columns: readonly MysqlColumn[]): Promise<boolean> {
  const tables = new Map<string, string>();
  for (const { schema = '', orgTable = '' } of columns) {
    if (!isPlain(schema) || !isPlain(orgTable)) return false;
    // The server finds a table by its name; with OR it would look at all of them.
    const conditions = `TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA = '${schema}' AND TABLE_NAME = '${orgTable}'`;
    tables.set(
      `${schema}.${orgTable}`,
      `SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.TABLES WHERE ${conditions}`,
    );
  }
  const rows = await mysqlRows(connection, [...tables.values()].join(' UNION ALL '));
  const found = new Set(rows.map(([name]) => name));
  // The server compares names case-insensitively, even if two names differ only in letter case.
  return [...tables.keys()].every((name) => found.has(name));
}

/** Whether the name can be written in SQL without quoting. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name);
}
