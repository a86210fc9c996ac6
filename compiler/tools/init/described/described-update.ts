/** The operation that changes a row of a table: the row named by the path, or by the key in the body. */
import { sql } from '../../../notation/sql-writer.js';
import { joined } from '../../../notation/written.js';
import { objectShape, oneShape, successOf } from './described-shape.js';
import {
  bodyValues,
  fieldOf,
  missingRow,
  pathConditions,
  rowResponse,
  selectList,
  stepOf,
  type ColumnValue,
  type TableEndpoint,
  type TableOperation,
} from './described-steps.js';
import type { DescribedTable } from './described-table.js';
import { onlyResponse } from '../operation-entry.js';

/** Undefined if it is unclear which row is meant, nothing can change, or the response is not the row. */
export function updateOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, table, item, words, dialect } = target;
  const isPatch = endpoint.method === 'PATCH';
  const { json, status } = successOf(endpoint);
  const keyField = fieldOf(table, table.key);
  const body = objectShape(endpoint.body?.json);
  const conditions = pathConditions(target);
  if (item === undefined) {
    if (keyField === undefined || table.key === undefined || body?.properties.has(keyField) !== true)
      return undefined;
    conditions.push(sql`${table.key.quoted} = ${words.inSql(words.body(keyField))}`);
  }
  const all = bodyValues(target, isPatch);
  const isItem = ({ column }: ColumnValue): boolean => column.name === item?.column.name;
  const isKeySent = all?.some(isItem) === true;
  // A key in the body that identifies the row is not changed.
  const values = all?.filter(({ column }) => item !== undefined || column.name !== table.key?.name);
  if (values === undefined || values.every(isItem)) return undefined;
  const shape = json === undefined ? undefined : oneShape(json);
  const select = shape && selectList(target, shape.row);
  if (json !== undefined && select === undefined) return undefined;
  values.push(...timesOfChange(table));
  const comments = isPatch ? ['A field that is absent stays as it is.'] : [];
  const set = values.map(({ column, value }) => sql`${column.quoted} = ${value}`);
  const where = sql`WHERE ${joined(conditions, ' AND ')}\n`;
  const update = sql`UPDATE ${table.quoted}\nSET ${joined(set, ',\n    ')}\n${where}`;
  const responsesWith = (step: string): TableOperation['operation'][] =>
    shape === undefined ? onlyResponse(status, undefined) : rowResponse(target, step, shape.field);
  if (dialect === 'postgresql') {
    const query = select === undefined ? update : sql`${update}RETURNING ${select}\n`;
    const step = stepOf(target, 'updated', 'UPDATE', query, missingRow(target, words.isEmpty('updated')));
    return {
      kind: 'update',
      operation: { fulfillments: [step], responses: responsesWith('updated') },
      comments,
    };
  }
  // MySQL does not count a row that already has the new values as changed, and the body may change the key.
  const read = sql`SELECT ${select ?? sql`1 AS found`}\nFROM ${table.quoted}\n`;
  const updated = stepOf(target, 'updated', 'UPDATE', update);
  const sentKey = item !== undefined && isKeySent ? words.body(fieldOf(table, item.column)) : undefined;
  if (item === undefined || sentKey === undefined) {
    const row = stepOf(target, 'row', 'READ', sql`${read}${where}`, missingRow(target, words.isEmpty('row')));
    return {
      kind: 'update',
      operation: { fulfillments: [updated, row], responses: responsesWith('row') },
      comments,
    };
  }
  const found = sql`SELECT ${item.column.quoted} FROM ${table.quoted} ${where}`;
  const now = pathConditions({ ...target, item: undefined });
  now.push(
    sql`${item.column.quoted} = coalesce(${words.inSql(sentKey)}, ${words.inSql(words.param(item.param))})`,
  );
  const steps = [
    stepOf(target, 'found', 'READ', found, missingRow(target, words.isEmpty('found'))),
    updated,
    stepOf(target, 'row', 'READ', sql`${read}WHERE ${joined(now, ' AND ')}\n`),
  ];
  return { kind: 'update', operation: { fulfillments: steps, responses: responsesWith('row') }, comments };
}

/** Read-only columns such as `updated_at`, which hold the time of the last change. */
function timesOfChange({ columns }: DescribedTable): ColumnValue[] {
  return [...columns.values()]
    .filter(({ schema, type }) => schema.readOnly === true && /^timestamp/.test(type.base))
    .filter(({ name }) => /(?:^|_)(?:updated|modified|changed|edited)(?:_|$)/.test(name))
    .map((column) => ({ column, value: sql`current_timestamp` }));
}
