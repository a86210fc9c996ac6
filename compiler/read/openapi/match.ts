/** The endpoint of the API description that an operation serves: same method, same shape of path. */
import type { Endpoint } from '../config/config-model.js';
import type { ApiDescription, ApiEndpoint } from './api-model.js';

/**
 * Paths match by position: `/news/{id}` and `/news/{newsId}` have the same shape; so has `/news/:id`, which other tools write and which has
 * a diagnostic of its own. Configurations have characters beyond ASCII encoded, and descriptions mostly as they are.
 */
export function pathShape(path: string): string {
  return encodedPath(path.replaceAll(/\{[^{}]*\}|(?<=\/):[\p{L}_]\w*/gu, '{}'));
}

/** With percent signs for non-ASCII characters, as in requests. */
export function encodedPath(path: string): string {
  return path
    .replaceAll(/[^\x21-\x7e\p{Surrogate}]+/gu, encodeURIComponent)
    .replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/** The names of the `{param}` parts of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
}

/** The endpoint that an operation serves; undefined when the description does not have it. */
export function matchingEndpoint(
  { endpoints }: ApiDescription,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): ApiEndpoint | undefined {
  // Nearly always, and much faster: a description may have thousands.
  const same = endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path);
  if (same !== undefined) return same;
  const shape = pathShape(path);
  return endpoints.find((endpoint) => endpoint.method === method && pathShape(endpoint.path) === shape);
}
