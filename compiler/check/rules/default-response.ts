/** Every operation with an API trigger has one default response (specification, Response; decisions 7.8). */
import type { Rule } from '../rule.js';

export const defaultResponse: Rule = ({ operations }, report) => {
  for (const { name, endpoint, responses, fields } of operations) {
    const [first, ...others] = responses.filter((response) => response.default);
    if (first === undefined && endpoint !== undefined) {
      report.add('missing-default-response', fields.get('responses') ?? name.place, { name: name.value });
    }
    for (const other of others) {
      report.add('several-default-responses', other.fields.get('default') ?? other.name.place, {
        name: other.name.value,
        other: first?.name.value ?? '',
      });
    }
    for (const response of responses) {
      const condition = response.fields.get('if');
      if (!response.default && condition === undefined) {
        report.add('response-never-used', response.name.place, { name: response.name.value });
      }
      if (response.default && condition !== undefined) {
        report.add('condition-on-default', condition, { name: response.name.value });
      }
    }
  }
};
