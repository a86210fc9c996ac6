/** `IN (:[lists.id])`: a path without `[*]` reads the first row of a result, where all of them are wanted (decisions 3.4). */
import type { Operation } from '../../config/config-model.js';
import { allFulfillments, walkOperation } from '../../config/walk.js';
import type { Expression } from '../../expression/ast.js';
import { printExpression } from '../../expression/print-expression.js';
import type { Item } from '../../sql/outline.js';
import type { Rule } from '../rule.js';

export const inFirstRow: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    const results = readsOfResults(operation);
    for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
      if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') continue;
      for (const { action } of fulfillment.instructions) {
        if (action === undefined || 'kind' in action) continue;
        const { items } = action.pieces.bounds;
        for (const item of items) {
          const expression = listed(items, item);
          if (expression?.kind !== 'value' || !results.has(expression)) continue;
          if (expression.path[0]?.kind !== 'name') continue;
          const path = [{ kind: 'all' } as const, ...expression.path];
          report.add('sql-in-first-row', expression.place, {
            name: expression.name,
            rewrite: printExpression({ ...expression, path }, operation.syntax),
          });
        }
      }
    }
  }
};

/** The expressions that read the result of a READ or UPDATE: its name may mean a loop elsewhere in the operation. */
function readsOfResults(operation: Operation): ReadonlySet<Expression> {
  const reads = new Set<Expression>();
  walkOperation(operation, (expression, { visible }) => {
    if (expression.kind !== 'value') return;
    const type = visible.get(expression.name)?.type;
    if (type === 'READ' || type === 'UPDATE') reads.add(expression);
  });
  return reads;
}

/** The expression of a placeholder right inside `IN ( … )`. */
function listed(items: readonly Item[], { token, parent }: Item): Expression | undefined {
  if (token.kind !== 'placeholder' || items[parent - 1]?.word !== 'IN') return undefined;
  return token.expression;
}
