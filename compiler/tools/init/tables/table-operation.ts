/** Parts of the operations for a table of a database: steps, conditions and key parameters. */
import { sql } from '../../../notation/sql-writer.js';
import { template } from '../../../notation/template-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { DatabaseTables, Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { identifier, unique } from './row-names.js';
import { equal, keyOf, readable, selected } from './table-columns.js';
import { parameterSchema } from './table-schemas.js';
import { oneOf } from '../one-of.js';
import type { Words } from '../words.js';

type Json = Readonly<Record<string, unknown>>;

/** An operation of the configuration, with its API description. */
export interface WrittenOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
  readonly description: Json;
  /** A comment for the user who completes the operation. */
  readonly comment?: string;
}

/** The context for operations on tables. */
export interface TableContext {
  readonly database: DatabaseTables;
  readonly words: Words;
  /** Name of the datasource. */
  readonly datasource: string;
}

/** The table name as shown to people. */
export function titleOf({ schema, name }: Table): string {
  return schema === '' ? name : `${schema}.${name}`;
}

/** Columns of the primary key with their path parameters. */
export function keyParameters(table: Table): { readonly column: TableColumn; readonly param: string }[] {
  const params: string[] = [];
  return keyOf(table).map((column) => {
    const param = unique(identifier(column.name), params);
    params.push(param);
    return { column, param };
  });
}

export function stepFor(
  { words, datasource }: TableContext,
  name: string,
  type: 'READ' | 'UPDATE',
  query: Written<'sql'>,
  more: Json = {},
): Json {
  const { if: condition, ...others } = more;
  return {
    name,
    type,
    datasource,
    ...(condition === undefined ? {} : { if: condition }),
    [words.instructions]: [{ query }],
    ...others,
  };
}

/** The exception for a missing row. */
export function missingRow(table: Table, words: Words, condition: Written<'expression'>): Json {
  const message = template`There is no such ${words.asText(oneOf(table.name))}`;
  return { exceptions: [{ if: condition, statuscode: 404, message }] };
}

/** The condition for the row named by the path. */
export function keyCondition(table: Table, words: Words): Written<'sql'> {
  return joined(
    keyParameters(table).map(({ column, param }) => equal(column, words.inSql(words.param(param)))),
    ' AND ',
  );
}

export function selectRow(table: Table, words: Words): Written<'sql'> {
  return sql`SELECT ${selected(readable(table))}\nFROM ${table.quoted}\nWHERE ${keyCondition(table, words)}\n`;
}

/** The key as parameters of the API description. */
export function pathParameters(table: Table): Json[] {
  return keyParameters(table).map(({ column, param }) => ({
    ...{ name: param, in: 'path', required: true },
    schema: parameterSchema(column),
  }));
}
