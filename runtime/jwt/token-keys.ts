/** Keys that verify tokens; one of them from the settings. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { errors, type JWTVerifyGetKey } from 'jose';
import type { Log } from '../server/log.js';
import { publicAlgorithms, secretAlgorithms } from './algorithms.js';

export interface TokenKeys {
  /** The algorithms that the keys are for. */
  readonly algorithms: readonly string[];
  /** Whether a key verifies the token. Throws a ServiceError 503 without any keys. */
  accept(verify: (key: JWTVerifyGetKey) => Promise<unknown>, log: Log): Promise<boolean>;
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

/** Bytes. */
const shortestSecret = 32;
const shortestRsa = 2048;

/** A secret, or a public key in PEM, without a problem. */
export function oneKey(text: string): TokenKeys {
  const key = isPem(text) ? publicKey(text) : Buffer.from(text);
  if (key === undefined) throw new Error('The key has not been checked.');
  return { algorithms: algorithmsOf(key) ?? [], accept: (verify) => isVerified(verify(() => key)) };
}

/** Why a text is neither a secret nor a public key, as the end of a sentence, without the text. */
export function problemOfTokenKey(text: string): string | undefined {
  if (!isPem(text))
    return Buffer.byteLength(text) < shortestSecret ? `is shorter than ${shortestSecret} bytes` : undefined;
  if (text.includes('PRIVATE KEY'))
    return 'is a private key, which only the issuer needs: set the public one';
  const key = publicKey(text);
  if (key === undefined || algorithmsOf(key) === undefined)
    return 'is not a public key of RSA, EC or Ed25519 in PEM';
  const { modulusLength = shortestRsa } = key.asymmetricKeyDetails ?? {};
  return modulusLength < shortestRsa ? `has fewer than ${shortestRsa} bits` : undefined;
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/** Undefined for a kind of key that tokens do not have. */
function algorithmsOf(key: KeyObject | Uint8Array): readonly string[] | undefined {
  if (key instanceof Uint8Array) return secretAlgorithms;
  return publicAlgorithms(key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? '');
}

function publicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem.replaceAll(String.raw`\n`, '\n'));
  } catch {
    return undefined;
  }
}
