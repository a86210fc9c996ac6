/** Verifies tokens (JWT) with a single key from a setting of the service. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Authentication } from '../authentication/authentication.js';
import { publicAlgorithms, secretAlgorithms } from './algorithms.js';
import { Jwt, type JwtOptions } from './jwt.js';
import { refusalOf, type KeySource, type TokenKeys } from './token-keys.js';

/** Creates the named authentication, with the settings AUTHENTICATION_<NAME>_ISSUER, _AUDIENCE and _KEY. */
export function jwtOfKey(name: string, options: JwtOptions = {}): Authentication {
  return new Jwt(name, own, options);
}

const own: KeySource = { field: 'key', isSecret: true, problemOf: problemOfTokenKey, keysOf: oneKey };

/** Minimum bytes of a secret, and minimum bits of an RSA key. */
const shortestSecret = 32;
const shortestRsa = 2048;

/** A validated secret or public key in PEM. */
function oneKey(text: string): TokenKeys {
  const key = isPem(text) ? publicKey(text) : Buffer.from(text);
  if (key === undefined) throw new Error('The key has not been checked.');
  return { algorithms: algorithmsOf(key) ?? [], check: (verify) => refusalOf(verify(() => key)) };
}

/** The reason why a string is neither a secret nor a public key, as the end of a sentence that does not contain the string. */
function problemOfTokenKey(text: string): string | undefined {
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

/** The algorithms for a key; undefined for an unsupported kind of key. */
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
