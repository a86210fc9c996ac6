/** The results of an operation: a reply, a failure thrown by an exception, or an error with an HTTP status. */
import type { ServerResponse } from 'node:http';
import type { Json } from './json.js';

export interface Reply<Body extends Json = Json> {
  /** The HTTP status code. */
  readonly status: number;
  /** The JSON body; undefined if there is no body. */
  readonly body?: Body;
  /** Sends the reply if it is more than a JSON body. When an operation is called by another, the body is returned instead. */
  readonly content?: object;
}

/**
 * The error that an exception throws. It ends the operation, including its loops and callers, and rolls back their transaction unless
 * the caller continues after failures.
 */
export interface Failure extends Error, FailureOptions {
  /** The HTTP status code; the message is for the client. */
  readonly status: number;
}

/** Alternating header names and values; a list of values becomes a line for each element. */
export type HeaderList = readonly (string | string[])[];

/** Headers to add to a response. */
export type HeaderLines = (response: ServerResponse) => HeaderList;

/** Optional parts of an exception. */
export interface FailureOptions {
  readonly header?: HeaderLines | undefined;
  /** A short, machine-readable name. */
  readonly code?: string | undefined;
  /** Creates the body; defaults to the error body of the service. */
  readonly body?: ((error: ErrorInfo) => Json | Promise<Json>) | undefined;
  /** Whether the response has a secret that the operation made: caches do not store it, and it is never compressed. */
  readonly secret?: boolean | undefined;
}

/** The error, as body expressions read it (ERROR). */
export type ErrorInfo = {
  readonly status: number;
  /** The reason phrase of the status. */
  readonly title: string;
  readonly message: string;
  readonly code: string | null;
  readonly requestId: string;
  /** The validation errors of the request. */
  readonly faults: Fault[];
  /** The messages of the validation errors, by parameter or field name. */
  readonly byName: Record<string, string[]>;
};

/** One validation error of a request. */
export type Fault = {
  /** `body`, `query`, `path`, `header` or `form`; `parameter` if the location is unknown. */
  readonly in: string;
  readonly name: string;
  /** The JSON pointer of the value in a body. */
  readonly pointer: string | null;
  readonly message: string;
};

/** An Error created without the Error constructor, which would record an unused stack and is slow. */
class ThrownFailure implements Failure {
  readonly name = 'Failure';
  readonly header: FailureOptions['header'];
  readonly code: FailureOptions['code'];
  readonly body: FailureOptions['body'];
  readonly secret: FailureOptions['secret'];

  constructor(
    readonly status: number,
    readonly message: string,
    { header, code, body, secret }: FailureOptions,
  ) {
    this.header = header;
    this.code = code;
    this.body = body;
    this.secret = secret;
  }
}
Object.setPrototypeOf(ThrownFailure.prototype, Error.prototype);

/** Creates the failure for an exception: `throw fail(404, 'Not found')`. */
export function fail(status: number, message: string, options: FailureOptions = {}): Failure {
  return new ThrownFailure(status, message, options);
}

/** Whether the error was thrown by an exception in the configuration. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof ThrownFailure;
}

export interface ServiceErrorDetails {
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number;
  /**
   * The state of the intended change: `unknown`, or `conflict` if it was rolled back because of a conflicting change and can be
   * retried. Undefined for other errors.
   */
  readonly outcome?: 'unknown' | 'conflict';
  /** Further headers of the response: names and values alternate. */
  readonly headers?: HeaderList;
  /** The possible names of the constraint that a statement has violated. */
  readonly violated?: readonly string[];
  /** The individual validation errors of the request. */
  readonly faults?: readonly Fault[] | undefined;
  /** The minimum log level, if the client caused the error. */
  readonly level?: 'info';
  /** Log fields: names from the configuration and codes, without values or secrets. */
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

/** Ends a request whose body has another media type, character set or encoding than the operation reads. */
export class MediaTypeError extends ServiceError {
  constructor(message: string) {
    super(415, message);
  }
}

/** The message for a rejected value that cannot be identified to the client. */
export const unnamedValue = 'The database does not accept a value of the request';

/** Converts a thrown value to an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The code of an error from files, the network or a driver; undefined if missing. */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

/** A string field of an error; undefined if missing. */
export function errorField(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

/** The error message. It can contain data and secrets: code may parse it, but must not show it unless it is known to be harmless. */
export function messageOf(error: unknown): string {
  return errorField(error, 'message') ?? '';
}
