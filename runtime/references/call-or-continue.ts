/** `onFailure: continue` of reference calls: errors of the called operation become results. */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import { isFailure, ServiceError, type Failure, type Reply } from '../handler/reply.js';
import { referenceCall, type PassedValues } from './reference.js';

/** The reply of a called operation. After an exception or error, the status is that of the error, and the body is null. */
export interface CallOutcome<Body extends Json = Json> {
  readonly status: number | null;
  readonly body: Body | null;
}

/** The result of an operation that was not called. */
export const notCalled = { status: null, body: null } as const;

/**
 * Calls another operation. Exceptions and errors become results, except those that end the whole call: the deadline has passed, the
 * client has disconnected, it is unknown whether a change was made, or the call is inside a transaction, which must be rolled back
 * completely.
 */
export async function callOrContinue<Body extends Json>(
  call: Call,
  operation: (call: Call) => Promise<Reply<Body>>,
  passed: PassedValues = {},
): Promise<CallOutcome<Body>> {
  try {
    const { status, body = null } = await operation(referenceCall(call, passed));
    return { status, body };
  } catch (error) {
    if (call.transaction !== undefined || !isOfCalled(error)) throw error;
    call.proceed();
    return { status: error.status, body: null };
  }
}

function isOfCalled(error: unknown): error is Failure | ServiceError {
  if (isFailure(error)) return true;
  return error instanceof ServiceError && error.status !== 499 && error.details.outcome !== 'unknown';
}
