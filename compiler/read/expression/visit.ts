/** Walks an expression, and makes another one of it. */
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
    case 'text':
    case 'number':
    case 'boolean':
    case 'null':
    case 'param':
    case 'sent':
    case 'body':
    case 'value':
    case 'element':
    case 'result':
    case 'status':
    case 'multipart-file':
      return [];
  }
}

/** The same expression, with other direct children. */
export function mapParts(node: Expression, map: (part: Expression) => Expression): Expression {
  switch (node.kind) {
    case 'comparison':
    case 'logical':
      return { ...node, left: map(node.left), right: map(node.right) };
    case 'not':
      return { ...node, operand: map(node.operand) };
    case 'size':
      return { ...node, of: map(node.of) };
    case 'list':
      return { ...node, count: map(node.count) };
    case 'value-by-index':
      return { ...node, index: map(node.index) };
    case 'text':
    case 'number':
    case 'boolean':
    case 'null':
    case 'param':
    case 'sent':
    case 'body':
    case 'value':
    case 'element':
    case 'result':
    case 'status':
    case 'multipart-file':
      return node;
  }
}

/** Whether it contains an expression of that kind. */
export function contains(expression: Expression, kind: Expression['kind']): boolean {
  let found = false;
  visit(expression, (node) => {
    found ||= node.kind === kind;
  });
  return found;
}
