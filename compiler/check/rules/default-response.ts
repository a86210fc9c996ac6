/** Every operation with an API trigger has one default response (specification, Response; decisions 7.8). */
import type { Operation } from '../../config/config-model.js';
import type { Report } from '../../diagnostics/report.js';
import type { Rule } from '../rule.js';

export const defaultResponse: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    checkDefaults(operation, report);
    const first = operation.responses.find((response) => response.default);
    for (const response of operation.responses) {
      const { name, fields, isDefaultKnown } = response;
      const condition = fields.get('if');
      if (!response.default && isDefaultKnown && condition === undefined) {
        report.add('response-never-used', name.place, { name: name.value });
      }
      if (response === first && condition !== undefined) {
        report.add('condition-on-default', condition, { name: name.value });
      }
    }
  }
};

function checkDefaults({ name, endpoint, responses, fields }: Operation, report: Report): void {
  const [first, ...others] = responses.filter((response) => response.default);
  // Where responses could not be read, the default one may be among them.
  const isReported =
    (responses.length === 0 && fields.has('responses')) ||
    responses.some((response) => !response.isDefaultKnown);
  if (first === undefined && endpoint !== undefined && !isReported) {
    report.add('missing-default-response', fields.get('responses') ?? name.place, { name: name.value });
  }
  for (const other of others) {
    report.add('several-default-responses', other.fields.get('default') ?? other.name.place, {
      name: other.name.value,
      other: first?.name.value ?? '',
    });
  }
}
