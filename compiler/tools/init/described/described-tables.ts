/** The tables that an API description is about: one for each collection of resources. */
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import type { Dialect } from '../../../read/sql/dialect.js';
import {
  collectionKey,
  collectionsOf,
  isAboutRows,
  itemParameter,
  rowOf,
  type Collection,
} from './described-collections.js';
import { snakeCase } from './described-column.js';
import { findKey, itemColumn, ownerColumn } from './described-key.js';
import { isNullable, listShape, objectShape, successOf } from './described-shape.js';
import { columnFor, type DescribedTable, type EndpointWithTable } from './described-table.js';
import { unique } from '../tables/row-names.js';
import { writtenName } from '../../../read/sql/quoted-name.js';

export interface DescribedTables {
  readonly tables: readonly DescribedTable[];
  /** The endpoints in the order of the description. */
  readonly targets: readonly EndpointWithTable[];
}

export function describedTables(endpoints: readonly ApiEndpoint[], dialect: Dialect): DescribedTables {
  const all = collectionsOf(endpoints);
  const collections = [...all.values()].filter(isAboutRows);
  const assigned = assignTables(collections, dialect);
  for (const collection of collections) {
    const table = assigned.get(collection);
    if (table !== undefined) for (const endpoint of collection.endpoints) fill(endpoint, table, dialect);
  }
  for (const collection of collections) {
    const table = assigned.get(collection);
    if (table !== undefined) findKey(collection.endpoints, table, dialect);
  }
  const targets = endpoints.map((endpoint) => {
    const collection = all.get(collectionKey(endpoint));
    return targetOf(endpoint, collection && assigned.get(collection), dialect);
  });
  return { tables: [...new Set(assigned.values())], targets };
}

/** The table of each collection; collections of the same model share one. */
function assignTables(
  collections: readonly Collection[],
  dialect: Dialect,
): ReadonlyMap<Collection, DescribedTable> {
  const assigned = new Map<Collection, DescribedTable>();
  const assign = (collection: Collection): void => {
    const same = collections.find((other) => assigned.has(other) && isSameTable(collection, other));
    const taken = [...assigned.values()].map(({ name }) => name);
    assigned.set(collection, (same && assigned.get(same)) ?? newTable(collection, taken, dialect));
  };
  // Lists next to a collection, such as a search, return its rows.
  const [own, others] = [collections.filter(hasOwnRows), collections.filter((one) => !hasOwnRows(one))];
  for (const collection of [...own, ...others]) assign(collection);
  return assigned;
}

function hasOwnRows({ hasItems, isFilled }: Collection): boolean {
  return hasItems || isFilled;
}

function isSameTable({ models, names, hasItems }: Collection, other: Collection): boolean {
  const isShared = [...models].some((model) => other.models.has(model));
  return isShared && (!hasItems || other.names.at(-1) === names.at(-1));
}

function newTable({ names }: Collection, taken: readonly string[], dialect: Dialect): DescribedTable {
  const longer = names.map((_, index) => snakeCase(names.slice(-1 - index).join('_')));
  const name = longer.find((one) => !taken.includes(one)) ?? unique(longer[0] ?? 'rows', taken);
  return { name, quoted: writtenName(name, dialect), columns: new Map(), key: undefined, isKeyMade: false };
}

/** Adds the columns for the fields that an endpoint returns or receives. */
function fill(endpoint: ApiEndpoint, table: DescribedTable, dialect: Dialect): void {
  const shape = rowOf(endpoint);
  for (const [field, schema] of shape?.properties ?? []) {
    const column = columnFor(table, field, schema, dialect);
    // The database makes a date-time that is read-only, such as the time of a change, so the column is NOT NULL even if the field is optional.
    const isMade = schema.readOnly === true && schema.format === 'date-time';
    if ((isMade || shape?.required.has(field) === true) && !isNullable(schema)) column.isNotNull = true;
  }
  const body = objectShape(endpoint.body?.json);
  if (endpoint.method === 'GET' || body === undefined) return;
  for (const [field, schema] of body.properties) {
    const column = columnFor(table, field, schema, dialect);
    const isAsked = endpoint.method === 'POST' && body.required.has(field) && schema.readOnly !== true;
    if (!isAsked || isNullable(schema)) continue;
    column.isProvided = true;
    column.isNotNull = true;
  }
}

/** The item and the owners that the parameters of the path select in the table. */
function targetOf(
  endpoint: ApiEndpoint,
  table: DescribedTable | undefined,
  dialect: Dialect,
): EndpointWithTable {
  if (table === undefined) return { endpoint, table, item: undefined, owners: [] };
  const params = [...endpoint.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const isList = endpoint.method === 'GET' && listShape(successOf(endpoint).json) !== undefined;
  const last = isList ? undefined : itemParameter(endpoint.path);
  const item =
    last === undefined ? undefined : { param: last, column: itemColumn(last, endpoint, table, dialect) };
  const owners = params
    .filter((param) => param !== last)
    .map((param) => ({ param, column: ownerColumn(param, endpoint, table, dialect) }));
  return { endpoint, table, item, owners };
}
