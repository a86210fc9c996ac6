/** On MySQL and MariaDB: a value that may be a text, where the other alternatives of COALESCE, IF, CASE … are numbers. */
import type { Operation } from '../../config/config-model.js';
import { allFulfillments } from '../../config/walk.js';
import type { Expression } from '../../expression/ast.js';
import { printExpression } from '../../expression/print-expression.js';
import type { Report } from '../../diagnostics/report.js';
import { DeclaredValues } from '../../plan/declared-values.js';
import type { Rule } from '../rule.js';

export const textBesideNumber: Rule = ({ operations }, report, description) => {
  const declared = new DeclaredValues(operations, description);
  for (const operation of operations) checkOperation(operation, declared, report);
};

function checkOperation(operation: Operation, declared: DeclaredValues, report: Report): void {
  for (const { fulfillment, loop } of allFulfillments(operation.fulfillments)) {
    if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') continue;
    const around = loop?.type === 'LOOP' ? loop : undefined;
    for (const { action } of fulfillment.instructions) {
      if (action === undefined || 'kind' in action) continue;
      for (const [index, { besideNumber }] of action.uses) {
        const binding = action.bindings[index];
        // What comes from the database is a number where the column is one.
        const isUnknown = binding?.kind === 'param' || binding?.kind === 'body';
        if (besideNumber !== true || !isUnknown) continue;
        if (declared.of(binding, operation, around).length > 0) continue;
        const placeholder = isInText(binding) ? `:[${printExpression(binding, operation.syntax)}]` : '?';
        report.add('text-beside-number', binding.place, { placeholder });
      }
    }
  }
}

/** In the `sql` form the expression stands beside the text, which has a `?` for it. */
function isInText({ place: { source, start } }: Expression): boolean {
  return /:\[\s*$/.test(source.text.slice(Math.max(0, start - 20), start));
}
