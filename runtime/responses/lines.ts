/** Contents with a line for each row. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/** Characters of a piece. */
const large = 64 * 1024;

/** How rows are written. */
export interface Lines {
  /** Before the first row. */
  readonly head: string;
  readonly line: (row: Json) => string;
}

/** A line of JSON for each row. */
export const jsonLines: Lines = { head: '', line: (row) => `${JSON.stringify(row)}\n` };

/** The rows of a list; any other value is a single row, and null an empty list. */
export function rowsOf(body: Json): readonly Json[] {
  return Array.isArray(body) ? body : body === null ? [] : [body];
}

/** The content in pieces, so that other requests are served meanwhile. Throws the errors of `call.proceed`. */
export async function inPieces(
  call: Call,
  rows: readonly Json[],
  { head, line }: Lines,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let pending = head;
  for (const row of rows) {
    pending += line(row);
    if (pending.length < large) continue;
    pieces.push(Buffer.from(pending));
    pending = '';
    if (isTurnOver()) await nextTurn(call);
  }
  pieces.push(Buffer.from(pending));
  return pieces;
}
