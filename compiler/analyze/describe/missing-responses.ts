/** Finds errors that operations send but that the API description does not declare. */
import type { Operation } from '../../read/config/config-model.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import { pathShape } from '../../read/openapi/match.js';
import { describedKey, statusOfInvalid } from '../mapping/described.js';
import type { Analysis } from '../operations/analysis.js';
import { errorReference } from './error-responses.js';
import type { JsonMap } from '../../read/json.js';
import { generateDescription } from './generate.js';
import { noValues } from './known-values.js';

export interface MissingResponses {
  readonly operation: Operation;
  readonly endpoint: ApiEndpoint;
  /** Missing responses by status, in the form of generated descriptions. */
  readonly responses: JsonMap;
}

/**
 * Responses of the service itself and of exceptions, unless `default` or `4XX` covers them. Responses in the configuration are excluded,
 * because `check` reports them.
 */
export function missingResponses(analysis: Analysis): MissingResponses[] {
  if (analysis.description === undefined) return [];
  // Errors do not depend on the types of values.
  const generated = generateDescription(analysis.config, noValues);
  const paths = generated['paths'] as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const sent = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [keyOf(method, path), responses]),
    ),
  );
  return analysis.operations.flatMap(({ operation, endpoint }): MissingResponses[] => {
    // A description without any responses leaves the responses open.
    if (endpoint === undefined || endpoint.responses.size === 0) return [];
    const own = new Set(operation.responses.map(({ statuscode }) => String(statuscode.value)));
    // Described parameters and bodies are validated, even if the operation does not read them.
    const isValidated = endpoint.parameters.length > 0 || endpoint.body !== undefined;
    const isBad = statusOfInvalid(endpoint) === undefined;
    const responses = Object.entries({
      ...(isValidated ? { 400: errorReference(400) } : {}),
      ...(endpoint.body === undefined ? {} : { 413: errorReference(413), 415: errorReference(415) }),
      ...sent.get(keyOf(endpoint.method, endpoint.path)),
    }).filter(
      ([status]) =>
        !own.has(status) && (isBad || status !== '400') && describedKey(status, endpoint) === undefined,
    );
    return responses.length === 0 ? [] : [{ operation, endpoint, responses: Object.fromEntries(responses) }];
  });
}

interface Described {
  readonly responses: JsonMap;
}

function keyOf(method: string, path: string): string {
  return `${method.toLowerCase()} ${pathShape(path)}`;
}
