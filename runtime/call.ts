/** What a handler knows of the call that it answers: no web framework in it. */
import type { Json } from './json.js';

/** One run of an operation, whether a request, a timer or a reference call started it. */
export interface Call {
  /** The parameter of that name: path, query, form field, header (decisions 3.1); null when there is none. */
  param(name: string): Json;
  /** The JSON request body; null when there is none. */
  readonly body: Json;
  /** When the time for the whole call is used up, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Throws when there is no sense in going on: the client has gone away, or the time is used up. */
  proceed(): void;
}
