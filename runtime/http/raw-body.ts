/**
 * The bytes of a request body for code that runs before an operation or instead of it: `src/middleware.ts`, `src/app.ts`, and the check of
 * a signature.
 */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../handler/reply.js';
import { offeredBodies, offerRawBody } from './body-bytes.js';
import type { AccessRequest } from './route.js';

const multipart = /^\s*multipart\//i;

/**
 * The bytes of the request's body, for `src/middleware.ts` and `src/app.ts`, for example to check a signature over them. Operations still
 * read the same body. Throws a ServiceError 413 if there are more than BODY_LIMIT, and a TypeError for multipart/form-data, or if other
 * code has read the body.
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
  // A failure rejects the promise of whoever awaits the bytes. Without a listener it must not end the process.
  body.bytes.catch(() => undefined);
  return body.bytes;
}

/**
 * The bytes of the body before an operation is called, for the signature over them; operations read the same bytes. Throws a ServiceError:
 * 413, or 415 for multipart/form-data.
 */
export async function rawBodyBefore({ request, limits, accept }: AccessRequest): Promise<Buffer> {
  offerRawBody(request, limits, accept);
  if (multipart.test(request.headers['content-type'] ?? ''))
    throw new ServiceError(415, 'The request body must not be multipart/form-data');
  return rawBody(request);
}
