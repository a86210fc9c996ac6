/** Content-Disposition with a file name (RFC 6266). */
import { textOf, type Json } from '../handler/json.js';

/** Maximum characters of a file name; file systems allow 255 bytes. */
const longest = 120;

/** The header value; undefined without a name. Folders are removed from the name, and an ASCII name is added for older clients. */
export function dispositionOf(name: Json | undefined): string | undefined {
  const text = Array.from(textOf(name))
    .slice(0, longest)
    .join('')
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(unsafe, '_');
  if (text === '') return undefined;
  const ascii = text.replaceAll(/[^\x20-\x7e]|["%]/gu, '_');
  if (ascii === text) return `attachment; filename="${ascii}"`;
  const encoded = encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Control characters, path separators, and marks that change the direction in which the name is displayed. */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
