/** Values of headers with characters that a header cannot carry. */
import { isHeaderText } from '../../../../runtime/rest/header-text.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { constantIn } from '../visited-headers.js';
import { rule } from '../rule.js';

export const headerCharacters = rule(
  {
    'header-characters': error((p: { name: string; hasControl: boolean }) => ({
      message: `Header '${p.name}' has ${p.hasControl ? 'a line break or another control character' : 'characters outside of Latin-1'}.`,
      hint: p.hasControl
        ? 'Write the value in one line, without control characters.'
        : 'Write them percent-encoded, for example %C5%BE for ž.',
    })),
  },
  ({ report }) => ({
    header: ({ name, value, valueSpan }) => {
      const text = constantIn(value);
      if (isHeaderText(text)) return;
      const hasControl = !isHeaderText(text.replaceAll(/[^\p{Cc}]/gu, ''));
      report('header-characters', valueSpan, { name: name.value, hasControl });
    },
  }),
);
