/** The bytes of a request body, up to its limit, and their string. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../handler/reply.js';
import { ClientGone } from './http-call.js';
import type { BodyLimits } from './route.js';

/** The error for a body with more bytes than the limit. */
export function bodyTooLarge(limits: Pick<BodyLimits, 'bodyLimit'>): ServiceError {
  return new ServiceError(413, `The request body is larger than ${limits.bodyLimit} bytes`);
}

const multipart = /^\s*multipart\//i;

/** The bodies that `rawBody` may read, and those that it has read. */
const offered = new WeakMap<
  IncomingMessage,
  { readonly read: () => Promise<Buffer>; bytes?: Promise<Buffer> }
>();

/** Lets `rawBody` read the body. `accept` is called before it is read: a client with `Expect: 100-continue` then sends it. */
export function offerRawBody(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyLimit'>,
  accept: () => void,
): void {
  const read = async (): Promise<Buffer> => {
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyLimit) throw bodyTooLarge(limits);
    accept();
    return collect(request, limits);
  };
  offered.set(request, { read });
}

/**
 * The bytes of the request's body, for `src/middleware.ts`: a signature covers them. Operations read the same bytes. Throws a ServiceError
 * 413 if there are more than BODY_LIMIT, and a TypeError for multipart/form-data, or where something else has read the body.
 */
export async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const body = offered.get(request);
  if (body === undefined)
    throw new TypeError('rawBody reads requests that src/middleware.ts gets, and no others');
  if (body.bytes !== undefined) return body.bytes;
  if (multipart.test(request.headers['content-type'] ?? ''))
    throw new TypeError('rawBody reads no multipart/form-data: files may be larger than BODY_LIMIT');
  if (request.readableDidRead)
    throw new TypeError('Something else has read the body, such as express.json()');
  body.bytes = body.read();
  // A failure is reported to those who await the bytes; if nobody does, it must not end the process.
  body.bytes.catch(() => undefined);
  return body.bytes;
}

/**
 * The bytes of the body before an operation is called, for the signature over them; operations read the same bytes. Throws a ServiceError:
 * 413, or 415 for multipart/form-data.
 */
export async function rawBodyBefore(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'bodyLimit'>,
  accept: () => void,
): Promise<Buffer> {
  if (!offered.has(request)) offerRawBody(request, limits, accept);
  if (multipart.test(request.headers['content-type'] ?? ''))
    throw new ServiceError(415, 'The request body must not be multipart/form-data');
  return rawBody(request);
}

/** Whether the body has been read by nobody, or by `rawBody`. */
function isBodyThere(request: IncomingMessage): boolean {
  return !request.readableDidRead || offered.get(request)?.bytes !== undefined;
}

/** Throws a ServiceError 500 where something else has read the body. */
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
  return offered.get(request)?.bytes ?? collect(request, limits);
}

function collect(request: IncomingMessage, limits: Pick<BodyLimits, 'bodyLimit'>): Promise<Buffer> {
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
