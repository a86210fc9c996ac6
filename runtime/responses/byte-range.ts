/** The part of a content that a client requests (RFC 9110, section 14). */

/** Positions of bytes, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The requested range of a content of `size` bytes. Undefined if all of it is sent: without a range, for a malformed one, for several
 * ranges, and for an empty content. `outside` if the content contains none of the bytes.
 */
export function requestedRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (size === 0 || (from === '' && to === '')) return undefined;
  // The last bytes.
  if (from === '')
    return Number(to) === 0 ? 'outside' : { first: Math.max(0, size - Number(to)), last: size - 1 };
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'outside' : { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** A copy of these bytes, so that the rest can be freed. */
export function bytesInRange(pieces: readonly Buffer[], { first, last }: ByteRange): readonly Buffer[] {
  let start = 0;
  return pieces.flatMap((piece) => {
    const [from, to] = [Math.max(first - start, 0), last + 1 - start];
    start += piece.length;
    const part = piece.subarray(from, Math.max(to, from));
    return part.length === 0 ? [] : [part.length === piece.length ? piece : Buffer.from(part)];
  });
}
