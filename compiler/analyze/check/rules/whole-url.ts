/** URLs that are one value as a whole (decisions 6.1). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const wholeUrl = rule(
  {
    'whole-url': warning(() => ({
      message:
        'The whole URL is a value: the request chooses the server. Credentials are sent to the host of the datasource only.',
      hint: 'Write the host here, or in the url of the datasource, if it is known.',
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.url.kind === 'whole')
        report('whole-url', written.span);
    },
  }),
);
