/** Parses a third-party response body to a JSON value. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';

const json = /^(?:text\/json|application\/(?:json|[^\s;]+\+json))$/;
/** Binary media types. Their content becomes base64, like binary columns. */
const binary = /^(?:image|audio|video|font)\/(?!svg\+xml$)|^application\/(?:octet-stream|pdf|zip|gzip)$/;
const charset = /;\s*charset="?([^\s;"]+)/i;

/**
 * Returns the value of JSON, base64 for binary content, null for an empty body, and a string for anything else. `form` takes precedence
 * over the content type. Throws a SyntaxError for invalid JSON.
 */
export function parseResponseBody(bytes: Buffer, contentType: string, form?: 'json' | 'text'): Json {
  if (bytes.length === 0) return null;
  const type = form === undefined ? typeOf(contentType) : formTypes[form];
  if (json.test(type)) return parseJson(decodeJson(bytes));
  if (binary.test(type)) return bytes.toString('base64');
  return decodeText(bytes, charset.exec(contentType)?.[1] ?? 'utf-8');
}

const formTypes = { json: 'application/json', text: 'text/plain' };

export function isJsonType(contentType: string): boolean {
  return json.test(typeOf(contentType));
}

function typeOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/** Created once, because creating a decoder takes longer than decoding most responses. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function decodeJson(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new SyntaxError('the text is not UTF-8');
  }
}

function decodeText(bytes: Buffer, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // The charset is unknown, so UTF-8 is assumed.
    return new TextDecoder().decode(bytes);
  }
}
