/** Finds the API description's endpoint for an operation: same method, same path shape. */
import type { Endpoint } from '../config/config-model.js';
import type { ApiDescription, ApiEndpoint } from './api-model.js';

/**
 * Paths match by position: `/news/{id}` and `/news/{newsId}` have the same shape. So does `/news/:id`, the notation of other tools, which
 * gets a separate diagnostic. Non-ASCII characters are encoded in configurations but usually not in descriptions.
 */
export function pathShape(path: string): string {
  return encodedPath(path.replaceAll(/\{[^{}]*\}|(?<=\/):[\p{L}_]\w*/gu, '{}'));
}

/** The path with non-ASCII characters percent-encoded, as in requests. */
export function encodedPath(path: string): string {
  return path
    .replaceAll(/[^\x21-\x7e\p{Surrogate}]+/gu, encodeURIComponent)
    .replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/** The names of the `{param}` segments in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
}

/** The endpoint served by an operation; undefined if it is not in the description. */
export function matchingEndpoint(
  { endpoints }: ApiDescription,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): ApiEndpoint | undefined {
  // A fast path for the usual case: a description can have thousands of endpoints.
  const same = endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path);
  if (same !== undefined) return same;
  const shape = pathShape(path);
  return endpoints.find((endpoint) => endpoint.method === method && pathShape(endpoint.path) === shape);
}
