/** The parts of the operations for a table of a database: steps, conditions and parameters of its key. */
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

/** An operation of the configuration, and how the API description has it. */
export interface WrittenOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
  readonly description: Json;
  /** For the person who completes it. */
  readonly comment?: string;
}

/** The context of the operations for tables. */
export interface TableContext {
  readonly database: DatabaseTables;
  readonly words: Words;
  /** The name of the datasource. */
  readonly datasource: string;
}

/** The table as people call it. */
export function titleOf({ schema, name }: Table): string {
  return schema === '' ? name : `${schema}.${name}`;
}

/** The columns of the primary key, and the parameters of the path that are them. */
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

/** The exception for a row that does not exist. */
export function missingRow(table: Table, words: Words, condition: Written<'expression'>): Json {
  const message = template`There is no such ${words.asText(oneOf(table.name))}`;
  return { exceptions: [{ if: condition, statuscode: 404, message }] };
}

/** The condition for the row that the path names. */
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
