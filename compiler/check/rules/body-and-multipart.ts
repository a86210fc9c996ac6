/** Requests that have both kinds of body (decisions 6.4). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const bodyAndMultipart = rule(
  {
    'body-and-multipart': error(() => ({
      message: "This request has both 'body' and 'multipart'.",
      hint: "Keep one of the two. In 'multipart' every value is a part.",
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
