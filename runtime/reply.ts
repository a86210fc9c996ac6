/** What a handler answers. */
import type { Json } from './json.js';

export interface Reply {
  /** HTTP status code. */
  readonly status: number;
  /** The JSON body; a reply without one has no body at all. */
  readonly body?: Json;
  /** True when an exception fired: it ends the calls around this one too, and their transaction is rolled back. */
  readonly failed?: true;
}

/** The answer of a response; without `body` it has none. */
export function reply(status: number, body?: Json): Reply {
  return body === undefined ? { status } : { status, body };
}

/** The answer of an exception that fired: its message as an error body (decisions 9.3). */
export function fail(status: number, message: string): Reply {
  return { status, body: { message }, failed: true };
}
