/** On MySQL and MariaDB: a value that may be a text, where the other alternatives of COALESCE, IF, CASE … are numbers. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { rule } from '../rule.js';

export const textBesideNumber = rule(
  {
    'text-beside-number': warning((p: { written: string; placeholder: string }) => ({
      message: `${p.written} may be a string, and the other values are numbers: MySQL and MariaDB then compare and return strings.`,
      hint: `Write CAST(${p.placeholder} AS SIGNED), or AS DECIMAL(10, 2) for a fraction; or declare its type in the API description.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: ({ uses, bindings }, { operation, loop }) => {
      for (const [index, { besideNumber }] of uses) {
        const binding = bindings[index];
        // A value of the database is a number if its column is one.
        const isUnknown = binding?.kind === 'param' || binding?.kind === 'sent' || binding?.kind === 'body';
        if (besideNumber !== true || !isUnknown) continue;
        if (analysis.declared.of(binding, operation, loop).length > 0) continue;
        const written = printExpression(binding, operation.syntax);
        const placeholder = isInText(binding) ? `:[${written}]` : '?';
        report('text-beside-number', binding.span, { written, placeholder });
      }
    },
  }),
);

/** In the form `sql` the expression is beside the statement, which has a `?` for it. */
function isInText({ span: { source, start } }: Expression): boolean {
  return /:\[\s*$/.test(source.text.slice(Math.max(0, start - 20), start));
}
