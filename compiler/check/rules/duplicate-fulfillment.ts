/**
 * Names that an expression could take for either of two fulfillments. Sub-fulfillments of different loops, neither inside the other, may share one;
 * VALUE_BY_INDEX reads a name from outside, so only one of them may have an index.
 */
import type { Fulfillment } from '../../config/config-model.js';
import { error } from '../../diagnostics/catalogue/entry-messages.js';
import type { Located } from '../../source.js';
import { rule } from '../rule.js';

export const duplicateFulfillment = rule(
  {
    'duplicate-fulfillment': error((p: { name: string }) => ({
      message: `Two fulfillments of this operation are named '${p.name}', so nobody could tell which one is meant.`,
      hint: 'Give one of them another name.',
    })),
  },
  ({ report }) => ({
    operation: ({ fulfillments }) => {
      for (const { value, place } of repeatedFulfillments(fulfillments))
        report('duplicate-fulfillment', place, { name: value });
    },
  }),
);

function repeatedFulfillments(fulfillments: readonly Fulfillment[]): Located<string>[] {
  const seen = new Map<string, { around: readonly Fulfillment[]; hasIndex: boolean }[]>();
  const found: Located<string>[] = [];
  const visit = (list: readonly Fulfillment[], around: readonly Fulfillment[]): void => {
    const loop = around.at(-1);
    for (const fulfillment of list) {
      const { name } = fulfillment;
      const hasIndex = fulfillment.index !== undefined;
      const others = seen.get(name.value) ?? [];
      const isShared = others.some((other) => {
        const otherLoop = other.around.at(-1);
        const isInside = loop === undefined || other.around.includes(loop);
        return (
          isInside || otherLoop === undefined || around.includes(otherLoop) || (hasIndex && other.hasIndex)
        );
      });
      if (isShared && name.value !== '') found.push(name);
      seen.set(name.value, [...others, { around, hasIndex }]);
      if (fulfillment.type === 'LOOP') visit(fulfillment.fulfillments, [...around, fulfillment]);
    }
  };
  visit(fulfillments, []);
  return found;
}
