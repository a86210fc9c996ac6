/** Formats expressions canonically: spaces around operators and arguments, quotes, parentheses. */
import type { Config, Operation } from '../../read/config/config-model.js';
import { allFulfillments, walkOperation } from '../../read/config/walk.js';
import { editOf, type Edit } from '../../read/diagnostics/fix.js';
import type { Expression, Syntax } from '../../read/expression/ast.js';
import { tryExpression } from '../../read/expression/parse/parse.js';
import { inexpressible, printExpression } from '../../read/expression/print-expression.js';
import { wholeText, type Source } from '../../read/source.js';

/** Edits that format every expression in a file of the configuration; the rest of the file is unchanged. */
export function formatExpressions({ operations }: Config, source: Source): Edit[] {
  const edits = new Map<number, Edit>();
  for (const operation of operations) {
    if (operation.name.span.source !== source) continue;
    for (const expression of expressionsOf(operation)) {
      const edit = formatted(expression, operation.syntax);
      if (edit !== undefined) edits.set(expression.span.start, edit);
    }
  }
  return [...edits.values()].sort((a, b) => a.start - b.start);
}

function expressionsOf(operation: Operation): Expression[] {
  const found: Expression[] = [];
  walkOperation(operation, (expression) => found.push(expression));
  for (const { fulfillment } of allFulfillments(operation.fulfillments))
    if ('join' in fulfillment) found.push(...fulfillment.join.map(({ value }) => value));
  return found;
}

/** Undefined if nothing changes, or if the text differs from the expression because it is escaped, folded or repaired. */
function formatted(expression: Expression, syntax: Syntax): Edit | undefined {
  const { span } = expression;
  const written = span.source.text.slice(span.start, span.end);
  if (written.includes('\n') || inexpressible(expression, syntax) !== undefined) return undefined;
  const read = tryExpression(wholeText('', written), syntax);
  if (read === undefined) return undefined;
  const text = printExpression(expression, syntax);
  if (text === written.trim() || printExpression(read, syntax) !== text) return undefined;
  return editOf(span, text);
}
