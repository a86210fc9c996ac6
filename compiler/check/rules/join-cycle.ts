/** Joins that lead back to where they began. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const joinCycle = rule(
  {
    'join-cycle': error((p: { cycle: readonly string[] }) => ({
      message: `Cyclic joins: ${p.cycle.map((name) => `'${name}'`).join(' → ')}.`,
      hint: 'Remove one of them: a join works in both directions.',
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { closing, cycle } of analyzed.joins.cycles)
        report('join-cycle', closing.condition.span, { cycle });
    },
  }),
);
