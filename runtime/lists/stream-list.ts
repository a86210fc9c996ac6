/** Lists whose rows are streamed. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { RowStream } from '../responses/row-stream.js';
import { streamRows } from '../responses/stream-rows.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { Asked, List } from './list-of.js';

/** Like `streamRows`, for a list. Throws a ServiceError 400 for an invalid order, limit or token. */
export function streamList<Entry extends Row>(
  list: List<Entry>,
  call: Call,
  passed: readonly PassedValue[],
  asked: Asked,
): RowStream<Entry> {
  const { statement, values } = list.chosen(passed, asked);
  return streamRows(statement, call, values);
}
