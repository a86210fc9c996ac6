/** Values of SQL whose meaning depends on a type that is neither in the API description nor in the SQL (decisions 11.1). */
import { kindOfValue } from '../../operations/kind-of-value.js';
import { ordinaryError, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { listed } from '../../../read/diagnostics/quoted-list.js';
import type { Expression } from '../../../read/expression/ast.js';
import { untypedValues } from '../../../read/sql/check/check-values.js';
import type { ValueKind } from '../../../read/sql/facts/value-kind.js';
import { rule } from '../rule.js';

export const sqlNeedsCast = rule(
  {
    'sql-needs-cast': ordinaryError(
      (p: { where: string; isSilent: boolean; rewrites: readonly string[] }) => ({
        message: p.isSilent
          ? `PostgreSQL reads ${valueAt(p.where)} as a string.`
          : `PostgreSQL cannot determine the type of ${valueAt(p.where)}.`,
        hint: `Write ${listed(p.rewrites, 'or')}.`,
      }),
    ),
    'sql-string-column': warning((p: { rewrites: readonly string[] }) => ({
      message: 'PostgreSQL reads this column as a string.',
      hint: `Write ${listed(p.rewrites, 'or')}.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation, loop }) => {
      const kindOf = (value: Expression): ValueKind | undefined =>
        kindOfValue(value, analysis.declared.of(value, operation, loop));
      for (const { span, isLikelyText, ...untyped } of untypedValues(statement, kindOf)) {
        if (isLikelyText) report('sql-string-column', span, untyped);
        else report('sql-needs-cast', span, untyped);
      }
    },
  }),
);

/** `this value in sum( … )`, `this operand of '+'`. */
function valueAt(where: string): string {
  const operator = /^beside (\S+)$/.exec(where)?.[1];
  if (operator !== undefined) return `this operand of '${operator}'`;
  return `this value ${where.endsWith(')') ? `in ${where}` : where}`;
}
