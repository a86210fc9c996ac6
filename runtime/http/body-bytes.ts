/** The bytes of a request body, up to its limit, and their string. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from './http-call.js';
import type { BodyLimits } from './route.js';

/** The error for a body with more bytes than the limit. */
export function bodyTooLarge(limits: Pick<BodyLimits, 'bodyLimit'>): ServiceError {
  return new ServiceError(413, `The request body is larger than ${limits.bodyLimit} bytes`);
}

/** All bytes of the body. Throws a ServiceError 413, or ClientGone. */
export function readBodyBytes(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyLimit'>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limits.bodyLimit) return;
      // The rest of the body is discarded: if the connection were closed now, the client would lose the response.
      request.off('data', collect).resume();
      reject(bodyTooLarge(limits));
    };
    // A middleware may have paused the stream.
    request.on('data', collect).resume();
    let isWhole = false;
    request.once('end', () => {
      isWhole = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    request.once('close', () => {
      // An error records where it was made, which takes its time.
      if (!isWhole) reject(new ClientGone());
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The string that the bytes are. Throws a ServiceError 400. */
export function decodeBody(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError(400, 'The request body is not valid UTF-8');
  }
}
