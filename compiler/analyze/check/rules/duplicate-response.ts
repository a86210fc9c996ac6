/** A name that two responses of one operation have. */
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { repeatedNames } from '../repeated-names.js';
import { rule } from '../rule.js';

export const duplicateResponse = rule(
  {
    'duplicate-response': error((p: { name: string; first: Span }) => ({
      message: `Duplicate response '${p.name}'.`,
      hint: 'Rename one of them.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      for (const { value, span, first } of repeatedNames(responses))
        report('duplicate-response', span, { name: value, first });
    },
  }),
);
