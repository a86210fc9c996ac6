/** A table for an API description, with one column per field. */
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
  /** Whether a new row must provide a value. */
  isProvided: boolean;
}

export interface DescribedTable {
  readonly name: string;
  readonly quoted: Written<'sql'>;
  /** Columns by field name. */
  readonly columns: Map<string, DescribedColumn>;
  key: DescribedColumn | undefined;
  /** Whether the database generates the key, as a number or a uuid. */
  isKeyMade: boolean;
}

/** An endpoint with its table. */
export interface EndpointWithTable {
  readonly endpoint: ApiEndpoint;
  readonly table: DescribedTable | undefined;
  /** The parameter at the end of the path, if it selects a single row. */
  readonly item: { readonly param: string; readonly column: DescribedColumn } | undefined;
  /** Other path parameters that select rows, with their columns. */
  readonly owners: readonly { readonly param: string; readonly column: DescribedColumn }[];
}

/** The column for a field, added to the table if missing. */
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
