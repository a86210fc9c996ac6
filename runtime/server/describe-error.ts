/** What a log may say of an error: never a message that could hold data, a host or a secret (decisions 9.3). */
import { ServiceError } from '../handler/reply.js';

/** The loggable part of an error. */
export interface ErrorDescription {
  readonly type: string;
  /** `code`, `errno` and `sqlState` of databases, sockets and files. */
  readonly code?: string | number;
  readonly sqlState?: string;
  /** Only of errors that the language itself raises: they name code, not data. */
  readonly message?: string;
  /** The frames of the stack, without the message above them. */
  readonly stack?: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Describes an error and, up to three deep, what caused it. */
export function describeError(error: unknown, depth = 3): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = word(Reflect.get(error, 'code')) ?? word(Reflect.get(error, 'errno'));
  const sqlState = word(Reflect.get(error, 'sqlState'));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(typeof sqlState === 'string' ? { sqlState } : {}),
    ...(speaksOfCode(error) ? { message: error.message } : {}),
    ...(error instanceof ServiceError ? {} : { stack: frames(error) }),
    ...(error.cause === undefined || depth === 0 ? {} : { cause: describeError(error.cause, depth - 1) }),
  };
}

/** What a log entry says of the error that ended a call: its status, the configuration's own words, and what caused it. */
export function describeFailure(error: unknown): FailureDescription {
  if (!(error instanceof ServiceError)) return { status: 500, error: describeError(error) };
  const { log, cause } = error.details;
  return { status: error.status, ...log, ...(cause === undefined ? {} : { error: describeError(cause) }) };
}

/** The loggable part of a failed call. */
export interface FailureDescription {
  readonly status: number;
  readonly error?: ErrorDescription;
}

/** A code is a number or a short word; anything else might be data. */
function word(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\w{1,40}$/.test(value) ? value : undefined;
}

/** SyntaxError is not among them: JSON.parse quotes the text that it read. */
function speaksOfCode(error: Error): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

function frames(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => /^at .*:\d+:\d+\)?$/.test(line));
}
