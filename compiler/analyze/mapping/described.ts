/** The API description's declarations for an operation's responses. */
import type { Response } from '../../read/config/config-model.js';
import { bodyKind } from '../../read/openapi/media-type.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';

/** The schema of a JSON response body: for the status code, otherwise for the range (`2XX`), otherwise `default`. */
export function describedBody(response: Response, endpoint: ApiEndpoint | undefined): ApiSchema | undefined {
  if (bodyKind(response.contentType) !== 'json') return undefined;
  return endpoint?.responses.get(describedStatus(response, endpoint) ?? '')?.json;
}

/** The key of the response in the description; undefined if its status code is not described. */
export function describedStatus({ statuscode }: Response, endpoint: ApiEndpoint): string | undefined {
  return describedKey(String(statuscode.value), endpoint);
}

/** The key under which a status is declared. */
export function describedKey(status: string, { responses }: ApiEndpoint): string | undefined {
  const range = `${status.charAt(0)}XX`;
  return [status, range, range.toLowerCase(), 'default'].find((key) => responses.has(key));
}

/** 422 if the operation describes it instead of 400. */
export function statusOfInvalid(endpoint: ApiEndpoint | undefined): 422 | undefined {
  const { responses } = endpoint ?? {};
  return responses?.has('422') === true && !responses.has('400') ? 422 : undefined;
}
