/** API keys that an operation reads as parameters, at the locations declared in the API description. */
import type { Operation } from '../../read/config/config-model.js';
import { nodesOf, withCalled } from '../../read/config/walk.js';
import type { ApiDescription, ApiEndpoint, ApiParameter, Credential } from '../../read/openapi/api-model.js';

/**
 * The endpoint with such keys as parameters. `PARAM(x-user)` of a header key must never read `?x-user=…`, which anybody could append to a
 * request whose header was set by someone else.
 */
export function withCredentials(
  endpoint: ApiEndpoint,
  { credentials = [] }: ApiDescription,
  operation: Operation,
  byName: ReadonlyMap<string, Operation>,
): ApiEndpoint {
  const { parameters, span } = endpoint;
  const undeclared = credentials.filter(
    (key) => !parameters.some((one) => one.in === key.in && isSame(key, one.name)),
  );
  if (undeclared.length === 0) return endpoint;
  const read = parametersRead(withCalled([operation], byName));
  const more = undeclared
    .filter((key) => read.some((name) => isSame(key, name)))
    .map((key): ApiParameter => {
      const style = key.in === 'header' ? 'simple' : 'form';
      return { ...key, required: false, style, explode: style === 'form', schema: undefined, span };
    });
  return { ...endpoint, parameters: [...parameters, ...more] };
}

function isSame(key: Credential, name: string): boolean {
  return key.in === 'header' ? key.name.toLowerCase() === name.toLowerCase() : key.name === name;
}

function parametersRead(operations: Iterable<Operation>): readonly string[] {
  const names = [...operations]
    .flatMap(nodesOf)
    .flatMap((node) => (node.kind === 'param' ? [node.name] : []));
  return [...new Set(names)];
}
