/** What follows the '#' of a URL. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const urlFragment = rule(
  {
    'url-fragment': warning(() => ({
      message: "What follows the '#' of a URL is never sent.",
      hint: "Take it away; where the '#' itself is meant, write %23.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.hasFragment)
        report('url-fragment', written.place);
    },
  }),
);
