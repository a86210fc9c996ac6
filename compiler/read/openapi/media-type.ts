/** Media types of responses, and the kind of their bodies: JSON, rows, a string, or bytes. */

/** `lines` means one JSON value per line. */
export type ContentKind = 'json' | 'csv' | 'lines' | 'text' | 'bytes';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})(?: *; *${token}=${token})*$`);

/** The kind of content with that media type; undefined if the media type is invalid. */
export function contentKind(type: string): ContentKind | undefined {
  const name = mediaType.exec(type)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (/[/+]json$/.test(name)) return 'json';
  if (name === 'text/csv') return 'csv';
  if (name === 'application/x-ndjson') return 'lines';
  const isText = name.startsWith('text/') || /[/+]xml$/.test(name);
  return isText || /^application\/(?:javascript|yaml)$/.test(name) ? 'text' : 'bytes';
}

/** Whether the type matches `described`, which can be a range such as `text/*`; parameters such as charset are ignored. */
export function fitsMediaType(type: string, described: string): boolean {
  const [wanted, found] = [type, described].map((one) => (one.split(';')[0] ?? '').trim().toLowerCase());
  return (
    found === wanted ||
    found === '*/*' ||
    (found?.endsWith('/*') === true && wanted?.startsWith(found.slice(0, -1)) === true)
  );
}

/** The charset in lower case, if specified. */
export function charsetOf(type: string): string | undefined {
  return /; *charset=([^ ;]+)/i.exec(type)?.[1]?.toLowerCase();
}
