/** Lists that are only read by a JSON response: rows are converted to bytes of the response as they arrive. */
import { afterChanges, type Call } from '../handler/call.js';
import { tooLarge } from '../handler/json-text.js';
import { uncounted } from '../handler/memory.js';
import type { Json, JsonObject, Row } from '../handler/json.js';
import { JsonRows, type JsonRowsOrValues, type RowsAsJson } from '../handler/rows-as-json.js';
import type { Statement } from '../sql/statement.js';
import type { PassedValue } from '../sql/sql-template.js';
import { withDigits } from '../values/digits.js';
import { RowBytes, type RowDigits, type RowFields } from './row-bytes.js';

/**
 * Runs the statement, and returns its rows for the body of a response: as they are, or with these fields, each of a column, or null without
 * it. `scales`: the fields whose numbers are strings of their digits, with the digits after the point. Throws a ServiceError, as the
 * statement does.
 */
export function jsonRows<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
  fields?: Readonly<Record<string, keyof Entry & string>>,
  scales?: RowDigits,
): Promise<JsonRowsOrValues>;
export function jsonRows(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[] = [],
  fields?: RowFields,
  scales?: RowDigits,
): Promise<JsonRowsOrValues> {
  return readJson(statement, call, values, {
    sink: () => new RowBytes(fields, 'array', scales),
    ofJson: (json): JsonRowsOrValues => new JsonRows(json),
    ofRows: (rows) => ofRows(rows, fields, scales),
  });
}

/** Creates a result from the bytes written to a sink, or from rows. */
interface Reading<Entry, Sink, Result> {
  readonly sink: () => Sink;
  readonly ofJson: (json: RowsAsJson, sink: Sink) => Result;
  readonly ofRows: (rows: Entry[]) => Result;
}

/** Runs the statement, and returns the JSON in a sink or the values. Throws the ServiceErrors of the statement. */
export async function readJson<Entry extends Row, Sink extends RowBytes, Result>(
  statement: Statement<Entry>,
  call: Call,
  values: readonly PassedValue[],
  reading: Reading<Entry, Sink, Result>,
): Promise<Result>;
export async function readJson<Sink extends RowBytes, Result>(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[],
  reading: Reading<Row, Sink, Result>,
): Promise<Result> {
  if (statement.traceRows !== undefined || call.isReadHere === true)
    return reading.ofRows(await statement(call, values));
  let sink: Sink | undefined;
  const rows = await statement.runner.run(call, values, () => (sink = reading.sink()));
  if (rows.length > 0 || sink === undefined) return reading.ofRows(rows);
  return reading.ofJson(finish(call, sink), sink);
}

/** Completes the JSON. Throws a ServiceError: 500 for too much JSON, 503 if the process already holds too much memory. */
function finish(call: Call, sink: RowBytes): RowsAsJson {
  try {
    if (sink.isTooLarge) throw tooLarge();
    return held(call, sink.finish());
  } catch (error) {
    throw afterChanges(call, error);
  }
}

/** Counts the memory of the JSON. Throws a ServiceError 503 if the process already holds too much memory. */
function held(call: Call, json: RowsAsJson): RowsAsJson {
  const bytes = typeof json === 'string' ? 0 : json.reduce((sum, { length }) => sum + length, 0);
  if (bytes >= uncounted) (call.root ?? call).hold?.(bytes);
  return json;
}

/** The values of such rows. */
export function ofRows(
  rows: readonly Row[],
  fields: RowFields | undefined,
  scales: RowDigits | undefined,
): Json[] {
  const columns = fields && Object.entries(fields);
  const items = columns === undefined ? [...rows] : rows.map((row) => itemOf(row, columns));
  return scales === undefined ? items : items.map((item) => withDigits(item, scales));
}

/** The fields of a row; fields without a column are null. */
function itemOf(row: Row, columns: readonly (readonly [string, string])[]): JsonObject {
  return Object.fromEntries(
    columns.map(([name, column]) => [name, Object.hasOwn(row, column) ? (row[column] ?? null) : null]),
  );
}
