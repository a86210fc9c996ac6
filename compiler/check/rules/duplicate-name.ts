/** A name used twice among the fulfillments, responses or triggers of one operation. */
import type { Fulfillment } from '../../config/config-model.js';
import type { Located } from '../../source.js';
import type { Rule } from '../rule.js';

export const duplicateName: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    for (const name of repeatedFulfillments(operation.fulfillments))
      report.add('duplicate-fulfillment', name.place, { name: name.value });
    for (const name of repeated(operation.responses.map((response) => response.name))) {
      report.add('duplicate-response', name.place, { name: name.value });
    }
    for (const name of repeated(operation.triggers.map((trigger) => trigger.name))) {
      report.add('duplicate-trigger', name.place, { name: name.value });
    }
  }
};

/**
 * Names that an expression could take for either of two fulfillments. Sub-fulfillments of different loops, neither inside the other, may share one;
 * VALUE_BY_INDEX reads a name from outside, so only one of them may have an index.
 */
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

/** The second and later ones; a name that is missing has been reported before. */
function repeated(names: readonly Located<string>[]): Located<string>[] {
  return names.filter(
    (name, index) => name.value !== '' && names.findIndex((other) => other.value === name.value) < index,
  );
}
