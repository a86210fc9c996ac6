/** URLs below that of the datasource, which has none (decisions 6.1). */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const relativeUrl = rule(
  {
    'relative-url': error(() => ({
      message: 'This URL has no host, and its datasource has no url.',
      hint: "Write the whole URL, or set the 'url' of the datasource.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'host')
        report('relative-url', written.span);
    },
  }),
);
