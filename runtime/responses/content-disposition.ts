/** Content-Disposition with the name of a file (RFC 6266). */
import { textOf, type Json } from '../handler/json.js';

/** Characters of a name; file systems have 255 bytes. */
const longest = 120;

/** Undefined without a name. A client gets a name without folders, and an ASCII one for clients that do not read the other. */
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

/** Control characters, separators of folders, and marks that show a name in another direction. */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
