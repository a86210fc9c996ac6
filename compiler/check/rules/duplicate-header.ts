/** A header that is there twice (decisions 6.3). */
import { error, firstDefinedAt } from '../../diagnostics/catalogue/entry-messages.js';
import type { Place } from '../../source.js';
import { rule } from '../rule.js';

export const duplicateHeader = rule(
  {
    'duplicate-header': error((p: { name: string; first: Place | undefined }) => ({
      message: `Duplicate header '${p.name}'.`,
      hint: 'Write both values in the first one, separated by a comma, and remove this one.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    header: ({ fault, name, first }) => {
      if (fault === 'twice') report('duplicate-header', name.place, { name: name.value, first });
    },
  }),
);
