/** Keys that verify tokens, and the settings from which authentications read them. */
import { errors, type JWTVerifyGetKey } from 'jose';
import type { Log } from '../server/log.js';

export interface TokenKeys {
  /** The algorithms that the keys are for. */
  readonly algorithms: readonly string[];
  /** Whether a key verifies the token. Throws a ServiceError 503 without any keys. */
  accept(verify: (key: JWTVerifyGetKey) => Promise<unknown>, log: Log): Promise<boolean>;
}

/** A setting from which an authentication has its keys. */
export interface KeySource {
  readonly field: 'key' | 'jwks';
  readonly isSecret: boolean;
  /** Why a value is not valid, as the end of a sentence, without the value. */
  problemOf(value: string): string | undefined;
  /** The keys of a value without a problem; `authentication` is its name, for the log. */
  keysOf(value: string, authentication: string): TokenKeys;
}

/** Whether it is verified; false for every error of a token or its key. */
export async function isVerified(verification: Promise<unknown>): Promise<boolean> {
  try {
    await verification;
    return true;
  } catch (error) {
    return refusedBy(error);
  }
}

/** False for an error of a token, or of a key that does not suit its algorithm; any other is thrown. */
export function refusedBy(error: unknown): false {
  if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
  throw error;
}
