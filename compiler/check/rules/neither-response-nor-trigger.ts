/** An operation must have a response, a trigger, or both (specification, What the service does, 8). */
import type { Rule } from '../rule.js';

export const neitherResponseNorTrigger: Rule = ({ operations }, report) => {
  for (const { name, endpoint, fields } of operations) {
    if (endpoint !== undefined || fields.has('responses') || fields.has('triggers')) continue;
    report.add('neither-response-nor-trigger', name.place, { name: name.value });
  }
};
