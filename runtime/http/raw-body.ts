/** Body bytes for code that runs before or instead of an operation: `src/middleware.ts`, `src/app.ts`, and signature verification. */
import type { IncomingMessage } from 'node:http';
import { MediaTypeError } from '../handler/reply.js';
import { offeredBodies, offerRawBody } from './body-bytes.js';
import type { AccessRequest } from './route.js';

const multipart = /^\s*multipart\//i;

/**
 * Returns the body bytes of a request in `src/middleware.ts` or `src/app.ts`, for example to verify a signature. Operations can still
 * read the body. Throws a ServiceError 413 for more than BODY_LIMIT bytes, and a TypeError for multipart/form-data, or if other code
 * has read the body.
 */
export async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const body = offeredBodies.get(request);
  if (body === undefined)
    throw new TypeError('rawBody reads requests of src/middleware.ts and src/app.ts, and no others');
  if (body.bytes !== undefined) return body.bytes;
  if (multipart.test(request.headers['content-type'] ?? ''))
    throw new TypeError('rawBody reads no multipart/form-data: files may be larger than BODY_LIMIT');
  if (request.readableDidRead)
    throw new TypeError('Something else has read the body, such as express.json()');
  body.bytes = body.read();
  // The caller handles a failure. Without this listener, an unhandled rejection would end the process.
  body.bytes.catch(() => undefined);
  return body.bytes;
}

/**
 * Returns the body bytes for signature verification, before an operation is called; operations can still read the body. Throws a
 * ServiceError: 413 if the body is too large, 415 for multipart/form-data.
 */
export async function rawBodyBefore({ request, limits, accept }: AccessRequest): Promise<Buffer> {
  offerRawBody(request, limits, accept);
  if (multipart.test(request.headers['content-type'] ?? ''))
    throw new MediaTypeError('The request body must not be multipart/form-data');
  return rawBody(request);
}
