/** Joins at a fulfillment that is on neither side of them. */
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

export const foreignJoin = rule(
  {
    'foreign-join': error((p: { name: string; left: string; right: string }) => ({
      message: `This join of '${p.left}' and '${p.right}' is on fulfillment '${p.name}'.`,
      hint: `Move it to '${p.left}' or '${p.right}'.`,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      for (const { condition, fulfillment, join, isForeign } of analyzed.joins.written) {
        if (join === undefined || !isForeign) continue;
        const [left, right] = [join.left.fulfillment, join.right.fulfillment];
        report('foreign-join', condition.span, { name: fulfillment.name.value, left, right });
      }
    },
  }),
);
