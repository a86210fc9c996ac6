/** Reads the bytes of a request body up to the size limit, and decodes them. */
import type { IncomingMessage } from 'node:http';
import { shareOfCopies } from '../handler/memory.js';
import { asError, ServiceError } from '../handler/reply.js';
import { ClientGone } from './http-call.js';
import type { BodyLimits } from './route.js';

/** The error for a body larger than the limit. */
export function bodyTooLarge(limits: Pick<BodyLimits, 'bodyLimit'>): ServiceError {
  return new ServiceError(413, `The request body is larger than ${limits.bodyLimit} bytes`);
}

/** Bodies available to `rawBody`, with the bytes if they have been read. */
export const offeredBodies = new WeakMap<
  IncomingMessage,
  { readonly read: () => Promise<Buffer>; bytes?: Promise<Buffer> }
>();

/**
 * Makes the body available to `rawBody`; call once for each request. `accept` is called before reading: clients with `Expect:
 * 100-continue` then send the body.
 */
export function offerRawBody(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyLimit'>,
  accept: () => void,
): void {
  if (offeredBodies.has(request)) return;
  const read = async (): Promise<Buffer> => {
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyLimit) throw bodyTooLarge(limits);
    accept();
    return collect(request, limits);
  };
  offeredBodies.set(request, { read });
}

/** Whether the body is unread, or was read by `rawBody`. */
function isBodyThere(request: IncomingMessage): boolean {
  return !request.readableDidRead || offeredBodies.get(request)?.bytes !== undefined;
}

/** Checks that the body can be read. Throws a ServiceError 500 if other code has read it. */
export function assertBodyIsThere(request: IncomingMessage): void {
  if (isBodyThere(request)) return;
  const reason =
    'src/middleware.ts has read the body of the request, which operations read themselves: read it with rawBody(request)';
  throw new ServiceError(500, 'Internal server error', { log: { reason } });
}

/** All bytes of the body. Throws a ServiceError 413, or ClientGone. */
export function readBodyBytes(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyLimit'>,
): Promise<Buffer> {
  return offeredBodies.get(request)?.bytes ?? collect(request, limits);
}

/** Bytes. Smaller bodies do not count against the memory limit. */
const small = 16 * 1024;

function collect(request: IncomingMessage, limits: Pick<BodyLimits, 'bodyLimit'>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const memory = shareOfCopies();
    // The rest of the body is discarded: closing the connection now would lose the response.
    const refuse = (error: unknown): void => {
      request.off('data', collect).resume();
      memory.release();
      reject(asError(error));
    };
    const collect = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limits.bodyLimit) refuse(bodyTooLarge(limits));
      else if (size >= small)
        try {
          memory.growTo(size);
        } catch (error) {
          refuse(error);
        }
    };
    // A middleware may have paused the stream.
    request.on('data', collect).resume();
    let isWhole = false;
    request.once('end', () => {
      isWhole = true;
      memory.release();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    });
    request.once('close', () => {
      memory.release();
      // The error is created only when needed, because recording its stack takes time.
      if (!isWhole) reject(new ClientGone());
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes the bytes as a string. Throws a ServiceError 400. */
export function decodeBody(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError(400, 'The request body is not valid UTF-8');
  }
}
