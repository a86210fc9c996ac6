/** Media types of responses, and the form of their bodies: JSON, rows, one string, or bytes. */

/** `lines`: a JSON value in each line. */
export type ContentKind = 'json' | 'csv' | 'lines' | 'text' | 'bytes';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})(?: *; *${token}=${token})*$`);

/** Undefined for an invalid media type. */
export function contentKind(type: string): ContentKind | undefined {
  const name = mediaType.exec(type)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (/[/+]json$/.test(name)) return 'json';
  if (name === 'text/csv') return 'csv';
  if (name === 'application/x-ndjson') return 'lines';
  const isText = name.startsWith('text/') || /[/+]xml$/.test(name);
  return isText || /^application\/(?:javascript|yaml)$/.test(name) ? 'text' : 'bytes';
}

/** Whether a description that has `described`, such as `text/*`, has the type; parameters such as a charset do not count. */
export function fitsMediaType(type: string, described: string): boolean {
  const [wanted, found] = [type, described].map((one) => (one.split(';')[0] ?? '').trim().toLowerCase());
  return (
    found === wanted ||
    found === '*/*' ||
    (found?.endsWith('/*') === true && wanted?.startsWith(found.slice(0, -1)) === true)
  );
}

/** The charset that it names, in lower case. */
export function charsetOf(type: string): string | undefined {
  return /; *charset=([^ ;]+)/i.exec(type)?.[1]?.toLowerCase();
}
