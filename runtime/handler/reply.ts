/** The ways in which an operation ends: a reply, the failure of an exception, or an error with an HTTP status. */
import type { ServerResponse } from 'node:http';
import type { Json } from './json.js';

export interface Reply<Body extends Json = Json> {
  /** HTTP status code. */
  readonly status: number;
  /** The JSON body; undefined without a body. */
  readonly body?: Body;
  /** How it is sent, if it is more than a JSON body. A called operation returns the body all the same. */
  readonly content?: object;
}

/**
 * The error that an exception throws. It ends the operation with its loops and callers, and rolls their transaction back
 * unless the caller continues after failures.
 */
export interface Failure extends Error, FailureOptions {
  /** HTTP status code; the message is for the client. */
  readonly status: number;
}

/** Names and values of headers alternate; a list is a line for each element. */
export type HeaderList = readonly (string | string[])[];

/** Headers of a response, in addition to those that it already has. */
export type HeaderLines = (response: ServerResponse) => HeaderList;

/** Optional parts of an exception, in addition to status and message. */
export interface FailureOptions {
  readonly header?: HeaderLines | undefined;
  /** A short name for programs. */
  readonly code?: string | undefined;
  /** The body; without it that of the service's errors. */
  readonly body?: ((error: ErrorInfo) => Json | Promise<Json>) | undefined;
}

/** The error as expressions of a body read it (ERROR). */
export type ErrorInfo = {
  readonly status: number;
  /** The reason phrase of the status. */
  readonly title: string;
  readonly message: string;
  readonly code: string | null;
  readonly requestId: string;
  /** The validation errors of the request. */
  readonly faults: Fault[];
  /** The messages of the faults by the names of parameters and fields. */
  readonly byName: Record<string, string[]>;
};

/** One validation error of a request. */
export type Fault = {
  /** `body`, `query`, `path`, `header`, `form`; `parameter` if its place is unknown. */
  readonly in: string;
  readonly name: string;
  /** The position of the value in a body, as a JSON pointer. */
  readonly pointer: string | null;
  readonly message: string;
};

/** An Error that is not created by its constructor: that would record a stack, which is slow and not used. */
class ThrownFailure implements Failure {
  readonly name = 'Failure';
  readonly header: FailureOptions['header'];
  readonly code: FailureOptions['code'];
  readonly body: FailureOptions['body'];

  constructor(
    readonly status: number,
    readonly message: string,
    { header, code, body }: FailureOptions,
  ) {
    this.header = header;
    this.code = code;
    this.body = body;
  }
}
Object.setPrototypeOf(ThrownFailure.prototype, Error.prototype);

/** Creates the failure of an exception: `throw fail(404, 'Not found')`. */
export function fail(status: number, message: string, options: FailureOptions = {}): Failure {
  return new ThrownFailure(status, message, options);
}

/** Whether an exception of the configuration threw it; false for all other errors. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof ThrownFailure;
}

export interface ServiceErrorDetails {
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
  /**
   * The state of the change that the call should make: `unknown`, or undone because of a `conflict` with another one, so that it can be
   * retried. Undefined for all other errors.
   */
  readonly outcome?: 'unknown' | 'conflict';
  /** The validation errors of the request, one by one. */
  readonly faults?: readonly Fault[] | undefined;
  /** The minimum log level if it is the client's error. */
  readonly level?: 'info';
  /** Fields for the log: names of the configuration and codes, never a value or a secret. */
  readonly log?: Readonly<Record<string, string | number>> | undefined;
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

/** The message about a value of which the client does not learn which one it is. */
export const unnamedValue = 'The database does not accept a value of the request';

/** The thrown value as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The code of an error of a file, the network or a driver; undefined if it has none. */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

/** A string field of an error; undefined if it is missing. */
export function errorField(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

/** The message can contain data and secrets. It may be parsed, but shown only if it cannot contain them. */
export function messageOf(error: unknown): string {
  return errorField(error, 'message') ?? '';
}
