/** A name that two triggers of one operation have. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { repeatedNames } from '../repeated-names.js';
import { rule } from '../rule.js';

export const duplicateTrigger = rule(
  {
    'duplicate-trigger': error((p: { name: string }) => ({
      message: `Two triggers of this operation are named '${p.name}'.`,
      hint: 'Give one of them another name.',
    })),
  },
  ({ report }) => ({
    operation: ({ triggers }) => {
      for (const { value, place } of repeatedNames(triggers))
        report('duplicate-trigger', place, { name: value });
    },
  }),
);
