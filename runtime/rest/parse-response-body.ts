/** Parses the body of a third-party API's response to a JSON value. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';

const json = /^(?:text\/json|application\/(?:json|[^\s;]+\+json))$/;
/** Binary media types. Their content becomes base64, as binary columns do. */
const binary = /^(?:image|audio|video|font)\/(?!svg\+xml$)|^application\/(?:octet-stream|pdf|zip|gzip)$/;
const charset = /;\s*charset="?([^\s;"]+)/i;

/**
 * JSON as its value, binary content as base64, an empty body as null, anything else as a string. `form` takes precedence over the content
 * type. Throws a SyntaxError for invalid JSON.
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

/** Created once: creating one takes longer than decoding most responses. */
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
    // An unknown charset.
    return new TextDecoder().decode(bytes);
  }
}
