/** Lists that are only read by a JSON response: rows are converted to bytes of the response as they arrive. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { JsonRowsOrValues } from '../handler/rows-as-json.js';
import { jsonRows } from '../responses/json-rows.js';
import type { RowDigits } from '../responses/row-bytes.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { Asked, List } from './list-of.js';

/** Like `jsonRows`, for a list. Throws a ServiceError, including 400 for an invalid order, limit or token. */
export async function jsonList<Entry extends Row>(
  list: List<Entry>,
  call: Call,
  passed: readonly PassedValue[],
  asked: Asked,
  fields?: Readonly<Record<string, keyof Entry & string>>,
  scales?: RowDigits,
): Promise<JsonRowsOrValues> {
  const { statement, values } = list.chosen(passed, asked);
  return jsonRows(statement, call, values, fields, scales);
}
