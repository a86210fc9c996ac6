/** Media types of responses, and what their bodies are (extensions 12.5). */

/** `lines`: a JSON value in each line. */
export type ContentKind = 'json' | 'csv' | 'lines' | 'text' | 'bytes';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})(?: *; *${token}=${token})*$`);

/** Undefined for what is not a media type. */
export function contentKind(type: string): ContentKind | undefined {
  const name = mediaType.exec(type)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (/[/+]json$/.test(name)) return 'json';
  if (name === 'text/csv') return 'csv';
  if (name === 'application/x-ndjson') return 'lines';
  const isText = name.startsWith('text/') || /[/+]xml$/.test(name);
  return isText || /^application\/(?:javascript|yaml)$/.test(name) ? 'text' : 'bytes';
}

/** The charset that it names, in lower case. */
export function charsetOf(type: string): string | undefined {
  return /; *charset=([^ ;]+)/i.exec(type)?.[1]?.toLowerCase();
}
