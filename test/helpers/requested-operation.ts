/** Finds the operation that responds to a request of a fixture. */
import type { ServiceView, ViewedOperation } from '../../compiler/tools/explain/service-view.js';

/** The operation chosen by the router: a static path takes precedence over one with a parameter. */
export function requestedOperation(
  request: string,
  { operations, analysis }: ServiceView,
): ViewedOperation | undefined {
  const [method = '', target = ''] = request.split(' ');
  const [full = ''] = target.split('?');
  const { basePath } = analysis.config.settings;
  if (!full.startsWith(basePath)) return undefined;
  const path = full.slice(basePath.length);
  const found = operations.filter(({ plan: { endpoint } }) => {
    if (endpoint === undefined) return false;
    const isMethod = endpoint.method === method || (method === 'HEAD' && endpoint.method === 'GET');
    return isMethod && patternOf(endpoint.path).test(path);
  });
  const parameters = ({ plan }: ViewedOperation): number => plan.endpoint?.parameters.length ?? 0;
  return found.sort((a, b) => parameters(a) - parameters(b))[0];
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
