/** Requests that have both kinds of body (decisions 6.4). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const bodyAndMultipart = rule(
  {
    'body-and-multipart': error(() => ({
      message: "This request has both 'body' and 'multipart'.",
      hint: "Remove one of the two: 'body' sends JSON or a form, 'multipart' sends files and texts as parts.",
    })),
  },
  ({ report }) => ({
    request: ({ httpType: { value: method }, fields }) => {
      const [body, multipart] = [fields.get('body'), fields.get('multipart')];
      if (method === 'GET' || method === 'HEAD' || body === undefined || multipart === undefined) return;
      report('body-and-multipart', multipart.start > body.start ? multipart : body);
    },
  }),
);
