/** `onFailure: continue` of requests: one without a usable response has a result, too. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../handler/json.js';
import { RequestFailure, type FailureKind } from './failure.js';
import { noResponse, type RestResponse } from './rest-response.js';
import type { Request } from './rest.js';

/** A response with any status. Without a usable response, status and body are null. */
export interface RestOutcome {
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly failure: FailureKind | null;
}

/** Turns failures of the request into results. The end of the whole call and a disconnected client still end it. */
export function orFailure(request: Request<RestResponse>): Request<RestOutcome> {
  return async (call, message) => {
    try {
      const response = await request(call, message);
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
