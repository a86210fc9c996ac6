/** A header that is there twice (decisions 6.3). */
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const duplicateHeader = rule(
  {
    'duplicate-header': error((p: { name: string; first: Span | undefined }) => ({
      message: `Duplicate header '${p.name}'.`,
      hint: 'Write both values in the first one, separated by a comma, and remove this one.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    header: ({ problem, name, first }) => {
      if (problem === 'twice') report('duplicate-header', name.span, { name: name.value, first });
    },
  }),
);
