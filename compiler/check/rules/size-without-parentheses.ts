/** `news.size == 0` in Syntax B: without its parentheses `.size` is a field, which nothing else of the operation knows. */
import type { Operation } from '../../config/config-model.js';
import { allFulfillments, walkOperation } from '../../config/walk.js';
import type { Expression } from '../../expression/ast.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';

export const sizeWithoutParentheses: Rule = ({ operations }, report) => {
  for (const operation of operations.filter(({ syntax }) => syntax === 'B')) {
    walkOperation(operation, (expression) => {
      visit(expression, (node) => {
        if (node.kind !== 'comparison') return;
        for (const [side, other] of [
          [node.left, node.right],
          [node.right, node.left],
        ] as const) {
          if (isCount(other) && isSizeField(side, operation))
            report.add('size-without-parentheses', side.place);
        }
      });
    });
  }
};

/** What an emptiness is tested with. */
function isCount(expression: Expression): boolean {
  return expression.kind === 'number' && (expression.value === 0 || expression.value === 1);
}

/** `['size']` is meant as a field, and so is a column that the SQL names. */
function isSizeField(expression: Expression, operation: Operation): boolean {
  if (expression.kind !== 'value' && expression.kind !== 'body') return false;
  const { source, start, end } = expression.place;
  if (!/\.size$/.test(source.text.slice(start, end))) return false;
  if (expression.kind === 'body') return expression.path.length > 1;
  return !allFulfillments(operation.fulfillments).some(({ fulfillment }) => {
    if (fulfillment.name.value !== expression.name || !('instructions' in fulfillment)) return false;
    return fulfillment.instructions.some(
      ({ action }) =>
        action !== undefined &&
        !('kind' in action) &&
        action.pieces.tokens.some(({ kind, text }) => kind !== 'placeholder' && /\bsize\b/i.test(text)),
    );
  });
}
