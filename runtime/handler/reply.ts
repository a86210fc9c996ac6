/** The ways in which an operation ends: a reply, the failure of an exception, or an error with an HTTP status. */
import type { Json } from './json.js';

export interface Reply<Body extends Json = Json> {
  /** HTTP status code. */
  readonly status: number;
  /** The JSON body; undefined for none. */
  readonly body?: Body;
}

/** Creates the reply of a response: `reply(200, { id: 1 })`. */
export function reply<Body extends Json>(status: number, body?: Body): Reply<Body> {
  return body === undefined ? { status } : { status, body };
}

/**
 * What an exception throws. It ends the operation with its loops and callers, and rolls their transaction back
 * (decisions 7.2).
 */
export interface Failure extends Error {
  /** HTTP status code; the message is for the client. */
  readonly status: number;
}

/** An Error that is not created by its constructor: that would record a stack, which is slow and not used. */
class ThrownFailure implements Failure {
  readonly name = 'Failure';

  constructor(
    readonly status: number,
    readonly message: string,
  ) {}
}
Object.setPrototypeOf(ThrownFailure.prototype, Error.prototype);

/** Creates the failure of an exception: `throw fail(404, 'Not found')`. */
export function fail(status: number, message: string): Failure {
  return new ThrownFailure(status, message);
}

/** Whether an exception of the configuration threw it; false for all other errors. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof ThrownFailure;
}

/** The reply of an operation. If an exception ended it, this is a reply with its message (decisions 9.3). Any other error is thrown. */
export async function replyOf(operation: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await operation();
  } catch (error) {
    if (isFailure(error)) return reply(error.status, { message: error.message });
    throw error;
  }
}

export interface ServiceErrorDetails {
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /**
   * The state of the change that the call should make: `unknown`, or undone because of a `conflict` with another one, so that it can be
   * retried. Undefined for all other errors.
   */
  readonly outcome?: 'unknown' | 'conflict';
  /** The minimum log level if it is the client's error. */
  readonly level?: 'info';
  /** Fields for the log: names of the configuration and codes, never a value or a secret. */
  readonly log?: Readonly<Record<string, string | number>>;
  /** The cause. Its message may contain data, so only its code and stack frames are logged. */
  readonly cause?: unknown;
}

/** Ends the call with a status and a public message. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly status: number,
    message: string,
    readonly details: ServiceErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
  }
}
