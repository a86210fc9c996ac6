/** Tests for the result of an UPDATE on MySQL and MariaDB being there: it is never empty (decisions 5.7). */
import type { DataFulfillment } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';
import { returnsOutcome, updateNamed } from '../update-outcome.js';

export const updateNeverEmpty = rule(
  {
    'update-never-empty': warning((p: { name: string; instead: string }) => ({
      message: `The result of '${p.name}' is never empty: an UPDATE on MySQL always returns one row.`,
      hint: `Write ${p.instead}`,
      instead: p.instead,
      // What runs is another condition.
      isSuggestion: true,
    })),
  },
  ({ report }) => ({
    comparison: (node, { operation, scope }) => {
      for (const [side, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const name = testedName(side, other);
        const update = name === undefined ? undefined : updateNamed(name, scope);
        if (name === undefined || update === undefined) continue;
        if (!returnsOutcome(update) || mayBeSkipped(update)) continue;
        const count = operation.syntax === 'B' ? `${name}.affected_rows` : `VALUE(${name}, $.affected_rows)`;
        // A comparison with a number stays one; a test for null becomes a test for zero.
        const zero = `${count} ${node.operator} ${operation.syntax === 'B' ? '0' : 'INTEGER(0)'}`;
        const [span, instead] = side.kind === 'size' ? [side.span, count] : [node.span, zero];
        report('update-never-empty', span, { name, instead });
      }
    },
  }),
);

/** A skipped one has no result, and then the tests mean something. */
function mayBeSkipped({ if: condition, instructions }: DataFulfillment): boolean {
  return condition !== undefined || instructions.every((instruction) => instruction.if !== undefined);
}

/** The fulfillment whose result is tested for being there: `upd == null`, `upd.size() == 0`, `SIZE(VALUE(upd, $)) <= INTEGER(0)`. */
function testedName(side: Expression, other: Expression): string | undefined {
  const isWhole = (node: Expression): node is Extract<Expression, { kind: 'result' | 'value' }> =>
    node.kind === 'result' || (node.kind === 'value' && node.path.length === 0);
  if (isWhole(side) && other.kind === 'null') return side.name;
  return side.kind === 'size' && isWhole(side.of) && other.kind === 'number' ? side.of.name : undefined;
}
