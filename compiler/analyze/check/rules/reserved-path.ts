/** An operation on one of the fixed endpoints (decisions 9.5). */
import { isWrittenEndpoint } from '../../../read/config/operation-name.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { partOf } from '../../../read/source.js';
import { rule } from '../rule.js';

export const reservedPath = rule(
  {
    'reserved-path': error((p: { path: string }) => ({
      message: `The path '${p.path}' is reserved for the test page.`,
      hint: 'Choose a path outside /docs-ui and /v3/api-docs.',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint }) => {
      if (endpoint !== undefined && isWrittenEndpoint(name.value, endpoint) && reserved.test(endpoint.path))
        report('reserved-path', partOf(name.span, endpoint.path), { path: endpoint.path });
    },
  }),
);

const reserved = /^\/(?:docs-ui|v3\/api-docs)(?:[/.]|$)/;
