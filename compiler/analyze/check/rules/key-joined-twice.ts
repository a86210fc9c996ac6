/** Joins of one field with two fields of the same fulfillment, as of a billing and a shipping address: both must match (decisions 8.2). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Join, JoinSide } from '../../mapping/written-joins.js';
import { rule } from '../rule.js';

export const keyJoinedTwice = rule(
  {
    'key-joined-twice': warning((p: { one: string; two: string; key: string; name: string }) => ({
      message: `Both '${p.one}' and '${p.two}' must equal '${p.key}'.`,
      hint: `To join them with different rows, read the rows of '${p.name}' again in another fulfillment, and join one of the two with that.`,
    })),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { distinct, areSound } = analyzed.joins;
      if (!areSound) return;
      for (const [index, join] of distinct.entries()) {
        for (const [key, one] of sidesOf(join)) {
          const earlier = distinct
            .slice(0, index)
            .flatMap((other) => sidesOf(other))
            .find(([same, two]) => isSame(same, key) && two.fulfillment === one.fulfillment);
          if (earlier === undefined || one.fulfillment === key.fulfillment) continue;
          const parameters = { one: textOf(earlier[1]), two: textOf(one), key: textOf(key) };
          report('key-joined-twice', join.condition.span, { ...parameters, name: key.fulfillment });
        }
      }
    },
  }),
);

/** Each side with the other one, in an order that does not depend on the writing. */
function sidesOf({ left, right }: Join): [JoinSide, JoinSide][] {
  const [one, other] = textOf(left) < textOf(right) ? [left, right] : [right, left];
  return [
    [one, other],
    [other, one],
  ];
}

function isSame(one: JoinSide, other: JoinSide): boolean {
  return one.fulfillment === other.fulfillment && one.field === other.field;
}

function textOf({ fulfillment, field }: JoinSide): string {
  return `${fulfillment}.${field}`;
}
