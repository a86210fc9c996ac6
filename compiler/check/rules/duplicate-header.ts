/** A header that is there twice (decisions 6.3). */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const duplicateHeader = rule(
  {
    'duplicate-header': error((p: { name: string }) => ({
      message: `The header '${p.name}' is here twice, and one request carries it once.`,
      hint: 'Several values stand in one header, separated by commas.',
    })),
  },
  ({ report }) => ({
    header: ({ fault, name }) => {
      if (fault === 'twice') report('duplicate-header', name.place, { name: name.value });
    },
  }),
);
