/** Declarations of the API description for an operation's responses. */
import type { Exception, Response } from '../../read/config/config-model.js';
import { bodyKind } from '../../read/openapi/media-type.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';

/** The schema of a response's body if that is JSON: that of its status code, else of the range (`2XX`), else of `default`. */
export function describedBody(
  response: Response | Exception,
  endpoint: ApiEndpoint | undefined,
): ApiSchema | undefined {
  const contentType = 'contentType' in response ? response.contentType : undefined;
  if (bodyKind(contentType) !== 'json') return undefined;
  return endpoint?.responses.get(describedStatus(response, endpoint) ?? '')?.json;
}

/** The key of the response in the description; undefined if its status code is not described. */
export function describedStatus(
  { statuscode }: Response | Exception,
  endpoint: ApiEndpoint,
): string | undefined {
  return describedKey(String(typeof statuscode === 'number' ? statuscode : statuscode.value), endpoint);
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
