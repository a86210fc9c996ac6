/** Operations and the endpoints of the API description, both ways (decisions 9.1). */
import type { Config, Endpoint, Operation } from '../../config/config-model.js';
import { isWrittenEndpoint } from '../../config/operation-name.js';
import type { Report } from '../../diagnostics/report.js';
import { nearest } from '../../diagnostics/suggest.js';
import { matchingEndpoint, pathParameters, pathShape } from '../../openapi/match.js';
import type { ApiDescription, ApiEndpoint } from '../../openapi/api-model.js';
import type { Rule } from '../rule.js';

export const apiEndpoint: Rule = ({ operations }, report, description) => {
  if (description === undefined) return;
  const served = new Set<ApiEndpoint>();
  for (const operation of operations) {
    const { name, endpoint } = operation;
    if (endpoint === undefined) continue;
    const match = matchingEndpoint(description, endpoint);
    if (match !== undefined) {
      served.add(match);
      checkNames(operation, endpoint, match, report);
    } else if (isWrittenEndpoint(name.value, endpoint)) {
      report.add('unknown-endpoint', name.place, {
        name: name.value,
        description: fileName(description),
        hint: hintFor(endpoint, description),
      });
    }
  }
  reportUnserved(operations, served, description, report);
};

/** The names of path parameters are the configuration's for PARAM, and the description's for whoever calls: they must agree. */
function checkNames({ name }: Operation, { path }: Endpoint, match: ApiEndpoint, report: Report): void {
  const described = pathParameters(match.path);
  for (const [index, parameter] of pathParameters(path).entries()) {
    const other = described[index] ?? parameter;
    if (other === parameter) continue;
    report.add('path-parameter-name', name.place, {
      path: match.path,
      parameter,
      described: other,
    });
    return;
  }
}

function hintFor({ method, path }: Endpoint, { endpoints }: ApiDescription): string | undefined {
  const samePath = endpoints.filter((endpoint) => pathShape(endpoint.path) === pathShape(path));
  if (samePath.length > 0)
    return `'${samePath[0]?.path ?? ''}' has ${samePath.map((endpoint) => endpoint.method).join(', ')} there.`;
  const written = endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const near = nearest(`${method} ${path}`, written) ?? withoutSlash(`${method} ${path}`, written);
  if (near !== undefined) return `Did you mean '${near}'?`;
  return written.length === 0 ? 'It has no paths.' : undefined;
}

/** `/news/` and `/news` are two paths. */
function withoutSlash(name: string, written: readonly string[]): string | undefined {
  return written.find((other) => other.replace(/\/$/, '') === name.replace(/\/$/, ''));
}

/** So many are told one by one. */
const mostTold = 10;

function reportUnserved(
  operations: Config['operations'],
  served: ReadonlySet<ApiEndpoint>,
  { endpoints }: ApiDescription,
  report: Report,
): void {
  // HEAD is answered by GET.
  const answersHead = (path: string): boolean =>
    operations.some(
      ({ endpoint }) => endpoint?.method === 'GET' && pathShape(endpoint.path) === pathShape(path),
    );
  const unserved = endpoints.filter(
    (endpoint) => !served.has(endpoint) && !(endpoint.method === 'HEAD' && answersHead(endpoint.path)),
  );
  const [first] = unserved;
  if (first !== undefined && unserved.length > mostTold) {
    const some = unserved.slice(0, 3).map(({ method, path }) => `${method} ${path}`);
    report.add('endpoints-without-operation', first.place, { count: unserved.length, some });
    return;
  }
  for (const { method, path, place } of unserved)
    report.add('endpoint-without-operation', place, { endpoint: `${method} ${path}` });
}

function fileName({ source }: ApiDescription): string {
  return source.path.split(/[\\/]/).at(-1) ?? source.path;
}
