/** What the API description says of an operation's responses. */
import type { Operation, Response } from '../config/model.js';
import type { ApiDescription, ApiEndpoint, ApiSchema } from '../openapi/model.js';

/** The endpoint that the operation implements; names of path parameters do not make another path. */
export function describedEndpoint(
  { endpoint }: Operation,
  description: ApiDescription | undefined,
): ApiEndpoint | undefined {
  if (endpoint === undefined) return undefined;
  return description?.endpoints.find(
    ({ method, path }) => method === endpoint.method && shapeOfPath(path) === shapeOfPath(endpoint.path),
  );
}

function shapeOfPath(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

/** The schema of a response's JSON body: that of its status code, else of the range (`2XX`), else of `default`. */
export function describedBody(
  { statuscode }: Response,
  endpoint: ApiEndpoint | undefined,
): ApiSchema | undefined {
  const status = String(statuscode.value);
  const range = `${status.charAt(0)}XX`;
  const found = [status, range, range.toLowerCase(), 'default'].find((key) => endpoint?.responses.has(key));
  return endpoint?.responses.get(found ?? '')?.json;
}
