/** A name used twice among the fulfillments, responses or triggers of one operation. */
import type { Located } from '../../source.js';
import type { Rule } from '../rule.js';
import { allFulfillments } from '../../config/walk.js';

export const duplicateName: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    const fulfillments = allFulfillments(operation.fulfillments).map(({ fulfillment }) => fulfillment.name);
    for (const name of repeated(fulfillments))
      report.add('duplicate-fulfillment', name.place, { name: name.value });
    for (const name of repeated(operation.responses.map((response) => response.name))) {
      report.add('duplicate-response', name.place, { name: name.value });
    }
    for (const name of repeated(operation.triggers.map((trigger) => trigger.name))) {
      report.add('duplicate-trigger', name.place, { name: name.value });
    }
  }
};

/** The second and later ones; a name that is missing has been reported before. */
function repeated(names: readonly Located<string>[]): Located<string>[] {
  return names.filter(
    (name, index) => name.value !== '' && names.findIndex((other) => other.value === name.value) < index,
  );
}
