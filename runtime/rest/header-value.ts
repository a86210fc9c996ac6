/** Header values. Invalid values are rejected, never changed. */
import { textOf, type Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { isHeaderText } from './header-text.js';

/** The value of a header; undefined for null, which omits the header. Throws a ServiceError 400. */
export function headerValue(value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = textOf(value);
  if (isHeaderText(text)) return text;
  throw new ServiceError(
    400,
    'A value is not allowed in a header: it has control characters, or characters outside Latin-1',
  );
}
