/** Joins of a fulfillment with itself. */
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const selfJoin = rule(
  {
    'self-join': error((p: { name: string }) => ({
      message: `A fulfillment cannot be joined with itself: both sides of this join are '${p.name}'.`,
      hint: `Read the same rows once more in a fulfillment of its own, and join '${p.name}' with that one.`,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, join, isSelf } of analyzed.joins.written)
        if (join !== undefined && isSelf)
          report('self-join', condition.place, { name: join.left.fulfillment });
    },
  }),
);
