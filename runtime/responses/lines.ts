/** Contents with one line for each row. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';

/** Characters of a piece. */
const large = 64 * 1024;

/** The format of rows. */
export interface Lines {
  /** Text before the first row. */
  readonly head: string;
  readonly line: (row: Json) => string;
}

/** JSON lines: each row is one line of JSON. */
export const jsonLines: Lines = { head: '', line: (row) => `${JSON.stringify(row)}\n` };

/** The rows of a list; null is an empty list, and any other value is a single row. */
export function rowsOf(body: Json): readonly Json[] {
  return Array.isArray(body) ? body : body === null ? [] : [body];
}

/** The content in pieces, written with pauses to serve other requests. Throws the errors of `call.proceed`. */
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
