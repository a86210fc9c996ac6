/** A whole value in Location, Content-Location or Link. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';

/** Null stays null. What a URL cannot hold is percent-encoded. Throws a ServiceError 400 for invalid Unicode. */
export function urlReference(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  try {
    return encodeURI(textOf(value)).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%');
  } catch {
    throw new ServiceError(400, 'A value is not allowed in a URL: it is not valid Unicode');
  }
}
