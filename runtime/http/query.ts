/** The query of a URL as parameters (decisions 3.1). */
import type { Json } from '../handler/json.js';
import { decodeQueryPart } from './percent.js';

/** Parameter name to value: a text, or an array of texts where the name is repeated. */
export type Query = ReadonlyMap<string, Json>;

/**
 * The parameters of the text after the `?`. `a` and `a=` are empty texts; `+` is a space.
 * Throws a ServiceError 400 for what is not percent-encoded UTF-8.
 */
export function parseQuery(text: string): Query {
  const query = new Map<string, Json>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeQueryPart(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decodeQueryPart(pair.slice(equals + 1));
    const earlier = query.get(name);
    if (earlier === undefined) query.set(name, value);
    else if (Array.isArray(earlier)) earlier.push(value);
    else query.set(name, [earlier, value]);
  }
  return query;
}
