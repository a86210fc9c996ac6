/** Reads of a loop that run for several elements at once, as parts of a UNION ALL: whether each value is that of the READ for one element. */
import type { Connection } from 'mysql2';
import type { MysqlColumn } from './column-types.js';
import type { Prepared } from './driver-internals.js';
import { mysqlRows } from './session.js';

/** Flags of values: UNSIGNED, ZEROFILL, ENUM, SET. */
const unsigned = 32;
const others = 64 | 256 | 2048;

/** The number of digits behind the point of FLOAT and DOUBLE that are declared without one. */
const anyDigits = 31;

/**
 * Whether a UNION keeps the values of such columns. Values of other types than these are stored there as sql_mode says, such as dates without
 * a day, or become others: BIT, YEAR, geometries, TINYINT(1), what has a fixed number of digits.
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

/** Whether these columns, before that of the position, are those of the statement for one element, which a UNION keeps. */
export function haveColumnsOf(one: Prepared, columns: readonly MysqlColumn[]): boolean {
  return (
    columns.length === one.columns.length + 1 &&
    one.columns.every((column, index) => isColumnOf(column, columns[index]))
  );
}

/** The server may give the column of a UNION another length and kind of TEXT. */
function isColumnOf(one: MysqlColumn, union: MysqlColumn | undefined): boolean {
  if (union === undefined || one.name !== union.name) return false;
  if ((union.flags & others) !== 0 || (one.flags & unsigned) !== (union.flags & unsigned)) return false;
  if (one.characterSet !== union.characterSet || one.extendedFormat !== union.extendedFormat) return false;
  if (isText(one.columnType)) return isText(union.columnType) && one.columnLength <= union.columnLength;
  if (one.columnType !== union.columnType) return false;
  if (isInteger(one.columnType)) return true;
  // The server reports decimals of texts, too, and others in a UNION.
  const isOfText = one.columnType === 253 || one.columnType === 254;
  return one.columnLength === union.columnLength && (isOfText || one.decimals === union.decimals);
}

/** TINYTEXT, MEDIUMTEXT, LONGTEXT and TEXT, and the same of bytes. */
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
  // The server compares names without regard to letter case, also where they may differ in nothing else.
  return [...tables.keys()].every((name) => found.has(name));
}

/** Whether nothing of the name could be anything else in a text. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name);
}
