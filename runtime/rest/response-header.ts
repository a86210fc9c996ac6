/** Headers of the responses of third-party APIs (RESPONSE_HEADER). */
import type { IncomingHttpHeaders } from 'node:http';

/** The header of that name, in lower case; repeated ones are joined with commas. Null if there is none. */
export function responseHeader(
  { headers }: { readonly headers: IncomingHttpHeaders },
  name: string,
): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
