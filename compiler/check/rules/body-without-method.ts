/** `body` and `multipart` of a request whose method has no body (decisions 6.4). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const bodyWithoutMethod = rule(
  {
    'body-without-method': error((p: { field: string; method: string }) => ({
      message: `A ${p.method} request has no body, so it cannot have '${p.field}'.`,
      hint: "Values of a GET stand in the query of the 'url'; a request with a body is a POST, PUT or PATCH.",
    })),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      if (method !== 'GET' && method !== 'HEAD') return;
      for (const field of ['body', 'multipart']) {
        const place = fields.get(field);
        if (place !== undefined) report('body-without-method', place, { field, method });
      }
    },
  }),
);
