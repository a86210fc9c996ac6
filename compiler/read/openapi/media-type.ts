/** Media types of responses, and the form of their bodies: JSON, rows, one string, or bytes. */
import type { FileType, Response } from '../config/config-model.js';
import type { WithSpan } from '../source.js';

/** `lines` means one JSON value per line. */
export type ContentKind = 'json' | 'csv' | 'lines' | 'text' | 'bytes';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^(${token}/${token})(?: *; *${token}=${token})*$`);

/** Undefined for an invalid media type, and for a range such as `image/*`. */
export function contentKind(type: string): ContentKind | undefined {
  const name = mediaType.exec(type)?.[1]?.toLowerCase();
  if (name === undefined || name.includes('*')) return undefined;
  if (/[/+]json$/.test(name)) return 'json';
  if (name === 'text/csv') return 'csv';
  if (name === 'application/x-ndjson') return 'lines';
  const isText = name.startsWith('text/') || /[/+]xml$/.test(name);
  return isText || /^application\/(?:javascript|yaml)$/.test(name) ? 'text' : 'bytes';
}

/** The form of a body with this `contentType`: JSON without one; undefined for an invalid media type. */
export function bodyKind(contentType: Response['contentType']): ContentKind | undefined {
  if (contentType === undefined) return 'json';
  return isFileType(contentType) ? 'bytes' : contentKind(contentType.value);
}

export function isFileType(contentType: Response['contentType']): contentType is FileType {
  return contentType !== undefined && 'allowed' in contentType;
}

/** The media types that the response may have, as they are written. */
export function writtenTypes(contentType: WithSpan<string> | FileType): readonly WithSpan<string>[] {
  return isFileType(contentType) ? contentType.allowed : [contentType];
}

/** The media type of stored files whose own one is not allowed. */
export const otherFiles = 'application/octet-stream';

/** The media types that the response may have, without repetitions. */
export function sentTypes(contentType: WithSpan<string> | FileType): readonly string[] {
  const types = writtenTypes(contentType).map(({ value }) => value);
  return isFileType(contentType) ? [...new Set([...types, otherFiles])] : types;
}

/** Whether clients may request a part of the body: of bytes, which are read. */
export function hasRanges({ contentType, statuscode }: Response, method: string | undefined): boolean {
  return bodyKind(contentType) === 'bytes' && statuscode.value === 200 && method === 'GET';
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

/** Whether the type is text/plain in UTF-8, of which a body is one string. */
export function isPlainText(contentType: string | undefined): boolean {
  return contentType !== undefined && /^text\/plain(?:\s*;\s*charset=utf-8)?$/i.test(contentType);
}

/** The charset in lower case, if specified. */
export function charsetOf(type: string): string | undefined {
  return /; *charset=([^ ;]+)/i.exec(type)?.[1]?.toLowerCase();
}
