/** Endpoints of the API description that no operation serves; many are reported as one (decisions 9.1). */
import type { Analysis } from '../../operations/analysis.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import { pathShape } from '../../../read/openapi/match.js';
import { ruleOfWhole } from '../rule.js';

export const endpointWithoutOperation = ruleOfWhole(
  {
    'endpoint-without-operation': warning((p: { endpoint: string }) => ({
      message: `No operation serves '${p.endpoint}' of the API description.`,
      hint: `Add an operation '${p.endpoint}', or remove the endpoint from the description.`,
    })),
    'endpoints-without-operation': warning((p: { count: number; some: readonly string[] }) => ({
      message: `No operation serves ${p.count} endpoints of the API description: ${p.some.map((one) => `'${one}'`).join(', ')} and ${p.count - p.some.length} more.`,
      hint: `Add operations such as '${p.some[0] ?? ''}', or remove the endpoints from the description.`,
    })),
  },
  ({ analysis, report }) => ({
    end: () => {
      const unserved = unservedEndpoints(analysis);
      const [first] = unserved;
      if (first !== undefined && unserved.length > maxReported) {
        const some = unserved.slice(0, 3).map(({ method, path }) => `${method} ${path}`);
        report('endpoints-without-operation', first.span, { count: unserved.length, some });
        return;
      }
      for (const { method, path, span } of unserved)
        report('endpoint-without-operation', span, { endpoint: `${method} ${path}` });
    },
  }),
);

/** Maximum number that are reported one by one. */
const maxReported = 10;

function unservedEndpoints({ config, operations, description }: Analysis): ApiEndpoint[] {
  const served = new Set(operations.flatMap(({ endpoint }) => (endpoint ? nameOf(endpoint) : [])));
  // GET also responds to HEAD.
  const respondsToHead = (path: string): boolean =>
    config.operations.some(
      ({ endpoint }) => endpoint?.method === 'GET' && pathShape(endpoint.path) === pathShape(path),
    );
  return (description?.endpoints ?? []).filter(
    (endpoint) =>
      !served.has(nameOf(endpoint)) && !(endpoint.method === 'HEAD' && respondsToHead(endpoint.path)),
  );
}

function nameOf({ method, path }: ApiEndpoint): string {
  return `${method} ${path}`;
}
