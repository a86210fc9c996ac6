/** Conditions that are the same for every call: never true, or always true, by themselves or by what was decided before them. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import type { Place } from '../../source.js';
import { explain } from '../../types/explain.js';
import { rule } from '../rule.js';

export const neverTrue = rule(
  {
    'never-true': warning((p: { reason: string; hint: string }) => ({
      message: `This condition is never true: ${p.reason}.`,
      hint: p.hint,
    })),
    'always-true': warning((p: { reason: string; hint: string }) => ({
      message: `This condition is always true: ${p.reason}.`,
      hint: p.hint,
    })),
  },
  ({ analysis, report }) => ({
    operation: ({ syntax }, { analyzed }) => {
      for (const decision of analyzed.flow.decisions) {
        const { place } = decision.condition;
        // Of a condition that could not be read as it is meant, nothing is certain.
        if (analysis.mistakes.some((mistake) => overlaps(mistake, place))) continue;
        const code = decision.verdict === 'never' ? 'never-true' : 'always-true';
        report(code, place, explain(decision, syntax));
      }
    },
  }),
);

function overlaps(one: Place, other: Place): boolean {
  return one.source === other.source && one.start < other.end && other.start < one.end;
}
