/** Walks an expression, and makes another one of it. */
import type { Expression, MultipartFile } from './ast.js';
import { nodeKinds } from './node-kinds.js';

/** Adds the expression and everything in it: depth first, a node before its parts, in the order of the text. */
export function nodesIn(expression: Expression, found: Expression[] = []): Expression[] {
  found.push(expression);
  for (const part of parts(expression)) nodesIn(part, found);
  return found;
}

/** The same without the expressions of a set, and everything in them. */
export function nodesWithout(expression: Expression, left: ReadonlySet<Expression>): Expression[] {
  if (left.has(expression)) return [];
  return [expression, ...parts(expression).flatMap((part) => nodesWithout(part, left))];
}

const none: readonly Expression[] = [];

/** The expressions directly inside one. */
export function parts(node: Expression): readonly Expression[] {
  const names: readonly string[] = nodeKinds[node.kind].parts;
  // Most nodes are leaves.
  if (names.length === 0) return none;
  return names.flatMap((name) => Reflect.get(node, name) as Expression | readonly Expression[]);
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

/** Whether it contains an expression of one of these kinds. */
export function contains(expression: Expression, ...kinds: readonly Expression['kind'][]): boolean {
  return nodesIn(expression).some(({ kind }) => kinds.includes(kind));
}

export function readsRequest(expression: Expression): boolean {
  return contains(expression, 'param', 'sent', 'body');
}
