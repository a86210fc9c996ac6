/** Decompresses response bodies. Truncated bodies are errors, although axios would accept them. */
import { errorCode } from '../handler/reply.js';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** The `Accept-Encoding` header of every request. */
export const acceptEncoding = 'gzip, deflate, br';

/** A body that does not match its content encoding, or is too large. The message is for the log. */
export class PackingError extends Error {
  override readonly name = 'PackingError';
}

/** A body larger than RESPONSE_LIMIT. */
export class SizeError extends PackingError {
  constructor(limit: number) {
    super(`a response larger than ${limit} bytes`);
  }
}

/** Content encodings that mean uncompressed. Some APIs put the character set in this header. */
const notPacked = new Set(['', 'identity', 'utf-8', 'utf8', 'none']);

const ways = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zlib: promisify(inflate),
  deflate: promisify(inflateRaw),
};

/** Decompresses a body to at most `limit` bytes. Throws a PackingError. */
export async function unpack(bytes: Buffer, contentEncoding: string, limit: number): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase();
  // A response without a body may still have a content encoding.
  if (notPacked.has(encoding) || bytes.length === 0) return bytes;
  const way = wayOf(encoding, bytes);
  if (way === undefined) throw new PackingError('a response with a content encoding that was not requested');
  try {
    return await ways[way](bytes, { maxOutputLength: limit });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new SizeError(limit);
    throw new PackingError(`a response that cannot be unpacked: ${String(code)}`);
  }
}

function wayOf(encoding: string, bytes: Buffer): keyof typeof ways | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  if (encoding === 'br') return 'br';
  if (encoding !== 'deflate') return undefined;
  // The zlib format (RFC 9110, section 8.4.1.2). Some servers omit the zlib header.
  const hasHead = (bytes.readUInt8(0) & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0;
  return hasHead ? 'zlib' : 'deflate';
}
