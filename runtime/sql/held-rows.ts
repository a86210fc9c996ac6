/** Counts large results among what the process keeps until its requests are answered. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { memoryOf } from '../handler/list-memory.js';

/** Rows that are looked at, chosen at random; the others are taken to be like them. */
const sample = 16;
/** Bytes; smaller results are not counted. */
const small = 64 * 1024;

/** Throws a ServiceError (503) where the process keeps too much already. */
export function holdRows(call: Call, rows: readonly Row[]): void {
  const root = call.root ?? call;
  if (root.hold === undefined) return;
  const step = Math.ceil(rows.length / sample);
  let bytes = 0;
  for (let index = Math.floor(Math.random() * step); index < rows.length; index += step)
    bytes += step * memoryOf(rows[index] ?? null);
  if (bytes >= small) root.hold(bytes);
}
