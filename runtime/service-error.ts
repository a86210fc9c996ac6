/** Errors that know which status the caller gets and what the log may say. */

export interface ServiceErrorDetails {
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
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
