/** Joins that lead back to where they began. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const joinCycle = rule(
  {
    'join-cycle': error((p: { circle: readonly string[] }) => ({
      message: `These joins lead round in a circle: ${p.circle.map((name) => `'${name}'`).join(' → ')}. Each entry of the left side carries its matching entries of the right one, so there is no first.`,
      hint: 'Take one of them away: a join serves both directions.',
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { closing, circle } of analyzed.joins.cycles)
        report('join-cycle', closing.condition.place, { circle });
    },
  }),
);
