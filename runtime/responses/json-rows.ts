/** Lists that only a JSON response reads: their rows become its bytes while they arrive. */
import { afterChanges, type Call } from '../handler/call.js';
import { tooLarge } from '../handler/json-text.js';
import type { Json, JsonObject, Row } from '../handler/json.js';
import type { Statement } from '../sql/statement.js';
import type { PassedValue } from '../sql/sql.js';
import type { RowsAsJson } from './json-pieces.js';
import { RowBytes, type RowFields } from './row-bytes.js';

/** Rows for `jsonReply`. */
export class JsonRows {
  /** Either the JSON of the rows, or their values: where they had to be decoded, or are traced. */
  constructor(readonly content: { readonly json: RowsAsJson } | { readonly values: Json[] }) {}
}

/**
 * Runs the statement, and returns its rows for `jsonReply`: as they are, or with these fields, each of a column, or null without it. Throws a ServiceError, as the
 * statement does.
 */
export async function jsonRows<Entry extends Row>(
  statement: Statement<Entry>,
  call: Call,
  values?: readonly PassedValue[],
  fields?: Readonly<Record<string, keyof Entry & string>>,
): Promise<JsonRows>;
export async function jsonRows(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[] = [],
  fields?: RowFields,
): Promise<JsonRows> {
  const read = await readJson(statement, call, values, () => new RowBytes(fields));
  return 'json' in read ? new JsonRows({ json: read.json }) : ofRows(read.rows, fields);
}

/** Runs the statement: its rows are the JSON of a sink, or values. Throws a ServiceError, as the statement does. */
export async function readJson<Entry extends Row, Sink extends RowBytes>(
  statement: Statement<Entry>,
  call: Call,
  values: readonly PassedValue[],
  sinkOf: () => Sink,
): Promise<{ readonly json: RowsAsJson; readonly sink: Sink } | { readonly rows: Entry[] }>;
export async function readJson<Sink extends RowBytes>(
  statement: Statement,
  call: Call,
  values: readonly PassedValue[],
  sinkOf: () => Sink,
): Promise<{ readonly json: RowsAsJson; readonly sink: Sink } | { readonly rows: Row[] }> {
  if (statement.traceRows !== undefined || call.isReadHere === true)
    return { rows: await statement(call, values) };
  let sink: Sink | undefined;
  const rows = await statement.runner.run(call, values, () => (sink = sinkOf()));
  if (rows.length > 0 || sink === undefined) return { rows };
  try {
    return { json: finish(call, sink), sink };
  } catch (error) {
    throw afterChanges(call, error);
  }
}

/** Bytes; smaller results are not counted. */
const small = 64 * 1024;

/** Throws a ServiceError: 500 for too much JSON, 503 if the process holds too much already. */
function finish(call: Call, sink: RowBytes): RowsAsJson {
  if (sink.isTooLarge) throw tooLarge();
  return held(call, sink.finish());
}

/** Counts the JSON. Throws a ServiceError (503) if the process holds too much already. */
export function held(call: Call, json: RowsAsJson): RowsAsJson {
  const bytes = typeof json === 'string' ? 0 : json.reduce((sum, { length }) => sum + length, 0);
  if (bytes >= small) (call.root ?? call).hold?.(bytes);
  return json;
}

/** Values for `jsonReply`, with these fields. */
export function ofRows(rows: readonly Row[], fields: RowFields | undefined): JsonRows {
  if (fields === undefined) return new JsonRows({ values: [...rows] });
  const columns = Object.entries(fields);
  return new JsonRows({ values: rows.map((row) => itemOf(row, columns)) });
}

/** A field without a column is null. */
function itemOf(row: Row, columns: readonly (readonly [string, string])[]): JsonObject {
  return Object.fromEntries(
    columns.map(([name, column]) => [name, Object.hasOwn(row, column) ? (row[column] ?? null) : null]),
  );
}
