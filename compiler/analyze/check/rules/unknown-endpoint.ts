/** Operations whose endpoint the API description does not have (decisions 9.1). */
import type { Endpoint } from '../../../read/config/config-model.js';
import { isWrittenEndpoint } from '../../../read/config/operation-name.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { ApiDescription } from '../../../read/openapi/api-model.js';
import { pathShape } from '../../../read/openapi/match.js';
import { ruleOfWhole } from '../rule.js';

export const unknownEndpoint = ruleOfWhole(
  {
    'unknown-endpoint': error((p: { name: string; description: string; hint: string | undefined }) => ({
      message: `The API description ${p.description} does not have '${p.name}'.`,
      hint: p.hint,
    })),
  },
  ({ analysis, report }) => {
    /** What operations serve already. */
    let served: Set<string> | undefined;
    return {
      operation: ({ name, endpoint }, { analyzed }) => {
        const { description } = analysis;
        if (description === undefined || endpoint === undefined || analyzed.endpoint !== undefined) return;
        if (!isWrittenEndpoint(name.value, endpoint)) return;
        const shape = pathShape(endpoint.path);
        if (description.unreadPaths.some((path) => pathShape(path) === shape)) return;
        served ??= new Set(
          analysis.config.operations.flatMap((other) =>
            other.endpoint === undefined
              ? []
              : [`${other.endpoint.method} ${pathShape(other.endpoint.path)}`],
          ),
        );
        report('unknown-endpoint', name.span, {
          name: name.value,
          description: description.source.path.split(/[\\/]/).at(-1) ?? '',
          hint: hintFor(endpoint, description, served),
        });
      },
    };
  },
);

function hintFor(
  { method, path }: Endpoint,
  { endpoints }: ApiDescription,
  served: ReadonlySet<string>,
): string {
  const free = endpoints.filter((endpoint) => !served.has(`${endpoint.method} ${pathShape(endpoint.path)}`));
  const written = free.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const isSamePath = (endpoint: { readonly path: string }): boolean =>
    pathShape(endpoint.path) === pathShape(path);
  if (endpoints.some(isSamePath)) {
    const other = free.find(isSamePath);
    return `${other === undefined ? 'Add' : `Write '${other.method} ${other.path}', or add`} ${method} to this path of the description.`;
  }
  const near = nearest(`${method} ${path}`, written) ?? withoutSlash(`${method} ${path}`, written);
  if (near !== undefined) return `Did you mean '${near}'?`;
  return `Add '${method} ${path}' to the description${written.length === 0 ? '' : `, or write an endpoint that it has, such as '${written[0] ?? ''}'`}.`;
}

/** `/news/` and `/news` are two paths. */
function withoutSlash(name: string, written: readonly string[]): string | undefined {
  return written.find((other) => other.replace(/\/$/, '') === name.replace(/\/$/, ''));
}
