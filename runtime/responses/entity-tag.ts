/** Entity tags: versions of the content of a response (RFC 9110, section 8.8.3). */
import { createHash } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { textOf, type Json } from '../handler/json.js';

/** A version as a tag; undefined for null. */
export function entityTag(version: Json | undefined): string | undefined {
  if (version === null || version === undefined) return undefined;
  const text = textOf(version);
  const isPlain = /^[!#-~]{1,100}$/.test(text) && !coding.test(text);
  return `"${isPlain ? text : hashOf([Buffer.from(text)])}"`;
}

/** The coding of a compressed body, at the end of its tag. */
const coding = /-(?:gzip|br)$/;

/** The tag of content without a version. */
export function tagOfContent(content: string | readonly Buffer[]): string {
  return `"${hashOf(typeof content === 'string' ? [Buffer.from(content)] : content)}"`;
}

function hashOf(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('base64url').slice(0, 27);
}

/**
 * The tag of the list that names the same content, whether weak or strong, and in whatever coding; `tag` itself for `*`. Undefined without
 * one.
 */
export function matchedTag(tags: string | undefined, tag: string): string | undefined {
  if (tags === undefined) return undefined;
  if (tags.trim() === '*') return tag;
  return strongTags(tags.replaceAll('W/"', '"')).find((one) => withoutCoding(one) === tag);
}

/** Without the weak ones. */
function strongTags(tags: string): string[] {
  return [...tags.matchAll(/(W\/)?("[!#-~\x80-\xff]*")/g)].flatMap(([, weak, tag]) =>
    weak === undefined && tag !== undefined ? [tag] : [],
  );
}

function withoutCoding(tag: string): string {
  return `"${tag.slice(1, -1).replace(coding, '')}"`;
}

/**
 * IF_MATCH: whether the client wants to change this version. True without the header. With the header, it is false for null, because no
 * client can have seen that version.
 */
export function ifMatch(call: Pick<Call, 'header'>, version: Json | undefined): boolean {
  const tags = call.header('if-match');
  if (tags === null) return true;
  const tag = entityTag(version);
  if (tag === undefined) return false;
  return tags.trim() === '*' || strongTags(tags).some((one) => withoutCoding(one) === tag);
}
