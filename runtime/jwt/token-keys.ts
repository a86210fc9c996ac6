/** Keys that verify tokens, and the settings that contain them. */
import { errors, type JWTVerifyGetKey } from 'jose';
import type { Log } from '../server/log.js';

export interface TokenKeys {
  /** The algorithms supported by the keys. */
  readonly algorithms: readonly string[];
  /** Whether a key verifies the token. Throws a ServiceError 503 if no keys are available. */
  accept(verify: (key: JWTVerifyGetKey) => Promise<unknown>, log: Log): Promise<boolean>;
}

/** A setting that contains the keys of an authentication. */
export interface KeySource {
  readonly field: 'key' | 'jwks';
  readonly isSecret: boolean;
  /** The reason why a value is invalid, as the end of a sentence that does not contain the value. */
  problemOf(value: string): string | undefined;
  /** The keys in a valid value; `authentication` is the configured name, for the log. */
  keysOf(value: string, authentication: string): TokenKeys;
}

/** Whether the verification succeeds; false for all errors of a token or key. */
export async function isVerified(verification: Promise<unknown>): Promise<boolean> {
  try {
    await verification;
    return true;
  } catch (error) {
    return refusedBy(error);
  }
}

/** Returns false for an error of the token, or of a key that does not match its algorithm; throws other errors. */
export function refusedBy(error: unknown): false {
  if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
  throw error;
}
