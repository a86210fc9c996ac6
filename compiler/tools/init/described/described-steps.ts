/** Parts of the operations for a table: steps, conditions, columns and responses. */
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { defaultOf, madeText } from './described-column.js';
import { sql } from '../../../notation/sql-writer.js';
import { template } from '../../../notation/template-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import { isNullable, objectShape, onlyType, successOf, type ObjectShape } from './described-shape.js';
import {
  columnFor,
  type DescribedColumn,
  type DescribedTable,
  type EndpointWithTable,
} from './described-table.js';
import { oneOf } from '../one-of.js';
import { onlyResponse } from '../operation-entry.js';
import type { Words } from '../words.js';
import { writtenName } from '../../../read/sql/quoted-name.js';

type Json = Readonly<Record<string, unknown>>;

export interface DescribedOperation {
  /** The operation as written in a configuration. */
  readonly operation: Json;
  /** Comment lines above the operation, for the user who completes it. */
  readonly comments: readonly string[];
  readonly isPlaceholder: boolean;
  /** How the operation accesses its table. */
  readonly kind: 'list' | 'read' | 'insert' | 'update' | 'delete' | 'placeholder';
}

export interface OperationStyle {
  readonly words: Words;
  readonly dialect: Dialect;
  /** Name of the datasource. */
  readonly datasource: string;
}

/** An endpoint for rows of a table, and the style of its operation. */
export interface TableEndpoint extends EndpointWithTable, OperationStyle {
  readonly table: DescribedTable;
}

/** An operation that reads or changes its table. */
export type TableOperation = Omit<DescribedOperation, 'isPlaceholder'>;

/** A column with the value that a statement assigns to it. */
export interface ColumnValue {
  readonly column: DescribedColumn;
  readonly value: Written<'sql'>;
}

export function stepOf(
  { words, datasource }: OperationStyle,
  name: string,
  type: 'READ' | 'UPDATE',
  query: Written<'sql'>,
  exceptions?: readonly Json[],
): Json {
  return {
    ...{ name, type, datasource, [words.instructions]: [{ query }] },
    ...(exceptions === undefined ? {} : { exceptions }),
  };
}

/** The exception for a missing row. */
export function missingRow({ table, words }: TableEndpoint, condition: Written<'expression'>): Json[] {
  const message = template`There is no such ${words.asText(oneOf(table.name))}`;
  return [{ if: condition, statuscode: 404, message }];
}

/** Conditions that select the rows named by the path. */
export function pathConditions({ item, owners, words }: TableEndpoint): Written<'sql'>[] {
  return [...owners, ...(item === undefined ? [] : [item])].map(
    ({ param, column }) => sql`${column.quoted} = ${words.inSql(words.param(param))}`,
  );
}

/** The fields for SELECT; undefined if a field is not in the table. */
export function selectList(
  { table, dialect }: TableEndpoint,
  { properties }: ObjectShape,
): Written<'sql'> | undefined {
  const columns = [...properties].flatMap(([field, schema]) => {
    const column = table.columns.get(field);
    if (column === undefined) return [undefined];
    if (schema.writeOnly === true) return [];
    return [column.name === field ? column.quoted : sql`${column.quoted} AS ${writtenName(field, dialect)}`];
  });
  const known = columns.filter((column) => column !== undefined);
  return known.length === 0 || known.length < columns.length ? undefined : joined(known, ', ');
}

/** Names of the columns in `selectList`. */
export function selectedNames({ properties }: ObjectShape, dialect: Dialect): Written<'sql'>[] {
  return [...properties].flatMap(([field, { writeOnly }]) =>
    writeOnly === true ? [] : [writtenName(field, dialect)],
  );
}

/** The response that is the first row of a step, or contains it in a field. */
export function rowResponse(
  { endpoint, words }: TableEndpoint,
  step: string,
  field: string | undefined,
): Json[] {
  const first = words.first(step);
  return onlyResponse(successOf(endpoint).status, field === undefined ? first : { [field]: first });
}

/** The columns filled from the body, with their values; undefined if a column cannot hold a possible value of the body. */
export function bodyValues(
  { endpoint, table, item, owners, words, dialect }: TableEndpoint,
  isPatch: boolean,
): ColumnValue[] | undefined {
  const body = objectShape(endpoint.body?.json);
  if (body === undefined || body.isOpen) return undefined;
  const isPostgres = dialect === 'postgresql';
  const values: ColumnValue[] = [];
  for (const [field, schema] of body.properties) {
    const column = columnFor(table, field, schema, dialect);
    const isOfPath = owners.some((owner) => owner.column.name === column.name);
    if (schema.readOnly === true || isOfPath) continue;
    if (!holds(column.schema, schema)) return undefined;
    const value = words.inSql(words.body(field));
    const typed = isPostgres ? sql`${value}::${sql.plain(column.type.base)}` : value;
    const isRequired = body.required.has(field);
    if (column.name === item?.column.name)
      values.push({ column, value: isRequired ? value : sql`coalesce(${typed}, ${column.quoted})` });
    else if (isPatch && isNullable(schema) && !isRequired) {
      const isThere = isPostgres
        ? sql`jsonb_exists(${words.inSql(words.body())}::jsonb, ${words.sqlText(field, dialect)})`
        : sql`json_contains_path(${words.inSql(words.body())}, 'one', ${words.sqlText(`$.${JSON.stringify(field)}`, dialect)})`;
      values.push({ column, value: sql`CASE WHEN ${isThere} THEN ${typed} ELSE ${column.quoted} END` });
    } else if (isPatch && !isRequired)
      values.push({ column, value: sql`coalesce(${typed}, ${column.quoted})` });
    else {
      const fallback = isRequired ? undefined : fallbackOf(column, table, dialect);
      values.push({ column, value: fallback === undefined ? value : sql`coalesce(${typed}, ${fallback})` });
    }
  }
  return values;
}

/** The value of a column that is missing in the body; undefined for null, and for values generated by the database. */
function fallbackOf(
  column: DescribedColumn,
  table: DescribedTable,
  dialect: Dialect,
): Written<'sql'> | undefined {
  if (column.name !== table.key?.name)
    return column.isNotNull ? defaultOf(column.schema, dialect) : undefined;
  if (!table.isKeyMade || dialect !== 'postgresql') return undefined;
  if (onlyType(column.schema) !== 'integer') return madeText(column);
  // The sequence does not account for keys sent by clients.
  const sequence = sql`pg_get_serial_sequence(${sql.string(table.quoted, dialect)}, ${sql.string(column.name, dialect)})`;
  return sql`greatest(nextval(${sequence}), (SELECT max(${column.quoted}) + 1 FROM ${table.quoted}))`;
}

/** Whether the sent value can be stored and read back unchanged. */
function holds(stored: ApiSchema, sent: ApiSchema): boolean {
  const [one, other] = [onlyType(stored), onlyType(sent)];
  return one === other || (one === 'number' && other === 'integer');
}

/** The field that belongs to a column. */
export function fieldOf(
  { columns }: DescribedTable,
  column: DescribedColumn | undefined,
): string | undefined {
  return column && [...columns].find(([, one]) => one === column)?.[0];
}
