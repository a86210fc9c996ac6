/** A name that two responses of one operation have. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { repeatedNames } from '../repeated-names.js';
import { rule } from '../rule.js';

export const duplicateResponse = rule(
  {
    'duplicate-response': error((p: { name: string }) => ({
      message: `Two responses of this operation are named '${p.name}'.`,
      hint: 'Give one of them another name.',
    })),
  },
  ({ report }) => ({
    operation: ({ responses }) => {
      for (const { value, place } of repeatedNames(responses))
        report('duplicate-response', place, { name: value });
    },
  }),
);
