/** The ways in which an operation ends: a reply, the failure of an exception, or an error with an HTTP status. */
import type { Json } from './json.js';

export interface Reply {
  /** HTTP status code. */
  readonly status: number;
  /** The JSON body; a reply without one has no body at all. */
  readonly body?: Json;
}

/** The reply of a response; without `body` it has none. */
export function reply(status: number, body?: Json): Reply {
  return body === undefined ? { status } : { status, body };
}

/**
 * What an exception throws: it ends the operation, the loops and the calls around it, and rolls their transaction back
 * (decisions 7.2).
 */
export interface Failure extends Error {
  /** HTTP status code; the message is for the caller. */
  readonly status: number;
}

/** An Error to everybody, but not made by its constructor: a stack that nobody reads would cost more than all the rest of the throw. */
class ThrownFailure implements Failure {
  readonly name = 'Failure';

  constructor(
    readonly status: number,
    readonly message: string,
  ) {}
}
Object.setPrototypeOf(ThrownFailure.prototype, Error.prototype);

/** The failure of an exception, to be thrown. */
export function fail(status: number, message: string): Failure {
  return new ThrownFailure(status, message);
}

/** Whether it was thrown by an exception, and not by something that went wrong. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof ThrownFailure;
}

/** The reply of an operation: where an exception fired, its message as an error body (decisions 9.3). Throws any other error. */
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
   * What is known of a change that the call was to make: `unknown` whether it was made, or undone as a whole because of a
   * `conflict` with another one, so that it may be tried again. Left out where it is neither.
   */
  readonly outcome?: 'unknown' | 'conflict';
  /** The level at which it is logged at least, where it is the caller's error. */
  readonly level?: 'info';
  /** What the log says besides the message: the configuration's own words and codes, never a value or a secret. */
  readonly log?: Readonly<Record<string, string | number>>;
  /** The error behind it. Its text may hold data: only its code and stack frames are ever logged. */
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
