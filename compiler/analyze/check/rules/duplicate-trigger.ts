/** A name that two triggers of one operation have. */
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { repeatedNames } from '../repeated-names.js';
import { rule } from '../rule.js';

export const duplicateTrigger = rule(
  {
    'duplicate-trigger': error((p: { name: string; first: Span }) => ({
      message: `Duplicate trigger '${p.name}'.`,
      hint: 'Rename one of them.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    operation: ({ triggers }) => {
      for (const { value, span, first } of repeatedNames(triggers))
        report('duplicate-trigger', span, { name: value, first });
    },
  }),
);
