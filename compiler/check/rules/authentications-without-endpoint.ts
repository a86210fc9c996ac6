/** Authentications of an operation that no request reaches. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const authenticationsWithoutEndpoint = rule(
  {
    'authentications-without-endpoint': warning((p: { name: string }) => ({
      message: `No request reaches operation '${p.name}', so nobody is asked for credentials: timed operations and reference calls need none.`,
      hint: "Take 'authentications' away here; an operation that calls this one has its own.",
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
