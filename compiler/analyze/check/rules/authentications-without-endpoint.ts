/** Authentications of an operation that no request reaches. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const authenticationsWithoutEndpoint = rule(
  {
    'authentications-without-endpoint': warning((p: { name: string }) => ({
      message: `'authentications' has no effect: no request reaches operation '${p.name}'.`,
      hint: 'Remove it. Timers and reference calls need no credentials.',
    })),
  },
  ({ report }) => ({
    operation: ({ name, endpoint, fields }) => {
      const span = fields.get('authentications');
      if (endpoint === undefined && span !== undefined)
        report('authentications-without-endpoint', span, { name: name.value });
    },
  }),
);
