/** The operation that lists the rows of a table, page by page. */
import type { Table } from '../../../analyze/database/read-tables.js';
import { onlyResponse } from '../operation-entry.js';
import { columnsOf, orderOf } from './table-columns.js';
import { stepFor, type TableContext, type WrittenOperation } from './table-operation.js';
import { content, rowSchema } from './table-schemas.js';

export function listOperation(table: Table, path: string, context: TableContext): WrittenOperation {
  const { words } = context;
  const order = orderOf(table);
  const lines = [
    `SELECT ${columnsOf(table.columns)}`,
    `FROM ${table.quoted}`,
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    `LIMIT :[${words.param('limit')}] OFFSET :[${words.param('offset')}]\n`,
  ];
  return {
    ...{ method: 'GET', path },
    operation: {
      fulfillments: [
        stepFor(context, 'page', 'READ', lines.join('\n')),
        stepFor(context, 'count', 'READ', `SELECT count(*) AS total FROM ${table.quoted}`),
      ],
      responses: onlyResponse(200, { total: words.field('count', 'total'), items: words.rows('page') }),
    },
    description: {
      summary: `A page of ${table.name}`,
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
        { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
      ],
      responses: {
        200: content(`A page of ${table.name}`, {
          type: 'object',
          required: ['total', 'items'],
          properties: {
            total: { type: 'integer' },
            items: { type: 'array', items: rowSchema(table.columns) },
          },
        }),
      },
    },
  };
}
