/** Encodes values in URLs, so that they cannot change the structure of the URL. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/**
 * A value as a complete path segment: `a/b` becomes `a%2Fb`. Throws a ServiceError 400 for an empty value, `.` or `..`, which URL
 * parsers would remove together with other segments.
 */
export function segment(value: Json | undefined): string {
  const text = textOf(value);
  if (text === '' || text === '.' || text === '..') {
    throw new ServiceError(400, `A value is not allowed in the path of a URL: it is ${names[text]}`);
  }
  return encode(text);
}

const names = { '': 'empty', '.': "'.'", '..': "'..'" };

/** A value as part of a path segment or query; null becomes an empty string. Throws a ServiceError 400 for invalid Unicode. */
export function encode(value: Json | undefined): string {
  try {
    // The URL parser would encode apostrophes in a query; it does not change any other characters.
    return encodeURIComponent(textOf(value)).replaceAll("'", '%27');
  } catch {
    throw new ServiceError(400, 'A value is not allowed in a URL: it is not valid Unicode');
  }
}

/** Rejects URLs that parsers accept in surprising ways: line breaks, `http:host`, backslashes. */
const plainUrl = /^https?:\/\/[^\\\p{Cc}]*$/iu;

/** A value as the complete URL. Throws a ServiceError 400 unless it is an absolute http or https URL without user and password. */
export function wholeUrl(value: Json | undefined): URL {
  const url =
    typeof value === 'string' && plainUrl.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ServiceError(400, 'A value is not an absolute http or https URL without user and password');
  }
  url.hash = '';
  return url;
}
