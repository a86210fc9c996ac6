/** Percent-decoding of paths and queries, strict: what is no percent-encoded UTF-8 is the caller's mistake. */
import { ServiceError } from '../handler/service-error.js';

/** The decoded text of one path segment. Throws a ServiceError 400. */
export function decodeSegment(text: string): string {
  return text.includes('%') ? decode(text, 'path') : text;
}

/** The decoded name or value of a query parameter, in which `+` is a space. Throws a ServiceError 400. */
export function decodeQueryPart(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decode(spaced, 'query') : spaced;
}

function decode(text: string, part: 'path' | 'query'): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError(400, `The ${part} of the URL is not percent-encoded UTF-8`);
  }
}
