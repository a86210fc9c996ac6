/** Contents that consist of one string: text, and bytes in base64. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** The content as a string. */
export function text(body: Json): string {
  return textOf(body);
}

/** The bytes of a base64 string; line breaks are ignored. Throws a ServiceError 500 for other strings. */
export function bytes(body: Json): readonly Buffer[] {
  if (body === null) return [];
  const written = typeof body === 'string' ? body.replaceAll(/[\r\n]/g, '') : undefined;
  const read = written === undefined ? undefined : Buffer.from(written, 'base64');
  if (read !== undefined && read.toString('base64') === written) return [read];
  const log = { reason: 'the content of a response is not base64' };
  throw new ServiceError(500, 'Internal server error', { log });
}
