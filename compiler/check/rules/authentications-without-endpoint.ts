/** Authentications of an operation that no request reaches. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
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
      const place = fields.get('authentications');
      if (endpoint === undefined && place !== undefined)
        report('authentications-without-endpoint', place, { name: name.value });
    },
  }),
);
