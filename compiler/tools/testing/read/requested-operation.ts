/** The operation that serves the request of a test. */
import type { Config, Operation } from '../../../read/config/config-model.js';
import type { RequestLine } from './test-model.js';

/** Undefined for a request that no operation serves. A path without parameters precedes one with them, as in the router. */
export function requestedOperation(
  { method, target }: Pick<RequestLine, 'method' | 'target'>,
  { operations, settings }: Config,
): Operation | undefined {
  const path = pathOf(target);
  const [first] = operations
    .filter(({ endpoint }) => {
      if (endpoint === undefined) return false;
      const isMethod = endpoint.method === method || (method === 'HEAD' && endpoint.method === 'GET');
      return isMethod && shapeOf(settings.basePath + endpoint.path).test(path);
    })
    .sort((a, b) => parametersOf(a) - parametersOf(b));
  return first;
}

/** The path of a request, with a word in place of each value that an earlier step has kept. */
export function pathOf(target: string): string {
  return target.replace(/\?.*$/s, '').replaceAll(/:\[[^[\]]*\]/g, '0');
}

function parametersOf({ endpoint }: Operation): number {
  return endpoint?.parameters.length ?? 0;
}

/** The paths that an endpoint has. */
function shapeOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
