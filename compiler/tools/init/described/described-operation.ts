/** The operation for an endpoint of an API description: SQL on its table, or else a placeholder. */
import { sql } from '../../../notation/sql-writer.js';
import { joined } from '../../../notation/written.js';
import { insertOperation } from './described-insert.js';
import { listOperation } from './described-list.js';
import { placeholder } from './described-placeholder.js';
import { listShape, oneShape, successOf } from './described-shape.js';
import {
  missingRow,
  pathConditions,
  rowResponse,
  selectList,
  stepOf,
  type DescribedOperation,
  type OperationStyle,
  type TableEndpoint,
  type TableOperation,
} from './described-steps.js';
import type { EndpointWithTable } from './described-table.js';
import { updateOperation } from './described-update.js';
import { onlyResponse } from '../operation-entry.js';

export function describedOperation(target: EndpointWithTable, style: OperationStyle): DescribedOperation {
  const { endpoint, table } = target;
  const made = table && tableOperation({ ...target, ...style, table });
  return made === undefined ? placeholder(endpoint, style) : { ...made, isPlaceholder: false };
}

/** Undefined unless it is a simple operation on rows of the table. */
function tableOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, item } = target;
  const list = endpoint.method === 'GET' ? listShape(successOf(endpoint).json) : undefined;
  // The meaning of query parameters can only be derived from their names for lists, and only POST, PUT and PATCH have a body.
  if (list === undefined && endpoint.parameters.some((one) => one.in === 'query')) return undefined;
  if (endpoint.body !== undefined && ['GET', 'DELETE'].includes(endpoint.method)) return undefined;
  switch (endpoint.method) {
    case 'GET':
      if (list !== undefined) return listOperation(target, list);
      return item === undefined ? undefined : readOperation(target);
    case 'POST':
      return item === undefined ? insertOperation(target) : undefined;
    case 'PUT':
    case 'PATCH':
      return updateOperation(target);
    case 'DELETE':
      return item === undefined ? undefined : deleteOperation(target);
    default:
      return undefined;
  }
}

/** Reads the row named by the path. */
function readOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, table, words } = target;
  const shape = oneShape(successOf(endpoint).json);
  const select = shape && selectList(target, shape.row);
  if (shape === undefined || select === undefined) return undefined;
  const where = joined(pathConditions(target), ' AND ');
  const query = sql`SELECT ${select}\nFROM ${table.quoted}\nWHERE ${where}\n`;
  return {
    kind: 'read',
    operation: {
      fulfillments: [stepOf(target, 'row', 'READ', query, missingRow(target, words.isEmpty('row')))],
      responses: rowResponse(target, 'row', shape.field),
    },
    comments: [],
  };
}

/** Deletes the row named by the path. */
function deleteOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, table, words, dialect } = target;
  const { status, json } = successOf(endpoint);
  const where = joined(pathConditions(target), ' AND ');
  const shape = json === undefined ? undefined : oneShape(json);
  const select = shape && selectList(target, shape.row);
  // A deletion may return something other than a row, such as a message.
  const hasRow = select !== undefined && dialect === 'postgresql';
  if (json !== undefined && !hasRow) return undefined;
  const none =
    dialect === 'postgresql'
      ? words.isEmpty('deleted')
      : words.equals(words.field('deleted', 'affected_rows'), 0);
  const query = sql`DELETE FROM ${table.quoted} WHERE ${where}`;
  const step = stepOf(
    target,
    'deleted',
    'UPDATE',
    hasRow ? sql`${query}\nRETURNING ${select}\n` : query,
    missingRow(target, none),
  );
  const responses = hasRow ? rowResponse(target, 'deleted', shape?.field) : onlyResponse(status, undefined);
  return { kind: 'delete', operation: { fulfillments: [step], responses }, comments: [] };
}
