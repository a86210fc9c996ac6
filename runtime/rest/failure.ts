/** The failures of a third-party API as errors of the service: 502 or 504. */
import { ServiceError } from '../handler/reply.js';

/** The configuration's words for a request, for the log. */
export interface RequestPlace {
  readonly datasource: string;
  readonly operation: string;
  readonly fulfillment: string;
}

/** The API gave no answer that can be used; `reason` goes to the log, with the status of its answer where there was one. */
export function badAnswer(place: RequestPlace, reason: string, answered?: number): ServiceError {
  const log = { ...place, reason, ...(answered === undefined ? {} : { answered }) };
  return new ServiceError(502, 'The third-party API did not answer as expected', { log });
}

/** The API did not answer in time. */
export function tookTooLong(place: RequestPlace): ServiceError {
  const log = { ...place, reason: 'the third-party API took too long' };
  return new ServiceError(504, 'The third-party API took too long', { log });
}

/** No connection, or one that broke. Only the code of the error is kept: the error itself holds request and headers. */
export function unreachable(place: RequestPlace, code: string): ServiceError {
  const log = { ...place, reason: 'the third-party API is not reachable', code };
  return new ServiceError(502, 'The third-party API is not reachable', { log });
}
