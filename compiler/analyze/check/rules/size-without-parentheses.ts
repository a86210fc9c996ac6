/** `news.size == 0` in Syntax B: without its parentheses `.size` is a field, which nothing else of the operation knows. */
import type { AnalyzedOperation } from '../../operations/analyzed-operation.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { rule } from '../rule.js';

export const sizeWithoutParentheses = rule(
  {
    'size-without-parentheses': warning(() => ({
      message: "'.size' without parentheses is a field, not the number of elements.",
      hint: "Write .size() for the number, or ['size'] for the field.",
    })),
  },
  ({ report }) => ({
    comparison: ({ left, right }, { operation, analyzed }) => {
      if (operation.syntax !== 'B') return;
      for (const [side, other] of [
        [left, right],
        [right, left],
      ] as const) {
        if (isCount(other) && isSizeField(side, analyzed)) report('size-without-parentheses', side.span);
      }
    },
  }),
);

/** What an emptiness is tested with. */
function isCount(expression: Expression): boolean {
  return expression.kind === 'number' && (expression.value === 0 || expression.value === 1);
}

/** `['size']` is meant as a field, and so is a column that the SQL names. */
function isSizeField(expression: Expression, { fulfillments, flow }: AnalyzedOperation): boolean {
  if (expression.kind !== 'value' && expression.kind !== 'body') return false;
  const { source, start, end } = expression.span;
  if (!/\.size$/.test(source.text.slice(start, end))) return false;
  if (expression.kind === 'body') return expression.path.length > 1;
  return !fulfillments.some(({ fulfillment }) => {
    if (fulfillment.name.value !== expression.name || !('instructions' in fulfillment)) return false;
    return fulfillment.instructions.some(
      ({ action }) =>
        action !== undefined &&
        !('kind' in action) &&
        // Where all columns are known, it is an unknown one.
        (flow.rows.get(action)?.element?.fields?.isClosed === true ||
          action.pieces.tokens.some(({ kind, text }) => kind !== 'placeholder' && /\bsize\b/i.test(text))),
    );
  });
}
