/** Keys of tokens as settings have them: secrets, and keys in PEM. */
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { publicAlgorithms, secretAlgorithms } from './algorithms.js';
import { refusalOf, type TokenKeys } from './token-keys.js';

/** Minimum bytes of a secret, and minimum bits of an RSA key. */
const shortestSecret = 32;
const shortestRsa = 2048;

/** A key that signs tokens, the keys that verify them, and the algorithms of both. */
export interface SigningKey {
  readonly key: KeyObject | Uint8Array;
  readonly verifying: TokenKeys;
}

/** A validated secret or public key in PEM. */
export function verifyingKey(text: string): TokenKeys {
  const key = isPem(text) ? publicKey(text) : Buffer.from(text);
  if (key === undefined) throw new Error('The key has not been checked.');
  return keysOf(key);
}

/** A validated secret or private key in PEM. */
export function signingKey(text: string): SigningKey {
  const key = isPem(text) ? privateKey(text) : Buffer.from(text);
  if (key === undefined) throw new Error('The key has not been checked.');
  return { key, verifying: keysOf(key instanceof Uint8Array ? key : createPublicKey(key)) };
}

function keysOf(key: KeyObject | Uint8Array): TokenKeys {
  const bytes = key instanceof Uint8Array ? key : key.export({ type: 'spki', format: 'der' });
  return {
    id: hash('sha256', bytes),
    algorithms: algorithmsOf(key) ?? [],
    check: (verify) => refusalOf(verify(() => key)),
  };
}

/** The reason why a string is neither a secret nor a public key, as the end of a sentence that does not contain the string. */
export function problemOfVerifyingKey(text: string): string | undefined {
  if (!isPem(text)) return problemOfSecret(text);
  if (isPrivate(text)) return 'is a private key, which only the issuer needs: set the public one';
  return problemOfKeyObject(publicKey(text), 'public');
}

/** The reason why a string is neither a secret nor a private key, as the end of a sentence that does not contain the string. */
export function problemOfSigningKey(text: string): string | undefined {
  if (!isPem(text)) return problemOfSecret(text);
  if (!isPrivate(text)) return 'is a public key, which cannot sign tokens';
  return problemOfKeyObject(privateKey(text), 'private');
}

function problemOfSecret(text: string): string | undefined {
  return Buffer.byteLength(text) < shortestSecret ? `is shorter than ${shortestSecret} bytes` : undefined;
}

function problemOfKeyObject(key: KeyObject | undefined, kind: 'public' | 'private'): string | undefined {
  if (key === undefined || algorithmsOf(key) === undefined)
    return `is not a ${kind} key of RSA, EC or Ed25519 in PEM`;
  const { modulusLength = shortestRsa } = key.asymmetricKeyDetails ?? {};
  return modulusLength < shortestRsa ? `has fewer than ${shortestRsa} bits` : undefined;
}

export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

function isPrivate(text: string): boolean {
  return text.includes('PRIVATE KEY');
}

/** The algorithms for a key; undefined for an unsupported kind of key. */
function algorithmsOf(key: KeyObject | Uint8Array): readonly string[] | undefined {
  if (key instanceof Uint8Array) return secretAlgorithms;
  return publicAlgorithms(key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? '');
}

function publicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(withLines(pem));
  } catch {
    return undefined;
  }
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(withLines(pem));
  } catch {
    return undefined;
  }
}

/** Variables often have the line breaks of PEM as `\n`. */
function withLines(pem: string): string {
  return pem.replaceAll(String.raw`\n`, '\n');
}
