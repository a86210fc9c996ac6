/** Tokens (JWT) that tests send, and the keys that sign them; made anew for each service under test. */
import type { CryptoKey, JWK } from 'jose';

export interface TokenKey {
  readonly algorithm: string;
  readonly key: CryptoKey | Uint8Array;
}

export interface TokenKeyPair extends TokenKey {
  /** The public key, as `jwks` and as `key` have it. */
  readonly jwk: JWK;
  readonly pem: string;
}

export async function makeTokenKey(algorithm: string): Promise<TokenKeyPair> {
  const { exportJWK, exportSPKI, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: algorithm, use: 'sig' };
  return { algorithm, key: privateKey, jwk, pem: await exportSPKI(publicKey) };
}

export async function signToken(
  claims: Readonly<Record<string, unknown>>,
  { algorithm, key }: TokenKey,
): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'test' }).sign(key);
}
