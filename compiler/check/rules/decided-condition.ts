/** Conditions that are the same for every call: never true, or always true, by themselves or by what was decided before them. */
import { explain } from '../../types/explain.js';
import type { Place } from '../../source.js';
import type { Rule } from '../rule.js';

export const decidedCondition: Rule = ({ operations }, report, _description, types) => {
  const mistakes = report.diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ place }) => place);
  for (const operation of operations) {
    for (const decision of types.flow(operation).decisions) {
      const { place } = decision.condition;
      // Of a condition that could not be read as it is meant, nothing is certain.
      if (mistakes.some((mistake) => overlaps(mistake, place))) continue;
      const code = decision.verdict === 'never' ? 'never-true' : 'always-true';
      report.add(code, place, explain(decision, operation.syntax));
    }
  }
};

function overlaps(one: Place, other: Place): boolean {
  return one.source === other.source && one.start < other.end && other.start < one.end;
}
