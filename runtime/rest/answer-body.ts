/** Parses the body of a third-party API's response to a JSON value. */
import type { Json } from '../handler/json.js';
import { parseJson } from '../handler/parse-json.js';

const json = /^application\/(?:json|[^\s;]+\+json)$/;
/** Media types whose bytes are no text: they become base64, as those of databases do. */
const binary = /^(?:image|audio|video|font)\/(?!svg\+xml$)|^application\/(?:octet-stream|pdf|zip|gzip)$/;
const charset = /;\s*charset="?([^\s;"]+)/i;

/** JSON as its value, other text as text, bytes as base64, nothing as null. Throws a SyntaxError when JSON does not parse. */
export function readAnswerBody(bytes: Buffer, contentType: string): Json {
  if (bytes.length === 0) return null;
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (json.test(type)) return parseJson(decodeJson(bytes));
  if (binary.test(type)) return bytes.toString('base64');
  return decodeText(bytes, charset.exec(contentType)?.[1] ?? 'utf-8');
}

/** Made once: making one takes longer than most answers take to decode. */
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
    // A character set that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}
