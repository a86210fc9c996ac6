/** Values in Location, Content-Location or Link: whole ones, and segments that no request holds. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { segment } from '../rest/url-values.js';

/**
 * A value of a database or of the service as one segment of a path. Throws a ServiceError 500 for an empty one, `.` and `..`: whoever calls
 * cannot send another one.
 */
export function storedSegment(value: Json | undefined): string {
  try {
    return segment(value);
  } catch (cause) {
    const log = { reason: "a segment in a URL of a response is empty, '.' or '..', or is not valid Unicode" };
    throw new ServiceError(500, 'Internal server error', { log, cause });
  }
}

/** Null stays null. Characters that a URL cannot contain are percent-encoded. Throws a ServiceError 400 for invalid Unicode. */
export function urlReference(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  try {
    return encodeURI(textOf(value)).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%');
  } catch {
    throw new ServiceError(400, 'A value is not allowed in a URL: it is not valid Unicode');
  }
}
