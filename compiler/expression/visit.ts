/** Walks an expression. */
import type { Expression } from './ast.js';

/** Calls back for the expression and everything in it, depth first, a node before its parts, in the order of the text. */
export function visit(expression: Expression, callback: (node: Expression) => void): void {
  callback(expression);
  for (const part of parts(expression)) visit(part, callback);
}

/** The expressions directly inside one. */
export function parts(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'comparison':
    case 'logical':
      return [node.left, node.right];
    case 'not':
      return [node.operand];
    case 'size':
      return [node.of];
    case 'list':
      return [node.count];
    case 'value-by-index':
      return [node.index];
    default:
      return [];
  }
}

/** Whether an expression of that kind stands in it. */
export function contains(expression: Expression, kind: Expression['kind']): boolean {
  let found = false;
  visit(expression, (node) => {
    found ||= node.kind === kind;
  });
  return found;
}
