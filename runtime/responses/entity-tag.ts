/** Entity tags, which identify versions of response content (RFC 9110, section 8.8.3). */
import { createHash } from 'node:crypto';
import type { Call } from '../handler/call.js';
import { textOf, type Json } from '../handler/json.js';
import { withoutSpace } from '../http/header-space.js';

/** Formats a version as an entity tag; undefined for null. */
export function entityTag(version: Json | undefined): string | undefined {
  if (version === null || version === undefined) return undefined;
  const text = textOf(version);
  const isPlain = /^[!#-~]{1,100}$/.test(text) && !coding.test(text);
  return `"${isPlain ? text : hashOf([Buffer.from(text)])}"`;
}

/** The suffix that marks the tag of a compressed body. */
const coding = /-(?:gzip|br)$/;

/** A tag computed from the content. */
export function tagOfContent(content: string | readonly Buffer[]): string {
  return `"${hashOf(typeof content === 'string' ? [Buffer.from(content)] : content)}"`;
}

function hashOf(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('base64url').slice(0, 27);
}

/**
 * The first tag in the list that identifies the same content, weak or strong and with any compression; for `*`, `tag` itself. Undefined
 * if no tag matches.
 */
export function matchedTag(tags: string | undefined, tag: string): string | undefined {
  if (tags === undefined) return undefined;
  if (withoutSpace(tags) === '*') return tag;
  return strongTags(tags.replaceAll('W/"', '"')).find((one) => withoutCoding(one) === tag);
}

/** The strong tags of a list. */
function strongTags(tags: string): string[] {
  return [...tags.matchAll(/(W\/)?("[!#-~\x80-\xff]*")/g)].flatMap(([, weak, tag]) =>
    weak === undefined && tag !== undefined ? [tag] : [],
  );
}

function withoutCoding(tag: string): string {
  return `"${tag.slice(1, -1).replace(coding, '')}"`;
}

/**
 * IF_MATCH: whether the client wants to change this version. True if the header is missing. Otherwise, false for null, because clients
 * cannot have seen that version.
 */
export function ifMatch(call: Pick<Call, 'header'>, version: Json | undefined): boolean {
  const tags = call.header('if-match');
  if (tags === null) return true;
  const tag = entityTag(version);
  if (tag === undefined) return false;
  return withoutSpace(tags) === '*' || strongTags(tags).some((one) => withoutCoding(one) === tag);
}
