/** `IN (:[lists.id])`: a path without `[*]` reads the first row of a result, where all of them are wanted (decisions 3.4). */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { OutlineToken } from '../../../read/sql/parse/outline.js';
import { rule } from '../rule.js';

export const sqlInFirstRow = rule(
  {
    'sql-in-first-row': warning((p: { name: string; rewrite: string }) => ({
      message: `This list has one value: that of the first row of '${p.name}'.`,
      hint: `Write ${p.rewrite} for the values of all rows.`,
    })),
  },
  ({ report }) => {
    /** The lists of the operation, with the syntax that they are written in. */
    const lists = new Set<Expression>();
    return {
      statement: ({ pieces }) => {
        const { items } = pieces.bounds;
        for (const item of items) {
          const expression = listed(items, item);
          if (expression !== undefined) lists.add(expression);
        }
      },
      value: (node, { operation, scope }) => {
        // A name may mean a loop elsewhere in the operation.
        const type = scope.visible.get(node.name)?.type;
        if (!lists.has(node) || (type !== 'READ' && type !== 'UPDATE')) return;
        if (node.path[0]?.kind !== 'name') return;
        const path = [{ kind: 'all' } as const, ...node.path];
        report('sql-in-first-row', node.span, {
          name: node.name,
          rewrite: printExpression({ ...node, path }, operation.syntax),
        });
      },
    };
  },
);

/** The expression of a placeholder right inside `IN ( … )`. */
function listed(items: readonly OutlineToken[], { token, parent }: OutlineToken): Expression | undefined {
  if (token.kind !== 'placeholder' || items[parent - 1]?.word !== 'IN') return undefined;
  return token.expression;
}
