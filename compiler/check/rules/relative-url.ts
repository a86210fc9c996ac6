/** URLs below that of the datasource, which has none (decisions 6.1). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const relativeUrl = rule(
  {
    'relative-url': error(() => ({
      message: 'This URL has no host, and its datasource has no url that it could be below.',
      hint: "Write the whole URL, or give the datasource a 'url'.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'host')
        report('relative-url', written.place);
    },
  }),
);
