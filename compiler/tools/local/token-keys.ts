/** Keys that sign tokens on this machine, in place of the keys of an issuer. */
import type { CryptoKey, JWK } from 'jose';

/** A key that signs tokens. */
export interface TokenKey {
  readonly algorithm: string;
  readonly key: CryptoKey | Uint8Array;
  /** The `kid` of its tokens. */
  readonly kid: string;
}

export interface TokenKeyPair extends TokenKey {
  /** The public key, in the form of `jwks` and in that of `key`. */
  readonly jwk: JWK;
  readonly pem: string;
}

/** A new pair of keys for a public-key algorithm, such as ES256. */
export async function makeTokenKey(algorithm: string, kid: string): Promise<TokenKeyPair> {
  const { exportJWK, exportSPKI, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { algorithm, key: privateKey, kid, jwk, pem: await exportSPKI(publicKey) };
}

export async function signToken(
  claims: Readonly<Record<string, unknown>>,
  { algorithm, key, kid }: TokenKey,
): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid }).sign(key);
}

/** The claims of a token: `claims`, and the issuer's claims that they do not replace. Null removes a claim. */
export function claimsOfToken(
  issuer: { readonly iss: string; readonly aud: string },
  /** Seconds from now until `exp`. */
  seconds: number,
  claims: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000);
  const all: Record<string, unknown> = { ...issuer, sub: 'test', iat: now, exp: now + seconds, ...claims };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Whether the key of tokens is a public key; otherwise it is a shared secret. */
export function isPem(key: string): boolean {
  return key.includes('-----BEGIN ');
}
