/** Maps failures of a third-party API to errors of the service: 502 or 504. */
import { afterChanges, type Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';

/** Names from the configuration that identify a request in the log. */
export interface CallSite {
  readonly datasource: string;
  readonly operation: string;
  readonly fulfillment: string;
}

/** The reason for a missing or unusable response (FAILURE). */
export type FailureKind = 'unreachable' | 'timeout' | 'tooLarge' | 'unreadable';

/** A missing or unusable response. */
export class RequestFailure extends ServiceError {
  constructor(
    readonly kind: FailureKind,
    message: string,
    log: Readonly<Record<string, string | number>>,
    /** True if nothing was sent. */
    readonly isUnsent = false,
    /** Seconds after which a retry may succeed, if known. */
    readonly retryAfter?: number,
    /** Whether to ask the caller to retry after that time, with 503. */
    isForCaller = false,
  ) {
    const status = kind === 'timeout' ? 504 : 502;
    super(isForCaller ? 503 : status, message, {
      log,
      ...(isForCaller && retryAfter !== undefined ? { retryAfter } : {}),
    });
  }
}

/** The API sent an unusable response. `reason` is for the log, which includes the response status if known. */
export function badResponse(
  callSite: CallSite,
  reason: string,
  { kind = 'unreadable', status }: { readonly kind?: FailureKind; readonly status?: number } = {},
): RequestFailure {
  const log = { ...callSite, reason, ...(status === undefined ? {} : { thirdPartyStatus: status }) };
  return new RequestFailure(kind, 'The third-party API did not respond as expected', log);
}

/** The API did not respond in time. If the whole call has timed out, the call ends regardless of `onFailure`. */
export function tookTooLong(callSite: CallSite, isCallOver: boolean, isUnsent: boolean): ServiceError {
  const message = 'The third-party API took too long';
  const log = { ...callSite, reason: 'the third-party API took too long' };
  return isCallOver
    ? new ServiceError(504, message, { log })
    : new RequestFailure('timeout', message, log, isUnsent);
}

/** The connection failed or was lost. Only the error code is used, because the error contains the request and its headers. */
export function unreachable(callSite: CallSite, code: string, isUnsent: boolean): RequestFailure {
  const log = { ...callSite, reason: 'the third-party API is not reachable', code };
  return new RequestFailure('unreachable', 'The third-party API is not reachable', log, isUnsent);
}

/**
 * The service could not log in to the API, because the token server did not issue a token. The request was not sent, so the status is
 * 503 with `Retry-After`, unless an earlier step has changed data.
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
