/** What can go wrong with a statement, and what the caller and the log are told of it. */
import { ServiceError } from '../service-error.js';

/** The kinds of failure, one for each status (decisions 9.3). */
export type FailureKind = 'bad-value' | 'conflict' | 'unavailable' | 'timeout' | 'unexpected';

export interface Failure {
  readonly kind: FailureKind;
  /** SQLSTATE, the server's error number, or the code of a network error. */
  readonly code?: string | number;
  /** The connection is of no use any more, and the server has given no answer. */
  readonly died?: boolean;
  /** Nothing is known of the connection's state: it is not to be used again. */
  readonly broken?: boolean;
  /** It waits behind a statement that takes too long, and may run elsewhere. */
  readonly delayed?: boolean;
  /** It changes data, where only reading is allowed: nothing has happened. */
  readonly writes?: boolean;
  /** The value that is refused, by its place among the markers, and what would fit, in words. */
  readonly value?: { readonly place: number; readonly expected: string };
  /** What the log says besides the code: never a value or a secret. */
  readonly reason?: string;
}

/** Where it went wrong, in the configuration's words. */
export interface FailurePlace {
  readonly datasource: string;
  readonly operation?: string;
  readonly fulfillment?: string;
}

/** A failure, and the driver's error behind it. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';

  constructor(
    readonly failure: Failure,
    cause?: unknown,
  ) {
    super(failure.reason ?? failure.kind, { cause });
  }
}

const answers: Readonly<Record<FailureKind, readonly [status: number, message: string]>> = {
  'bad-value': [400, 'The database does not accept a value of the request'],
  conflict: [409, 'The change conflicts with the data that is there'],
  unavailable: [503, 'The database is not available'],
  timeout: [504, 'The database took too long to answer'],
  unexpected: [500, 'Internal server error'],
};

/** Seconds after which a caller may try again. */
const retryAfter = 1;

/**
 * The error that ends the call: the public message is general, codes go to the log. Where the statement has no values,
 * a bad value is one of its own text, and not the caller's.
 */
export function failureError(
  { failure, cause }: DatabaseFailure,
  place: FailurePlace,
  hasValues = true,
): ServiceError {
  const kind = failure.kind === 'bad-value' && !hasValues ? 'unexpected' : failure.kind;
  const [status, message] = answers[kind];
  return new ServiceError(status, message, {
    ...(status === 503 ? { retryAfter } : {}),
    log: {
      ...(place.operation === undefined ? {} : { operation: place.operation }),
      ...(place.fulfillment === undefined ? {} : { fulfillment: place.fulfillment }),
      datasource: place.datasource,
      ...(failure.code === undefined ? {} : { code: failure.code }),
      ...(failure.reason === undefined ? {} : { reason: failure.reason }),
    },
    cause,
  });
}

/** The code of an error of the network or of a driver, where it has one. */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

const networkCode =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_\w+|EHOST\w+|ENET\w+|EADDR\w+|EMFILE|ENFILE)$/;

/** Whether the code is one of a network that does not carry. */
export function isNetworkCode(code: string | number | undefined): boolean {
  return typeof code === 'string' && networkCode.test(code);
}
