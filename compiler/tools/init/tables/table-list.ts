/** The operation that lists the rows of a table, page by page. */
import { writtenName } from '../../../read/sql/quoted-name.js';
import type { Table, TableColumn } from '../../../analyze/database/read-tables.js';
import { onlyResponse } from '../operation-entry.js';
import { identifier, unique } from './row-names.js';
import { columnsOf, equal, orderOf, readable, secretsOf } from './table-columns.js';
import { stepFor, type TableContext, type WrittenOperation } from './table-operation.js';
import { content, parameterSchema, rowSchema } from './table-schemas.js';

export function listOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { words } = context;
  const order = orderOf(table);
  const columns = readable(table);
  const filters = filtersOf(table);
  const secrets = secretsOf(table).map(({ name }) => `'${name}'`);
  const isPostgres = context.database.dialect === 'postgresql';
  const conditions = filters.map(({ column, param }) => {
    const value = `:[${words.param(param)}]${isPostgres ? `::${castOf(column)}` : ''}`;
    return `(${value} IS NULL OR ${equal(column, value)})`;
  });
  const where = conditions.length === 0 ? [] : [`WHERE ${conditions.join('\n  AND ')}`];
  const count = [`SELECT count(*) AS total FROM ${table.quoted}`, ...where].join('\n');
  const lines = [
    `SELECT ${columnsOf(columns)}`,
    `FROM ${table.quoted}`,
    ...where,
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    `LIMIT :[${words.param('limit')}] OFFSET :[${words.param('offset')}]\n`,
  ];
  return {
    ...{ method: 'GET', path },
    ...(secrets.length === 0
      ? {}
      : { comment: `Responses are without ${secrets.join(' and ')}: the name is that of a secret.` }),
    operation: {
      fulfillments: [
        stepFor(context, 'page', 'READ', lines.join('\n')),
        stepFor(context, 'count', 'READ', where.length === 0 ? count : `${count}\n`),
      ],
      responses: onlyResponse(200, { total: words.field('count', 'total'), items: words.rows('page') }),
    },
    description: {
      summary: `A page of ${table.name}`,
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
        { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
        ...filters.map(({ column, param }) => ({
          name: param,
          in: 'query',
          schema: parameterSchema(column),
        })),
      ],
      responses: {
        200: content(`A page of ${table.name}`, {
          type: 'object',
          required: ['total', 'items'],
          properties: {
            total: { type: 'integer' },
            items: { type: 'array', items: rowSchema(columns) },
          },
        }),
      },
    },
  };
}

/** The columns that a list can be narrowed by: words of an enum, and what foreign keys refer to. */
function filtersOf(table: Table): { readonly column: TableColumn; readonly param: string }[] {
  const keys = table.foreignKeys.flatMap(({ columns }) => (columns.length === 1 ? columns : []));
  const params = ['limit', 'offset'];
  return readable(table)
    .filter(({ name, type }) => type.labels !== undefined || keys.includes(name))
    .map((column) => {
      const param = unique(identifier(column.name), params);
      params.push(param);
      return { column, param };
    });
}

/** The type of a column of PostgreSQL. */
function castOf({ type: { name, labels } }: TableColumn): string {
  return labels === undefined ? name : writtenName(name, 'postgresql');
}
