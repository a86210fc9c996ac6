/** The response of a third-party API with its status, for operations that read STATUS. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../handler/json.js';

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

/** The value for a request that was not sent. */
export const noResponse = { status: null, headers: {}, body: null, failure: null } as const;
