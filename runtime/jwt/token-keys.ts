/** Keys that verify tokens, and the settings that contain them. */
import { errors, type JWTVerifyGetKey } from 'jose';
import type { Refusal } from '../authentication/refusal.js';
import type { Log } from '../server/log.js';

export interface TokenKeys {
  /** Equal for equal keys. */
  readonly id: string;
  /** The algorithms supported by the keys. */
  readonly algorithms: readonly string[];
  /** Why the token is refused; undefined if a key verifies it. Throws a ServiceError 503 without any keys. */
  check(verify: (key: JWTVerifyGetKey) => Promise<unknown>, log: Log): Promise<Refusal | undefined>;
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

/** Why a token is refused; undefined if it is verified. */
export async function refusalOf(verification: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await verification;
    return undefined;
  } catch (error) {
    return refusedBy(error);
  }
}

/** By the claim that an error of jose names. The messages of jose contain nothing more, and are not used. */
const ofClaim: Readonly<Record<string, Refusal>> = { iss: 'issuer', aud: 'audience' };

/** The reason for an error of a token, or of a key that does not suit its algorithm; any other error is thrown. */
export function refusedBy(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') return 'not-yet-valid';
    return ofClaim[error.claim] ?? 'claims';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'algorithm';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown-key';
  // Signed claims that are not an object.
  if (error instanceof errors.JWTInvalid) return 'claims';
  if (error instanceof errors.JOSEError) return 'malformed';
  if (error instanceof TypeError) return 'algorithm';
  throw error;
}
