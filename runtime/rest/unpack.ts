/** Decompresses the body of a response. A truncated body is an error; axios would accept it. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** What every request says of the packings that `unpack` knows. */
export const acceptEncoding = 'gzip, deflate, br';

/** A body that is not what its content encoding says, or too large; the message is for the log. */
export class PackingError extends Error {
  override readonly name = 'PackingError';
}

const ways = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
};

/** The bytes without their packing; not more than `limit`, however small they are packed. Throws a PackingError. */
export async function unpack(bytes: Buffer, contentEncoding: string, limit: number): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase();
  // An answer without a body may say how it would have been packed.
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes;
  const way = wayOf(encoding, bytes);
  if (way === undefined) throw new PackingError('an answer with a content encoding that was not asked for');
  try {
    return await ways[way](bytes, { maxOutputLength: limit });
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new PackingError(`an answer larger than ${limit} bytes`);
    throw new PackingError(`an answer that cannot be unpacked: ${String(code)}`);
  }
}

function wayOf(encoding: string, bytes: Buffer): keyof typeof ways | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  if (encoding === 'br') return 'br';
  if (encoding !== 'deflate') return undefined;
  // It means zlib's format (RFC 9110, section 8.4.1.2), and some servers leave out zlib's head.
  const hasHead = (bytes.readUInt8(0) & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0;
  return hasHead ? 'zlib' : 'deflate';
}
