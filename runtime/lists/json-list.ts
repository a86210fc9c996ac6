/** Lists that only a JSON response reads: their rows become its bytes while they arrive. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { JsonRowsOrValues } from '../handler/rows-as-json.js';
import { jsonRows } from '../responses/json-rows.js';
import type { PassedValue } from '../sql/sql-template.js';
import type { Asked, List } from './list-of.js';

/** As `jsonRows`. Throws a ServiceError, also 400 for an order, a limit or a token that is not possible. */
export async function jsonList<Entry extends Row>(
  list: List<Entry>,
  call: Call,
  passed: readonly PassedValue[],
  asked: Asked,
  fields?: Readonly<Record<string, keyof Entry & string>>,
): Promise<JsonRowsOrValues> {
  const { statement, values } = list.chosen(passed, asked);
  return jsonRows(statement, call, values, fields);
}
