/** The body of a third-party answer as a JSON value (decisions 6.5). */
import type { Json } from '../json.js';
import { parseJson } from '../parse-json.js';

const json = /^application\/(?:json|[^\s;]+\+json)$/;
/** Media types whose bytes are no text: they become base64, as those of databases do. */
const binary = /^(?:image|audio|video|font)\/(?!svg\+xml$)|^application\/(?:octet-stream|pdf|zip|gzip)$/;
const charset = /;\s*charset="?([^\s;"]+)/i;

/** JSON as its value, other text as text, bytes as base64, nothing as null. Throws a SyntaxError when JSON does not parse. */
export function readAnswerBody(bytes: Buffer, contentType: string): Json {
  if (bytes.length === 0) return null;
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (json.test(type)) return parseJson(decode(bytes, 'utf-8', true));
  if (binary.test(type)) return bytes.toString('base64');
  return decode(bytes, charset.exec(contentType)?.[1] ?? 'utf-8', false);
}

function decode(bytes: Buffer, label: string, fatal: boolean): string {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes);
  } catch {
    if (fatal) throw new SyntaxError('the text is not UTF-8');
    // A character set that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}
