/** Classifies names: whether their value is secret, or whether they are words of the language that may be shown. */
import { nearest } from '../suggest.js';
import { wordSet } from '../../wordset.js';

/** The words of a name: `X-Api-Key`, `apiKey` → `api`, `key`. */
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

/** Whether the name ends like the name of a secret; not true for `passengers`, `tokens` and `Cookie-Consent`. */
function endsAsSecret(name: string): boolean {
  const words = wordsOf(name);
  return secretEnds.has(words.at(-1) ?? '') || secretEnds.has(words.slice(-2).join(''));
}

/** True for a configuration field whose value must not be shown, even if its name is misspelled. */
export function isSecretField(field: string): boolean {
  const isLicence = ['licence', 'license'].includes(wordsOf(field).at(-1) ?? '');
  return (
    endsAsSecret(field) || isLicence || nearest(field, ['password', 'licence', 'pass', 'pwd']) !== undefined
  );
}

/** Whether a query parameter of this name usually contains a secret. */
export function isSecretOption(name: string): boolean {
  return endsAsSecret(name) || /^(?:key|pass)$/i.test(name);
}

/** Whether a header of this name usually contains a secret. */
export function isSecretHeader(name: string): boolean {
  return endsAsSecret(name) || /^(?:set-)?cookie$/i.test(name);
}

/** A path segment, also as a constant in an expression. */
const segment = /(?<=\/|\/:\[(?:TEXT\(["']?|'))[\w:~.-]{16,400}(?=[/?#\s'")\],}]|$)/g;

/** The positions of path segments that look like tokens: a webhook URL is all that its caller needs. */
export function tokensInPaths(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(segment)].flatMap(({ index, 0: found }) =>
    isRandom(found) ? [{ start: index, end: index + found.length }] : [],
  );
}

/**
 * Whether the text mixes lower case, upper case and digits unlike any word, or consists of at least 32 hexadecimal digits. A UUID does not
 * count, because it identifies something, such as a tenant.
 */
function isRandom(text: string): boolean {
  if (/^[\da-f]{32,}$/i.test(text)) return /\d/.test(text) && /[a-f]/i.test(text);
  if (!/\d/.test(text) || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const turns = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return turns.length >= text.length / 2.5;
}

/** The sections of the configuration. Values in the last three are not shown. */
export const sections = ['specification', 'operations', 'datasources', 'authentications', 'settings'];

/** Words of the language in messages about sections that may contain secrets. */
const ownWords: ReadonlySet<string> = new Set([
  ...sections,
  ...wordSet(`
    type url user password driver pool timeout header statuscode min max debug oauth2 tokenUrl clientId clientSecret scope
    parameters clientAuth basic body limit limits by within count store all refused perSecond atOnce secret description retry times on wait maxWait
    unreachable unreadable outbox licence db rest basicauth true false jdbc: jdbc:postgres: currentSchema
    prepareThreshold=0 jwt apikey signature custom passwordHash issuer audience jwks key algorithms scheme
    sub iss aud iat nbf exp jti expiry issue lifetime claims prefix scopesClaim query cookie keys operation secrets default X-Api-Key github stripe slack standard-webhooks
    setCaller request RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 HS256 HS384 HS512 none
  `),
  ...['Key: Value', 'authentications: […]', 'default: true'],
]);

/** True for a word of the language, and for an escaped character. */
export function isOwnWord(text: string): boolean {
  return ownWords.has(text) || /^%[0-9A-F]{2}$/.test(text);
}
