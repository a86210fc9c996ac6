/** `body` and `multipart` of a request whose method has no body (decisions 6.4). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const bodyWithoutMethod = rule(
  {
    'body-without-method': error((p: { field: string; method: string }) => ({
      message: `A ${p.method} request cannot have '${p.field}'.`,
      hint: "Put the values in the query of the 'url', or use POST, PUT or PATCH.",
    })),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      if (method !== 'GET' && method !== 'HEAD') return;
      for (const field of ['body', 'multipart']) {
        const span = fields.get(field);
        if (span !== undefined) report('body-without-method', span, { field, method });
      }
    },
  }),
);
