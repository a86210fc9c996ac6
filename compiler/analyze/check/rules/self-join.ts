/** Joins of a fulfillment with itself. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const selfJoin = rule(
  {
    'self-join': error((p: { name: string }) => ({
      message: `Fulfillment '${p.name}' is joined with itself.`,
      hint: `Read the same rows in another fulfillment, and join '${p.name}' with it.`,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, join, isSelf } of analyzed.joins.written)
        if (join !== undefined && isSelf)
          report('self-join', condition.span, { name: join.left.fulfillment });
    },
  }),
);
