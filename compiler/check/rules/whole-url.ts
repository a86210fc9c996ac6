/** URLs that one value gives as a whole (decisions 6.1). */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const wholeUrl = rule(
  {
    'whole-url': warning(() => ({
      message:
        'The whole URL is a value: whoever gives it chooses whom this service calls. Credentials of the datasource are sent to its own host only.',
      hint: 'Where the host is known, write it here, or in the url of the datasource.',
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.url.kind === 'whole')
        report('whole-url', written.place);
    },
  }),
);
