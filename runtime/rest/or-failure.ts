/** `onFailure: continue` of requests: a missing or unusable response also becomes a result. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../handler/json.js';
import { RequestFailure, type FailureKind } from './failure.js';
import { noResponse, type RestResponse } from './rest-response.js';
import type { Request } from './rest.js';

/** A response with any status. Status and body are null if the response is missing or unusable. */
export interface RestOutcome {
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly failure: FailureKind | null;
}

/** Converts request failures to results. Timeouts of the whole call and client disconnects still end the call. */
export function orFailure(request: Request<RestResponse>): Request<RestOutcome> {
  return async (call, message, signal) => {
    try {
      const response = await request(call, message, signal);
      return response.hasNoParts === true
        ? { ...noResponse, failure: 'unreadable' }
        : { ...response, failure: null };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      call.proceed();
      return { ...noResponse, failure: error.kind };
    }
  };
}
