/** Translates an expression into the other syntax, for hints. */
import type { Expression } from './ast.js';
import { functions } from './functions.js';
import { inexpressible, printExpression } from './print-expression.js';
import { hidesWord, type Notation } from './notation.js';
import { mapParts, nodesIn } from './visit.js';

/** The expression in the other syntax; undefined if it cannot be expressed there. */
export function rewrite(expression: Expression, { syntax, names }: Notation): string | undefined {
  // A function call in quotes is meant as a call: `'PARAM(id)'`.
  if (syntax === 'A' && expression.kind === 'text' && isCall(expression.value)) return expression.value;
  const translated = syntax === 'A' ? withoutResults(expression) : withoutWholeValues(expression);
  const isOther = syntax === 'B' && readsAnother(translated, names);
  if (isOther || inexpressible(translated, syntax) !== undefined) return undefined;
  return printExpression(translated, syntax);
}

/** Whether the expression reads a name that is a keyword in Syntax B, because the operation has no fulfillment with that name. */
function readsAnother(expression: Expression, names: Notation['names']): boolean {
  return nodesIn(expression).some((node) => {
    if (!['value', 'result', 'next', 'paging'].includes(node.kind) || !('name' in node)) return false;
    return hidesWord(node.name, 'B') && names?.has(node.name) !== true;
  });
}

function isCall(text: string): boolean {
  return functions.has(/^([A-Z_][A-Z\d_]*)\(.*\)$/.exec(text)?.[1] ?? '');
}

/** `news == null` becomes `SIZE(VALUE(news, $)) == INTEGER(0)` in Syntax A; elsewhere, `news` becomes `VALUE(news, $)`. */
function withoutResults(node: Expression): Expression {
  if (node.kind === 'result') return { ...node, kind: 'value', path: [] };
  if (node.kind !== 'comparison') return mapParts(node, withoutResults);
  const { left, right, span } = node;
  const tested = left.kind === 'null' ? right : right.kind === 'null' ? left : undefined;
  if (tested?.kind !== 'result' || !/[!=]=/.test(node.operator)) return mapParts(node, withoutResults);
  return {
    ...node,
    left: { kind: 'size', of: withoutResults(tested), span },
    right: { kind: 'number', value: 0, span },
  };
}

/** `VALUE(news, $)` becomes `news` in Syntax B. */
function withoutWholeValues(node: Expression): Expression {
  if (node.kind !== 'value' || node.path.length > 0) return mapParts(node, withoutWholeValues);
  const { name, nameSpan, span } = node;
  return { kind: 'result', name, nameSpan, span };
}
