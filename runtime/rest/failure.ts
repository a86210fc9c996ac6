/** The failures of a third-party API as errors of the service: 502 or 504. */
import { ServiceError } from '../handler/reply.js';

/** Names of the configuration for a request, for the log. */
export interface CallSite {
  readonly datasource: string;
  readonly operation: string;
  readonly fulfillment: string;
}

/** The API sent no usable response. `reason` is for the log, with the status of the response if there was one. */
export function badResponse(callSite: CallSite, reason: string, thirdPartyStatus?: number): ServiceError {
  const log = { ...callSite, reason, ...(thirdPartyStatus === undefined ? {} : { thirdPartyStatus }) };
  return new ServiceError(502, 'The third-party API did not respond as expected', { log });
}

/** The API did not respond in time. */
export function tookTooLong(callSite: CallSite): ServiceError {
  const log = { ...callSite, reason: 'the third-party API took too long' };
  return new ServiceError(504, 'The third-party API took too long', { log });
}

/** No connection, or a lost one. Only the code of the error is used: the error itself contains request and headers. */
export function unreachable(callSite: CallSite, code: string): ServiceError {
  const log = { ...callSite, reason: 'the third-party API is not reachable', code };
  return new ServiceError(502, 'The third-party API is not reachable', { log });
}
