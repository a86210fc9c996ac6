/** The operation that lists the rows of a table page by page. */
import { sql } from '../../../notation/sql-writer.js';
import { joined, type Written } from '../../../notation/written.js';
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { onlyResponse } from '../operation-entry.js';
import { identifier, unique } from './row-names.js';
import {
  columnsOf,
  equal,
  isSortable,
  keyOf,
  labelsOf,
  orderOf,
  readable,
  secretsOf,
  selected,
} from './table-columns.js';
import { stepFor, titleOf, type TableContext, type WrittenOperation } from './table-operation.js';
import { content, parameterSchema, rowSchema } from './table-schemas.js';

export function listOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { words } = context;
  const orders = ordersOf(table);
  const columns = readable(table);
  const filters = filtersOf(table);
  const secrets = secretsOf(table).map(({ name }) => `'${name}'`);
  const isPostgres = context.database.dialect === 'postgresql';
  const conditions = filters.map(({ column, param }) => {
    const written = words.inSql(words.param(param));
    const value = isPostgres ? sql`${written}::${castOf(column)}` : written;
    return sql`(${value} IS NULL OR ${equal(column, value)})`;
  });
  const where = conditions.length === 0 ? [] : [sql`WHERE ${joined(conditions, '\n  AND ')}`];
  const count = joined([sql`SELECT count(*) AS total FROM ${table.quoted}`, ...where], '\n');
  const select = [sql`SELECT ${selected(columns)}`, sql`FROM ${table.quoted}`, ...where];
  const limit = { type: 'integer', minimum: 1, maximum: largest, default: 20 };
  return {
    ...{ method: 'GET', path },
    ...(secrets.length === 0
      ? {}
      : { comment: `Responses are without ${secrets.join(' and ')}: the name is that of a secret.` }),
    operation: {
      fulfillments: [
        orders === undefined ? partOf(table, select, context) : pageOf(orders, select, context),
        stepFor(context, 'count', 'READ', where.length === 0 ? count : sql`${count}\n`),
      ],
      responses: onlyResponse(200, {
        ...{ total: words.field('count', 'total'), items: words.rows('page') },
        ...(orders === undefined ? {} : { next: words.next('page') }),
      }),
    },
    description: {
      summary: `A page of ${titleOf(table)}`,
      parameters: [
        ...(orders === undefined
          ? [
              { name: 'limit', in: 'query', schema: limit },
              { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
            ]
          : [
              { name: 'sort', in: 'query', schema: { type: 'string', ...sortSchema(orders) } },
              { name: 'limit', in: 'query', schema: limit },
              { name: 'after', in: 'query', schema: { type: 'string' } },
            ]),
        ...filters.map(({ column, param }) => ({
          name: param,
          in: 'query',
          schema: parameterSchema(column),
        })),
      ],
      responses: {
        200: content(`A page of ${titleOf(table)}`, {
          type: 'object',
          required: ['total', 'items', ...(orders === undefined ? [] : ['next'])],
          properties: {
            total: { type: 'integer' },
            items: { type: 'array', items: rowSchema(columns) },
            ...(orders === undefined ? {} : { next: { type: ['string', 'null'] } }),
          },
        }),
      },
    },
  };
}

/** Max rows per page. */
const largest = 100;

/** The orders of a list by name, and the unique columns of its rows. */
interface Orders {
  readonly allow: Readonly<Record<string, Written<'sql'>>>;
  readonly default: string;
  readonly key: Written<'sql'>;
}

/** Whether the table's list has a next page. */
export function isPaged(table: Table): boolean {
  return ordersOf(table) !== undefined;
}

/** Orders by key, by the first two strings, and by the first timestamp; `-name` reverses the direction. Undefined if there is no key. */
function ordersOf(table: Table): Orders | undefined {
  const { primaryKey } = table;
  const columns = readable(table);
  const key = keyOf(table);
  const [first] = key;
  if (first === undefined || !key.every(isSortable)) return undefined;
  const time = columns.find(({ type }) => /^(?:date|datetime|timestamp|timestamptz)$/.test(type.name));
  const others = [...labelsOf(table, primaryKey), ...(time === undefined ? [] : [time])].filter(isSortable);
  const named = [first, ...others.filter(({ name }) => !primaryKey.includes(name))].map((column) => ({
    name: identifier(column.name),
    quoted: column.quoted,
  }));
  return {
    allow: Object.fromEntries(
      named.flatMap(({ name, quoted }) => [
        [name, quoted],
        [`-${name}`, sql`${quoted} DESC`],
      ]),
    ),
    default: named[0]?.name ?? '',
    key: columnsOf(key),
  };
}

function sortSchema(orders: Orders): { readonly enum: readonly string[]; readonly default: string } {
  return { enum: Object.keys(orders.allow), default: orders.default };
}

/** A page that starts after the last row of the previous page. */
function pageOf(
  orders: Orders,
  select: readonly Written<'sql'>[],
  context: TableContext,
): ReturnType<typeof stepFor> {
  const { words } = context;
  const step = stepFor(context, 'page', 'READ', sql`${joined(select, '\n')}\n`);
  const { [words.instructions]: instructions, ...head } = step;
  return {
    ...head,
    order: { by: words.param('sort'), ...orders },
    page: { limit: words.param('limit'), max: largest, after: words.param('after') },
    [words.instructions]: instructions,
  };
}

/** Pages by offset, because the rows of a view have no key. */
function partOf(
  table: Table,
  select: readonly Written<'sql'>[],
  context: TableContext,
): ReturnType<typeof stepFor> {
  const { words } = context;
  const order = orderOf(table);
  const lines = [
    ...select,
    ...(order.length === 0 ? [] : [sql`ORDER BY ${joined(order, ', ')}`]),
    sql`LIMIT ${words.inSql(words.param('limit'))} OFFSET ${words.inSql(words.param('offset'))}\n`,
  ];
  return stepFor(context, 'page', 'READ', joined(lines, '\n'));
}

/** Columns that can filter a list: enum strings, booleans, and foreign keys. */
function filtersOf(table: Table): { readonly column: TableColumn; readonly param: string }[] {
  const keys = table.foreignKeys.flatMap(({ columns }) => (columns.length === 1 ? columns : []));
  const params = ['limit', 'offset', 'sort', 'after'];
  return readable(table)
    .filter(
      ({ name, type }) =>
        type.labels !== undefined ||
        keys.includes(name) ||
        ['bool', 'tinyint(1)', 'bit(1)'].includes(type.name),
    )
    .map((column) => {
      const param = unique(identifier(column.name), params);
      params.push(param);
      return { column, param };
    });
}

/** The cast of a PostgreSQL column. */
function castOf({ type, cast }: TableColumn): Written<'sql'> {
  const isPlain = type.labels === undefined && /^\w+$/.test(type.name);
  return isPlain || cast === undefined ? sql.plain(type.name) : cast;
}
