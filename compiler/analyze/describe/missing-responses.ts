/** Errors that operations send, and that the written API description does not have for them. */
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
  /** By status, as generated descriptions have them. */
  readonly responses: JsonMap;
}

/**
 * Responses of the service itself and of exceptions; where the description has `default` or `4XX`, it has them. Responses of the configuration
 * are not among them: `check` reports these.
 */
export function missingResponses(analysis: Analysis): MissingResponses[] {
  if (analysis.description === undefined) return [];
  // Errors are the same whatever is known of values.
  const generated = generateDescription(analysis.config, noValues);
  const paths = generated['paths'] as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const sent = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [keyOf(method, path), responses]),
    ),
  );
  return analysis.operations.flatMap(({ operation, endpoint }): MissingResponses[] => {
    // A description without any responses leaves them open.
    if (endpoint === undefined || endpoint.responses.size === 0) return [];
    const own = new Set(operation.responses.map(({ statuscode }) => String(statuscode.value)));
    // Parameters and bodies that are described are validated, also those that the operation does not read.
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
