/** Credentials as a client sends them, made from the values of the service: by the tester, and by `apikiln dev` for `apikiln token`. */
import { randomUUID, scryptSync } from 'node:crypto';
import { upperSnake } from '../../../runtime/server/environment-reference.js';
import { schemes } from '../../../runtime/signature/schemes.js';
import { signedHeaders } from '../../../runtime/signature/signed-headers.js';
import type { Authentication, AuthenticationOf } from '../../read/config/config-model.js';

/** The headers and query parameters that credentials add to a request. */
export interface SentCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

/** The setting of a field: `AUTHENTICATION_USERS_KEY`. */
export function settingOf({ name }: Authentication, field: string): string {
  return `AUTHENTICATION_${upperSnake(name.value)}_${upperSnake(field)}`;
}

export function sentAccount(user: string, password: string): SentCredentials {
  return inHeader('authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
}

export function sentToken({ scheme, cookie }: AuthenticationOf<'jwt'>, token: string): SentCredentials {
  return cookie === undefined
    ? inHeader('authorization', `${scheme?.value ?? 'Bearer'} ${token}`)
    : inCookie(cookie.value, token);
}

export function sentKey(
  { header, query, cookie, scheme }: AuthenticationOf<'apikey'>,
  key: string,
): SentCredentials {
  if (scheme !== undefined) return inHeader('authorization', `${scheme.value} ${key}`);
  if (header !== undefined) return inHeader(header.value, key);
  return query === undefined
    ? inCookie(cookie?.value ?? '', key)
    : { headers: {}, query: [[query.value, key]] };
}

/** The signature of a webhook. `content`: the bytes of its body. */
export function sentSignature(
  { scheme: written }: AuthenticationOf<'signature'>,
  secret: string,
  content: Buffer,
): SentCredentials {
  const scheme = written?.value ?? 'standard-webhooks';
  const key = schemes[scheme].keyOf(secret) ?? Buffer.from(secret);
  const headers = signedHeaders(scheme, { key, id: `msg_${randomUUID()}`, content: [content] });
  const inLowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { headers: Object.fromEntries(inLowerCase), query: [] };
}

function inHeader(name: string, value: string): SentCredentials {
  return { headers: { [name.toLowerCase()]: value }, query: [] };
}

/** Headers of a request from a page of the service. */
function inCookie(name: string, value: string): SentCredentials {
  return { headers: { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' }, query: [] };
}

/** The hash of a password of this machine, with the lowest allowed cost. */
export function cheapHash(password: string): string {
  const salt = Buffer.from('salt of tests');
  const [saltText, hash] = [salt, scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })].map((bytes) =>
    bytes.toString('base64'),
  );
  return `$scrypt$ln=10,r=8,p=1$${saltText}$${hash}`;
}

/** Whether a configured API key is a digest, from which the key cannot be derived. */
export function isDigest(key: string): boolean {
  return /^sha256:/i.test(key);
}
