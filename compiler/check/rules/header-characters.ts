/** Values of headers with characters that a header cannot carry. */
import { fitsHeader } from '../../../runtime/rest/header-text.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { constantIn } from '../visited-headers.js';
import { rule } from '../rule.js';

export const headerCharacters = rule(
  {
    'header-characters': error((p: { name: string }) => ({
      message: `Header '${p.name}' has characters that a header cannot contain.`,
      hint: 'Remove control characters and line breaks, and percent-encode characters outside of Latin-1.',
    })),
  },
  ({ report }) => ({
    header: ({ name, value, valuePlace }) => {
      if (!fitsHeader(constantIn(value))) report('header-characters', valuePlace, { name: name.value });
    },
  }),
);
