/** Operations whose endpoint the API description does not have (decisions 9.1). */
import type { Endpoint } from '../../config/config-model.js';
import { isWrittenEndpoint } from '../../config/operation-name.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { nearest } from '../../diagnostics/suggest.js';
import type { ApiDescription } from '../../openapi/api-model.js';
import { pathShape } from '../../openapi/match.js';
import { rule } from '../rule.js';

export const unknownEndpoint = rule(
  {
    'unknown-endpoint': error((p: { name: string; description: string; hint: string | undefined }) => ({
      message: `The API description ${p.description} does not have '${p.name}'.`,
      hint: p.hint,
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ name, endpoint }, { analyzed }) => {
      const { description } = analysis;
      if (description === undefined || endpoint === undefined || analyzed.endpoint !== undefined) return;
      if (!isWrittenEndpoint(name.value, endpoint)) return;
      report('unknown-endpoint', name.place, {
        name: name.value,
        description: description.source.path.split(/[\\/]/).at(-1) ?? '',
        hint: hintFor(endpoint, description),
      });
    },
  }),
);

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
