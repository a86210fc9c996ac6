/** SQL for rows before and after a test, in the database's dialect. */
import type { Json } from '../../../runtime/handler/json.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { quotedName } from '../../read/sql/quoted-name.js';
import { jsonOfNode, type SavedValues } from './actual-values.js';
import type { TableRows } from './read/test-model.js';

export interface TestStatement {
  readonly sql: string;
  readonly values: readonly Json[];
}

/** One INSERT per row. On PostgreSQL, also statements that advance sequences past the inserted values. */
export function insertStatements(
  { table, rows }: TableRows,
  dialect: Dialect,
  kept: SavedValues,
): TestStatement[] {
  const name = quotedTable(table.value, dialect);
  const inserts = rows.map((row): TestStatement => {
    const columns = row.entries.map(({ key }) => quotedName(key.text.value, dialect));
    const values = row.entries.map(({ value }) => jsonOfNode(value, kept) as Json);
    const markers = values.map((_, index) => (dialect === 'postgresql' ? `$${index + 1}` : '?'));
    if (columns.length === 0)
      return {
        sql:
          dialect === 'postgresql'
            ? `INSERT INTO ${name} DEFAULT VALUES`
            : `INSERT INTO ${name} () VALUES ()`,
        values,
      };
    const overriding = dialect === 'postgresql' ? ' OVERRIDING SYSTEM VALUE' : '';
    return {
      sql: `INSERT INTO ${name} (${columns.join(', ')})${overriding} VALUES (${markers.join(', ')})`,
      values,
    };
  });
  if (dialect !== 'postgresql') return inserts;
  const numbered = new Set(
    rows.flatMap(({ entries }) =>
      entries.flatMap(({ key, value }) =>
        value.kind === 'scalar' && Number.isInteger(value.value) ? [key.text.value] : [],
      ),
    ),
  );
  return [
    ...inserts,
    ...[...numbered].map((column) => {
      const sequence = `pg_get_serial_sequence(${text(name)}, ${text(column)})`;
      return {
        sql: `SELECT setval(${sequence}, (SELECT max(${quotedName(column, dialect)})::text::bigint FROM ${name})) WHERE ${sequence} IS NOT NULL`,
        values: [],
      };
    }),
  ];
}

/** The statement that reads the rows of a table, selecting the expected columns. */
export function selectStatement({ table, rows, isQuery }: TableRows, dialect: Dialect): TestStatement {
  if (isQuery) return { sql: table.value.replace(/;\s*$/, ''), values: [] };
  const columns = [
    ...new Set(rows.flatMap(({ entries }) => entries.map(({ key }) => quotedName(key.text.value, dialect)))),
  ];
  return {
    sql: `SELECT ${columns.length === 0 ? '*' : columns.join(', ')} FROM ${quotedTable(table.value, dialect)}`,
    values: [],
  };
}

function quotedTable(name: string, dialect: Dialect): string {
  return name
    .split('.')
    .map((part) => quotedName(part, dialect))
    .join('.');
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
