/** Errors that know which status the caller gets and what the log may say. */

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
