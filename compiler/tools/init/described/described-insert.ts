/** The operation that adds a row to a table, and returns it if the description says so. */
import { sql } from '../../../notation/sql-writer.js';
import { joined } from '../../../notation/written.js';
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

/** Undefined if the row requires values that are missing in the body, or if the response is not the row. */
export function insertOperation(target: TableEndpoint): TableOperation | undefined {
  const { endpoint, table, owners, words, dialect } = target;
  const isPostgres = dialect === 'postgresql';
  const { json, status } = successOf(endpoint);
  if (objectShape(endpoint.body?.json) === undefined) return undefined;
  const own = bodyValues(target, false);
  if (own === undefined || own.length === 0) return undefined;
  const { key } = table;
  const sent = own.find(({ column }) => column.name === key?.name);
  const inPath = owners.find(({ column }) => column.name === key?.name);
  // The row needs a key, but there may be no value for it.
  if (key !== undefined && !table.isKeyMade && !key.isProvided && inPath === undefined) return undefined;
  const values = [
    ...owners.map(({ param, column }) => ({ column, value: words.inSql(words.param(param)) })),
    ...own.filter((one) => one !== sent),
  ];
  const shape = json === undefined ? undefined : oneShape(json);
  const select = shape && selectList(target, shape.row);
  if (json !== undefined && select === undefined) return undefined;
  const isMadeHere =
    key !== undefined && table.isKeyMade && !isPostgres && onlyType(key.schema) !== 'integer';
  const keyValue = isMadeHere ? { column: key, value: words.inSql(words.field('made', 'id')) } : sent;
  if (keyValue !== undefined) values.unshift(keyValue);
  const columns = values.map(({ column }) => column.quoted);
  const given = values.map(({ value }) => value);
  const insert = sql`INSERT INTO ${table.quoted} (${joined(columns, ', ')})\nVALUES (${joined(given, ', ')})\n`;
  // Without the cast, the result has MariaDB's type UUID, which turns other strings into null.
  const uuid = sent === undefined ? sql`uuid()` : sql`coalesce(${sent.value}, cast(uuid() AS char))`;
  const steps = isMadeHere ? [stepOf(target, 'made', 'READ', sql`SELECT ${uuid} AS id`)] : [];
  const body = objectShape(endpoint.body?.json);
  const comments = owners
    .filter(({ column }) => body?.properties.has(fieldOf(table, column) ?? '') === true)
    .map(
      ({ column, param }) =>
        `'${fieldOf(table, column) ?? ''}' is '${param}' of the path, whatever the body says.`,
    );
  if (shape === undefined || select === undefined) {
    steps.push(stepOf(target, 'inserted', 'UPDATE', insert));
    return {
      kind: 'insert',
      operation: { fulfillments: steps, responses: onlyResponse(status, undefined) },
      comments,
    };
  }
  if (isPostgres) {
    steps.push(stepOf(target, 'inserted', 'UPDATE', sql`${insert}RETURNING ${select}\n`));
    return {
      kind: 'insert',
      operation: { fulfillments: steps, responses: rowResponse(target, 'inserted', shape.field) },
      comments,
    };
  }
  if (key === undefined) return undefined;
  // If the body contains the number, `insert_id` is that number.
  const isNumbered = table.isKeyMade && !isMadeHere;
  const provided = values.find(({ column }) => column.name === key.name)?.value;
  const value = isNumbered ? words.inSql(words.field('inserted', 'insert_id')) : (provided ?? sql``);
  steps.push(stepOf(target, 'inserted', 'UPDATE', insert));
  steps.push(
    stepOf(
      target,
      'row',
      'READ',
      sql`SELECT ${select}\nFROM ${table.quoted}\nWHERE ${key.quoted} = ${value}\n`,
    ),
  );
  return {
    kind: 'insert',
    operation: { transaction: true, fulfillments: steps, responses: rowResponse(target, 'row', shape.field) },
    comments,
  };
}
