/** Names that classify a value: a secret, or a word of the compiler that may be shown. */
import { nearest } from '../suggest.js';
import { wordSet } from '../../wordset.js';

/** The words of a name: `X-Api-Key`, `apiKey` and `api_key` are `api`, `key`. */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const secretEnds = wordSet(`
  password passwort passwd passphrase pwd secret token appid authorization apikey appkey accesskey authkey
  secretkey privatekey clientkey credential credentials
`);

/** Whether the name ends as names of secrets do; `passengers`, `tokens` and `Cookie-Consent` do not. */
function endsAsSecret(name: string): boolean {
  const words = wordsOf(name);
  return secretEnds.has(words.at(-1) ?? '') || secretEnds.has(words.slice(-2).join(''));
}

/** True for a field of the configuration whose value is not to be shown, also when its name is misspelt. */
export function isSecretField(field: string): boolean {
  const isLicence = ['licence', 'license'].includes(wordsOf(field).at(-1) ?? '');
  return (
    endsAsSecret(field) || isLicence || nearest(field, ['password', 'licence', 'pass', 'pwd']) !== undefined
  );
}

/** Whether a query parameter of this name usually holds a secret. */
export function isSecretOption(name: string): boolean {
  return endsAsSecret(name) || /^(?:key|pass)$/i.test(name);
}

/** Whether a header of this name usually holds a secret. */
export function isSecretHeader(name: string): boolean {
  return endsAsSecret(name) || /^(?:set-)?cookie$/i.test(name);
}

/** A part of a path after a slash, also as a constant of an expression. */
const segment = /(?<=\/|\/:\[(?:TEXT\(["']?|'))[\w:~.-]{16,400}(?=[/?#\s'")\],}]|$)/g;

/** Positions of path segments that look like tokens: the URL of a webhook is all that its caller needs. */
export function tokensInPaths(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(segment)].flatMap(({ index, 0: found }) =>
    isRandom(found) ? [{ start: index, end: index + found.length }] : [],
  );
}

/**
 * Small letters, capitals and digits in such short turns as words do not have them, or 32 hexadecimal digits and more. A UUID is the name of
 * something, such as a tenant.
 */
function isRandom(text: string): boolean {
  if (/^[\da-f]{32,}$/i.test(text)) return /\d/.test(text) && /[a-f]/i.test(text);
  if (!/\d/.test(text) || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const turns = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return turns.length >= text.length / 2.5;
}

/** The sections of the configuration: values below the last three are not shown. */
export const sections = ['specification', 'operations', 'datasources', 'authentications', 'settings'];

/** Words of the compiler in messages about the sections below `operations`, which may hold secrets. */
const ownWords: ReadonlySet<string> = new Set([
  ...sections,
  ...wordSet(`
    type url user password driver pool timeout header statuscode min max debug oauth2 tokenUrl clientId clientSecret scope
    parameters clientAuth basic body limit perSecond atOnce secret description retry times on wait maxWait
    unreachable unreadable outbox licence db rest basicauth true false jdbc: jdbc:postgres: currentSchema
    prepareThreshold=0 jwt apikey signature custom passwordHash issuer audience jwks key algorithms scheme
    scopesClaim query cookie keys operation secrets default X-Api-Key github stripe slack standard-webhooks
    setCaller request RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512 none
  `),
  ...['Key: Value', 'authentications: […]', 'default: true'],
]);

/** True for a word of the compiler, and for an escaped character. */
export function isOwnWord(text: string): boolean {
  return ownWords.has(text) || /^%[0-9A-F]{2}$/.test(text);
}
