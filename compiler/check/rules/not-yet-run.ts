/** Expressions that read a fulfillment which has not run yet. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const notYetRun = rule(
  {
    'not-yet-run': error((p: { name: string }) => ({
      message: `Fulfillment '${p.name}' has not run yet here.`,
      hint: `Move '${p.name}' before the first expression that reads it.`,
    })),
  },
  ({ report }) => ({
    unreadable: (read) => {
      if (read.why === 'not yet run') report('not-yet-run', read.place, { name: read.name });
    },
  }),
);
