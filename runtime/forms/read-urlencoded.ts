/** Reads the fields of an application/x-www-form-urlencoded request. */
import type { Exchange } from '../http/exchange.js';
import { MediaTypeError, ServiceError } from '../handler/reply.js';
import { bodyTooLarge, decodeBody, readBodyBytes } from '../http/body-bytes.js';
import { parseQuery } from '../http/request-target.js';
import type { Form, FormLimits } from '../http/route.js';
import { withoutSpace } from '../http/header-space.js';

/** Far more fields than people fill in, but few enough to be parsed without a pause. */
const maxFields = 1000;

/** A FormReader for URL-encoded forms. */
export async function readUrlencoded(
  { request }: Pick<Exchange, 'request'>,
  limits: Pick<FormLimits, 'bodyLimit'>,
  accept: () => void,
): Promise<Form> {
  const { headers } = request;
  if (withoutSpace(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new MediaTypeError('The request body must not be compressed');
  if (!/^utf-?8$/i.test(charset.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'))
    throw new MediaTypeError('The request body must be UTF-8');
  if (Number(headers['content-length'] ?? 0) > limits.bodyLimit) throw bodyTooLarge(limits);
  accept();
  const text = decodeBody(await readBodyBytes(request, limits));
  if (text.split('&', maxFields + 1).length > maxFields)
    throw new ServiceError(413, `The form has more than ${maxFields} fields`);
  return { texts: parseQuery(text, 'form'), files: new Map(), lists: new Map(), release: nothing };
}

const charset = /;\s*charset="?([^\s;"]*)/i;

/** URL-encoded forms do not contain files whose memory must be released. */
function nothing(): void {
  return;
}
