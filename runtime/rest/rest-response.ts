/** The response of a third-party API with its status, for operations that read STATUS. */
import type { Json } from '../handler/json.js';

export interface RestResponse {
  readonly status: number;
  readonly body: Json;
}

/** The value for a request that was not sent. */
export const noResponse = { status: null, body: null } as const;
