/** A third-party response with status and headers, for operations that read STATUS or RESPONSE_HEADER. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Json } from '../handler/json.js';

export interface RestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** Whether the body is a string although the operation reads parts of it. */
  readonly hasNoParts?: boolean;
}

/** The result of a request that was not sent. */
export const noResponse = { status: null, headers: {}, body: null, failure: null } as const;

/** The header with this lower-case name; repeated headers are joined with commas. Null if missing. */
export function responseHeader(
  { headers }: { readonly headers: IncomingHttpHeaders },
  name: string,
): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
