/** The columns that path parameters are compared with, and the primary key of a table. */
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import { itemParameter } from './described-collections.js';
import { columnTypeOf, snakeCase } from './described-column.js';
import { oneOf } from '../one-of.js';
import { listShape, onlyType, successOf } from './described-shape.js';
import { columnFor, type DescribedColumn, type DescribedTable } from './described-table.js';
import { anything } from '../../../read/openapi/schema-draft.js';

/** Makes the column named by the end of the path the key, or else `id`. */
export function findKey(endpoints: readonly ApiEndpoint[], table: DescribedTable, dialect: Dialect): void {
  const wished = endpoints.flatMap((endpoint) => {
    const param = itemParameter(endpoint.path);
    const isOne = param !== undefined && listShape(successOf(endpoint).json) === undefined;
    return isOne ? [{ param, schema: pathParameterSchema(endpoint, param) }] : [];
  });
  const [first] = wished;
  const field = first === undefined ? 'id' : (fieldFor(first.param, table) ?? first.param);
  const known =
    first === undefined ? table.columns.get(field) : columnFor(table, field, first.schema, dialect);
  if (table.key !== undefined || known === undefined) return;
  const key: DescribedColumn = {
    ...known,
    type: columnTypeOf(known.schema, dialect, true),
    isNotNull: true,
  };
  if (!key.type.isScalar) return;
  table.columns.set(field, key);
  table.key = key;
  table.isKeyMade = !key.isProvided && canBeMade(key.schema);
}

/** Whether the field accepts a sequence number or a uuid. */
function canBeMade(schema: ApiSchema): boolean {
  const { format, bounds, enum: listed } = schema;
  const type = onlyType(schema);
  if (type === 'integer') return listed === undefined;
  const isLongEnough = !(Number(bounds.get('maxLength')) < 36) && !bounds.has('pattern');
  return type === 'string' && listed === undefined && isLongEnough && [undefined, 'uuid'].includes(format);
}

/** The column for the parameter at the end of a path. */
export function itemColumn(
  param: string,
  endpoint: ApiEndpoint,
  table: DescribedTable,
  dialect: Dialect,
): DescribedColumn {
  return columnFor(table, fieldFor(param, table) ?? param, pathParameterSchema(endpoint, param), dialect);
}

/** The column for any other path parameter. */
export function ownerColumn(
  param: string,
  endpoint: ApiEndpoint,
  table: DescribedTable,
  dialect: Dialect,
): DescribedColumn {
  const field = [...table.columns.keys()].find((name) => snakeCase(name) === snakeCase(param)) ?? param;
  return columnFor(table, field, pathParameterSchema(endpoint, param), dialect);
}

/**
 * The field with the parameter's name; or else `id`, if the parameter is `petId` or, for the table `pets`, `pet`; or else a field that the
 * name ends with.
 */
function fieldFor(param: string, { columns, name: table }: DescribedTable): string | undefined {
  const wished = snakeCase(param);
  const fields = [...columns.keys()];
  const find = (test: (name: string) => boolean): string | undefined =>
    fields.find((one) => test(snakeCase(one)));
  return (
    find((name) => name === wished) ??
    (wished.endsWith('id') || wished === snakeCase(oneOf(table))
      ? find((name) => name === 'id')
      : undefined) ??
    find((name) => wished.endsWith(`_${name}`))
  );
}

function pathParameterSchema({ parameters, span }: ApiEndpoint, name: string): ApiSchema {
  const found = parameters.find((one) => one.name === name && one.in === 'path')?.schema;
  return found ?? { ...anything({ span }), types: ['string'] };
}
