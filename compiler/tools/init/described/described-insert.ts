/** The operation that adds a row to a table, and returns it if the description says so. */
import { objectShape, oneShape, onlyType, successOf } from './described-shape.js';
import {
  bodyValues,
  fieldOf,
  rowResponse,
  selectList,
  stepOf,
  type TableEndpoint,
  type TableOperation,
} from './described-steps.js';
import { onlyResponse } from '../operation-entry.js';

/** Undefined if the row requires what the body does not have, or the response is not the row. */
export function insertOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, table, owners, words, dialect } = target;
  const isPostgres = dialect === 'postgresql';
  const { json, status } = successOf(endpoint);
  if (objectShape(endpoint.body?.json) === undefined) return undefined;
  const made = table.isKeyMade ? table.key : undefined;
  const own = bodyValues(target, false).filter(({ column }) => column.name !== made?.name);
  const values = [
    ...owners.map(({ param, column }) => ({ column, value: `:[${words.param(param)}]` })),
    ...own,
  ];
  if (own.length === 0) return undefined;
  // What the row requires, and neither the body nor a default provides.
  if (
    table.key !== undefined &&
    made === undefined &&
    !values.some(({ column }) => column.name === table.key?.name)
  )
    return undefined;
  const shape = json === undefined ? undefined : oneShape(json);
  const select = shape && selectList(target, shape.row);
  if (json !== undefined && select === undefined) return undefined;
  const madeHere =
    made !== undefined && !isPostgres && onlyType(made.schema) !== 'integer' ? made : undefined;
  if (madeHere !== undefined) values.unshift({ column: madeHere, value: `:[${words.field('made', 'id')}]` });
  const columns = values.map(({ column }) => column.quoted).join(', ');
  const insert = `INSERT INTO ${table.quoted} (${columns})\nVALUES (${values.map(({ value }) => value).join(', ')})\n`;
  const steps = madeHere === undefined ? [] : [stepOf(target, 'made', 'READ', 'SELECT uuid() AS id')];
  const isInBody =
    made !== undefined && endpoint.body?.json?.properties.has(fieldOf(table, made) ?? '') === true;
  const comments = isInBody ? [`The database makes '${made.name}', whatever the body says.`] : [];
  if (shape === undefined || select === undefined) {
    steps.push(stepOf(target, 'inserted', 'UPDATE', insert));
    return {
      kind: 'insert',
      operation: { fulfillments: steps, responses: onlyResponse(status, undefined) },
      comments,
    };
  }
  if (isPostgres) {
    steps.push(stepOf(target, 'inserted', 'UPDATE', `${insert}RETURNING ${select}\n`));
    return {
      kind: 'insert',
      operation: { fulfillments: steps, responses: rowResponse(target, 'inserted', shape.field) },
      comments,
    };
  }
  if (table.key === undefined) return undefined;
  const { quoted: key, name } = table.key;
  const provided = values.find(({ column }) => column.name === name)?.value;
  const where = `${key} = ${provided ?? `:[${words.field('inserted', 'insert_id')}]`}`;
  steps.push(stepOf(target, 'inserted', 'UPDATE', insert));
  steps.push(stepOf(target, 'row', 'READ', `SELECT ${select}\nFROM ${table.quoted}\nWHERE ${where}\n`));
  return {
    kind: 'insert',
    operation: { transaction: true, fulfillments: steps, responses: rowResponse(target, 'row', shape.field) },
    comments,
  };
}
