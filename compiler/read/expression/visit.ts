/** Walks an expression, and makes another one of it. */
import type { Expression, MultipartFile } from './ast.js';
import { nodeKinds } from './node-kinds.js';

/** Calls back for the expression and everything in it, depth first, a node before its parts, in the order of the text. */
export function visit(expression: Expression, callback: (node: Expression) => void): void {
  callback(expression);
  for (const part of parts(expression)) visit(part, callback);
}

/** The expressions directly inside one. */
export function parts(node: Expression): readonly Expression[] {
  return nodeKinds[node.kind].parts.flatMap(
    (name) => Reflect.get(node, name) as Expression | readonly Expression[],
  );
}

/** The expression with other direct children. */
export function mapParts(node: Expression, map: (part: Expression) => Expression): Expression {
  const mapped = nodeKinds[node.kind].parts.map((name): [string, Expression | Expression[]] => {
    const part = Reflect.get(node, name) as Expression | readonly Expression[];
    return [name, 'kind' in part ? map(part) : part.map(map)];
  });
  return { ...node, ...Object.fromEntries(mapped) };
}

/** Whether it is a file itself, and not its name, its type or its size. */
export function isFile(expression: Expression): expression is MultipartFile {
  return expression.kind === 'multipart-file' && expression.path.length === 0;
}

/** Whether it contains an expression of that kind. */
export function contains(expression: Expression, kind: Expression['kind']): boolean {
  let found = false;
  visit(expression, (node) => {
    found ||= node.kind === kind;
  });
  return found;
}
