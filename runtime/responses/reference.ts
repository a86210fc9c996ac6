/** Values of Location, Content-Location and Link: complete URLs, and path segments that are not from the request. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { segment } from '../rest/url-values.js';

/**
 * A value from a database or the service as one path segment. Throws a ServiceError 500 for an empty value, `.` or `..`, because the
 * client cannot fix the value.
 */
export function storedSegment(value: Json | undefined): string {
  try {
    return segment(value);
  } catch (cause) {
    const log = { reason: "a segment in a URL of a response is empty, '.' or '..', or is not valid Unicode" };
    throw new ServiceError(500, 'Internal server error', { log, cause });
  }
}

/** A URL, or null for null. Characters that are not allowed in URLs are percent-encoded. Throws a ServiceError 400 for invalid Unicode. */
export function urlReference(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  try {
    return encodeURI(textOf(value)).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%');
  } catch {
    throw new ServiceError(400, 'A value is not allowed in a URL: it is not valid Unicode');
  }
}
