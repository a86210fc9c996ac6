/** The answer of a third-party API, where the configuration reads its status (decisions 3.9). */
import type { Json } from '../handler/json.js';

export interface Answer {
  /** Null where no request was sent. */
  readonly status: number | null;
  readonly body: Json;
}

/** What stands for the answer of a request that was not sent. */
export const noAnswer: Answer = { status: null, body: null };
