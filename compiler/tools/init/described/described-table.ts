/** A table for an API description, with a column for each field. */
import { type Written } from '../../../notation/written.js';
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { columnTypeOf, snakeCase, type ColumnType } from './described-column.js';
import { unique } from '../tables/row-names.js';
import { writtenName } from '../../../read/sql/quoted-name.js';

export interface DescribedColumn {
  readonly name: string;
  readonly quoted: Written<'sql'>;
  readonly schema: ApiSchema;
  readonly type: ColumnType;
  isNotNull: boolean;
  /** Whether a value must be passed when a row is added. */
  isProvided: boolean;
}

export interface DescribedTable {
  readonly name: string;
  readonly quoted: Written<'sql'>;
  /** By the name of the field. */
  readonly columns: Map<string, DescribedColumn>;
  key: DescribedColumn | undefined;
  /** The key is a number, or a uuid, and the database makes it. */
  isKeyMade: boolean;
}

/** An endpoint, and the table that it is about. */
export interface EndpointWithTable {
  readonly endpoint: ApiEndpoint;
  readonly table: DescribedTable | undefined;
  /** The last parameter of the path, where the path ends with it and one row is meant. */
  readonly item: { readonly param: string; readonly column: DescribedColumn } | undefined;
  /** Parameters of the path that select rows, without the item; with their columns. */
  readonly owners: readonly { readonly param: string; readonly column: DescribedColumn }[];
}

/** The column for a field, which is added if the table does not have it. */
export function columnFor(
  table: DescribedTable,
  field: string,
  schema: ApiSchema,
  dialect: Dialect,
): DescribedColumn {
  const known = table.columns.get(field);
  if (known !== undefined) return known;
  const taken = [...table.columns.values()].map(({ name }) => name);
  const name = unique(snakeCase(field), taken);
  const type = columnTypeOf(schema, dialect);
  const column = {
    name,
    quoted: writtenName(name, dialect),
    schema,
    type,
    isNotNull: false,
    isProvided: false,
  };
  table.columns.set(field, column);
  return column;
}
