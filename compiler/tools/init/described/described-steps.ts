/** The parts of the operations for a table: their steps, conditions, columns and responses. */
import type { Dialect } from '../../../read/sql/dialect.js';
import { defaultOf } from './described-column.js';
import { objectShape, successOf, type ObjectShape } from './described-shape.js';
import type { DescribedColumn, DescribedTable, EndpointWithTable } from './described-table.js';
import { onlyResponse } from '../operation-entry.js';
import type { Words } from '../words.js';
import { writtenName } from '../../../read/sql/quoted-name.js';

type Json = Readonly<Record<string, unknown>>;

export interface DescribedOperation {
  /** As the configuration has it. */
  readonly operation: Json;
  /** Lines above it, for the person who completes it. */
  readonly comments: readonly string[];
  readonly isPlaceholder: boolean;
  /** What it does with its table. */
  readonly kind: 'list' | 'read' | 'insert' | 'update' | 'delete' | 'placeholder';
}

export interface OperationStyle {
  readonly words: Words;
  readonly dialect: Dialect;
  /** The name of the datasource. */
  readonly datasource: string;
}

/** An endpoint that is about rows of a table, and how its operation is written. */
export interface TableEndpoint extends EndpointWithTable, OperationStyle {
  readonly table: DescribedTable;
}

/** An operation that reads or changes its table. */
export type TableOperation = Omit<DescribedOperation, 'isPlaceholder'>;

/** A column, and the value that a statement assigns to it. */
export interface ColumnValue {
  readonly column: DescribedColumn;
  readonly value: string;
}

export function stepOf(
  { words, datasource }: OperationStyle,
  name: string,
  type: 'READ' | 'UPDATE',
  query: string,
  exceptions?: readonly Json[],
): Json {
  return {
    ...{ name, type, datasource, [words.instructions]: [{ query }] },
    ...(exceptions === undefined ? {} : { exceptions }),
  };
}

/** The exception for a row that does not exist. */
export function missingRow({ table }: TableEndpoint, condition: string): Json[] {
  return [{ if: condition, statuscode: 404, message: `There is no such ${singular(table.name)}` }];
}

/** The conditions for the rows that the path names. */
export function pathConditions({ item, owners, words }: TableEndpoint): string[] {
  return [...owners, ...(item === undefined ? [] : [item])].map(
    ({ param, column }) => `${column.quoted} = :[${words.param(param)}]`,
  );
}

/** The fields as SELECT lists them; undefined if one is not in the table. */
export function selectList(
  { table, dialect }: TableEndpoint,
  { properties }: ObjectShape,
): string | undefined {
  const columns = [...properties.keys()].map((field) => {
    const column = table.columns.get(field);
    if (column === undefined) return undefined;
    return column.name === field ? column.quoted : `${column.quoted} AS ${writtenName(field, dialect)}`;
  });
  return columns.includes(undefined) ? undefined : columns.join(', ');
}

/** The response that is the first row of a step, or has it in a field. */
export function rowResponse(
  { endpoint, words }: TableEndpoint,
  step: string,
  field: string | undefined,
): Json[] {
  const first = words.first(step);
  return onlyResponse(successOf(endpoint).status, field === undefined ? first : { [field]: first });
}

/** The columns that the body fills, with their values. */
export function bodyValues(
  { endpoint, table, item, owners, words, dialect }: TableEndpoint,
  isPatch: boolean,
): ColumnValue[] {
  const body = objectShape(endpoint.body?.json);
  const inPath = [...owners, ...(item === undefined ? [] : [item])].map(({ column }) => column.name);
  return [...(body?.properties ?? [])].flatMap(([field, schema]) => {
    const column = table.columns.get(field);
    if (column === undefined || schema.readOnly === true || inPath.includes(column.name)) return [];
    const value = `:[${words.body(field)}]`;
    const typed = dialect === 'postgresql' ? `${value}::${column.type.base}` : value;
    if (isPatch) return [{ column, value: `coalesce(${typed}, ${column.quoted})` }];
    const isProvided = body?.required.has(field) === true || !column.isNotNull;
    return [
      { column, value: isProvided ? value : `coalesce(${typed}, ${defaultOf(column.schema, dialect)})` },
    ];
  });
}

/** The field that a column is for. */
export function fieldOf(
  { columns }: DescribedTable,
  column: DescribedColumn | undefined,
): string | undefined {
  return column && [...columns].find(([, one]) => one === column)?.[0];
}

/** `pets` is one pet. */
function singular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$|(?<![su])s$/, '')
    .replaceAll('_', ' ');
}
