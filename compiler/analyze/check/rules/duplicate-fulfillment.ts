/**
 * Names that could mean either of two fulfillments. Sub-fulfillments of different loops, neither inside the other, may share one;
 * VALUE_BY_INDEX reads a name from outside, so only one of them may have an index.
 */
import type { Fulfillment } from '../../../read/config/config-model.js';
import { error, firstDefinedAt } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Span } from '../../../read/source.js';
import type { RepeatedName } from '../repeated-names.js';
import { rule } from '../rule.js';

export const duplicateFulfillment = rule(
  {
    'duplicate-fulfillment': error((p: { name: string; first: Span }) => ({
      message: `Duplicate fulfillment '${p.name}'.`,
      hint: 'Rename one of them.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    operation: ({ fulfillments }) => {
      for (const { value, span, first } of repeatedFulfillments(fulfillments))
        report('duplicate-fulfillment', span, { name: value, first });
    },
  }),
);

function repeatedFulfillments(fulfillments: readonly Fulfillment[]): RepeatedName[] {
  const seen = new Map<string, { around: readonly Fulfillment[]; hasIndex: boolean; span: Span }[]>();
  const found: RepeatedName[] = [];
  const visit = (list: readonly Fulfillment[], around: readonly Fulfillment[]): void => {
    const loop = around.at(-1);
    for (const fulfillment of list) {
      const { name } = fulfillment;
      const hasIndex = fulfillment.index !== undefined;
      const others = seen.get(name.value) ?? [];
      const first = others.find((other) => {
        const otherLoop = other.around.at(-1);
        const isInside = loop === undefined || other.around.includes(loop);
        return (
          isInside || otherLoop === undefined || around.includes(otherLoop) || (hasIndex && other.hasIndex)
        );
      });
      if (first !== undefined && name.value !== '') found.push({ ...name, first: first.span });
      seen.set(name.value, [...others, { around, hasIndex, span: name.span }]);
      if (fulfillment.type === 'LOOP') visit(fulfillment.fulfillments, [...around, fulfillment]);
    }
  };
  visit(fulfillments, []);
  return found;
}
