/** Parses request targets strictly (status 400 for anything but percent-encoded UTF-8), and decodes headers and cookies where possible. */
import type { RequestUrl } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';
import { withoutSpace } from './header-space.js';
import { Texts } from './texts.js';

/** The path and query of a target. */
export interface RequestTarget {
  /** The path, still percent-encoded. */
  readonly path: string;
  /** The part after `?`; empty if missing. */
  readonly query: string;
}

const origin = /^https?:\/\/[^/?]*/i;

/** The path and the query of a target: `/news?x=1`, or the absolute form that proxies send, `http://host/news?x=1`. */
export function pathAndQuery(target: string): RequestTarget {
  const local = target.startsWith('/') ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  return mark === -1
    ? { path: local, query: '' }
    : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/**
 * Normalizes the target, so that code that compares paths as strings sees the same path as the router: the origin is removed, and only
 * necessary percent-encoding is kept (`/%6eews` becomes `/news`). Throws a ServiceError 400 if the target is not percent-encoded UTF-8.
 */
export function normalTarget(target: string): string {
  if (plainTarget.test(target)) return target;
  const { path, query } = pathAndQuery(target);
  const normal = path.split('/').map((segment) => encodeSegment(decodeSegment(segment)));
  return `${normal.join('/')}${query === '' ? '' : `?${query}`}`;
}

/** RFC 3986, section 3.3: a path without percent-encoding, and any query. */
const plainTarget = /^\/[\w\-.~!$&'()*+,;=:@/]*(?:\?|$)/;

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

/** An absolute target may omit the path: `http://host?x=1` has the path `/`. */
function withoutOrigin(target: string): string {
  const rest = target.replace(origin, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Decodes one path segment. Throws a ServiceError 400. */
export function decodeSegment(text: string): string {
  return text.includes('%') ? decode(text, 'path') : text;
}

/** Decodes the name or value of a query parameter; `+` is a space. Throws a ServiceError 400. */
function decodeQueryPart(text: string, part: EncodedPart = 'query'): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decode(spaced, part) : spaced;
}

/** A percent-encoded part of a request. */
type EncodedPart = keyof typeof encodedParts;

const encodedParts = {
  path: 'The path of the URL',
  query: 'The query of the URL',
  form: 'The form in the request body',
};

function decode(text: string, part: EncodedPart): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError(400, `${encodedParts[part]} is not percent-encoded UTF-8`);
  }
}

function eachParameter(text: string, part: EncodedPart, take: (name: string, value: string) => void): void {
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeQueryPart(equals === -1 ? pair : pair.slice(0, equals), part);
    take(name, equals === -1 ? '' : decodeQueryPart(pair.slice(equals + 1), part));
  }
}

/** The URL in a target. Several slashes at the beginning are one: a URL that begins with `//` would have an origin. */
export function urlOf(target: string): RequestUrl {
  const { path, query } = pathAndQuery(normalTarget(target));
  const parameters: [string, string][] = [];
  eachParameter(query, 'query', (name, value) => {
    parameters.push([name, value]);
  });
  return { path: path.replace(/^\/+/, '/'), query: parameters };
}

/**
 * Parses the part after `?`, or a form in the same syntax. `a` and `a=` are empty strings; `+` is a space.
 * Throws a ServiceError 400 if the string is not percent-encoded UTF-8.
 */
export function parseQuery(text: string, part: EncodedPart = 'query'): Texts {
  const query = new Texts();
  eachParameter(text, part, (name, value) => {
    query.add(name, value);
  });
  if (text.includes('[') || (text.includes('%') && /%5b/i.test(text))) query.findBrackets();
  return query;
}

const beyondAscii = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Node decodes headers as Latin-1. Current clients send UTF-8, so valid UTF-8 is decoded as such. */
export function decodeHeader(value: string): string {
  if (!beyondAscii.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** The values of the named cookie in order, unquoted, and percent-decoded if possible. */
export function cookiesOf(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    if (at === -1 || withoutSpace(pair.slice(0, at)) !== name) return [];
    const value = withoutSpace(pair.slice(at + 1));
    return [decodeCookie(/^".*"$/.test(value) ? value.slice(1, -1) : value)];
  });
}

function decodeCookie(value: string): string {
  if (!value.includes('%')) return decodeHeader(value);
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
