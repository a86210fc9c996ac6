/** The failures of a third-party API as errors of the service: 502 or 504. */
import { afterChanges, type Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';

/** Names of the configuration for a request, for the log. */
export interface CallSite {
  readonly datasource: string;
  readonly operation: string;
  readonly fulfillment: string;
}

/** Why a request has no usable response (FAILURE). */
export type FailureKind = 'unreachable' | 'timeout' | 'tooLarge' | 'unreadable';

/** A request without a usable response. */
export class RequestFailure extends ServiceError {
  constructor(
    readonly kind: FailureKind,
    message: string,
    log: Readonly<Record<string, string | number>>,
    /** True if no byte of the request has left. */
    readonly isUnsent = false,
    /** Seconds after which another try may succeed, if known. */
    readonly retryAfter?: number,
    /** Whether the caller may retry then: 503. */
    isForCaller = false,
  ) {
    const status = kind === 'timeout' ? 504 : 502;
    super(isForCaller ? 503 : status, message, {
      log,
      ...(isForCaller && retryAfter !== undefined ? { retryAfter } : {}),
    });
  }
}

/** The API sent no usable response. `reason` is for the log, with the status of the response if there was one. */
export function badResponse(
  callSite: CallSite,
  reason: string,
  { kind = 'unreadable', status }: { readonly kind?: FailureKind; readonly status?: number } = {},
): RequestFailure {
  const log = { ...callSite, reason, ...(status === undefined ? {} : { thirdPartyStatus: status }) };
  return new RequestFailure(kind, 'The third-party API did not respond as expected', log);
}

/** The API did not respond in time. With the time of the whole call it ends the call, whatever the request is configured for. */
export function tookTooLong(callSite: CallSite, isCallOver: boolean, isUnsent: boolean): ServiceError {
  const message = 'The third-party API took too long';
  const log = { ...callSite, reason: 'the third-party API took too long' };
  return isCallOver
    ? new ServiceError(504, message, { log })
    : new RequestFailure('timeout', message, log, isUnsent);
}

/** No connection, or a lost one. Only the code of the error is used: the error itself contains request and headers. */
export function unreachable(callSite: CallSite, code: string, isUnsent: boolean): RequestFailure {
  const log = { ...callSite, reason: 'the third-party API is not reachable', code };
  return new RequestFailure('unreachable', 'The third-party API is not reachable', log, isUnsent);
}

/**
 * The service could not log in to the API, because its token server does not issue a token. Nothing of the request was sent, so it is 503
 * with `Retry-After`, unless an earlier step has changed something.
 */
export function notLoggedIn(
  call: Call,
  callSite: CallSite,
  reason: string,
  kind: FailureKind,
  retryAfter: number,
): RequestFailure {
  const log = { ...callSite, reason: `the token server of the third-party API gives no token: ${reason}` };
  const message = 'The service cannot log in to the third-party API';
  const failure = new RequestFailure(kind, message, log, true, retryAfter, true);
  const isForCaller = afterChanges(call, failure) === failure;
  return isForCaller ? failure : new RequestFailure(kind, message, log, true, retryAfter);
}
