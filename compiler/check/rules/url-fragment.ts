/** What follows the '#' of a URL. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const urlFragment = rule(
  {
    'url-fragment': warning(() => ({
      message: "The '#' part of a URL is never sent.",
      hint: "Remove it, or write %23 for the character '#'.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.hasFragment)
        report('url-fragment', written.place);
    },
  }),
);
