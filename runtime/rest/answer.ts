/** The response of a third-party API with its status, for operations that read STATUS. */
import type { Json } from '../handler/json.js';

export interface Answer {
  /** Null where no request was sent. */
  readonly status: number | null;
  readonly body: Json;
}

/** The value for a request that was not sent. */
export const noAnswer: Answer = { status: null, body: null };
