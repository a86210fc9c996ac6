/** Traverses and transforms expressions. */
import type { Expression, MultipartFile } from './ast.js';
import { nodeKinds } from './node-kinds.js';

/** Adds the expression and all its descendants in source order, each node before its parts. */
export function nodesIn(expression: Expression, found: Expression[] = []): Expression[] {
  found.push(expression);
  for (const part of parts(expression)) nodesIn(part, found);
  return found;
}

/** The nodes of the expression, skipping the subtrees in `left`. */
export function nodesWithout(expression: Expression, left: ReadonlySet<Expression>): Expression[] {
  if (left.has(expression)) return [];
  return [expression, ...parts(expression).flatMap((part) => nodesWithout(part, left))];
}

const none: readonly Expression[] = [];

/** The direct children of an expression. */
export function parts(node: Expression): readonly Expression[] {
  const names: readonly string[] = nodeKinds[node.kind].parts;
  // A fast path: most nodes are leaves.
  if (names.length === 0) return none;
  return names.flatMap((name) => Reflect.get(node, name) as Expression | readonly Expression[]);
}

/** A copy of the expression with mapped direct children. */
export function mapParts(node: Expression, map: (part: Expression) => Expression): Expression {
  const mapped = nodeKinds[node.kind].parts.map((name): [string, Expression | Expression[]] => {
    const part = Reflect.get(node, name) as Expression | readonly Expression[];
    return [name, 'kind' in part ? map(part) : part.map(map)];
  });
  return { ...node, ...Object.fromEntries(mapped) };
}

/** Whether the expression is a file itself, not its name, type or size. */
export function isFile(expression: Expression): expression is MultipartFile {
  return expression.kind === 'multipart-file' && expression.path.length === 0;
}

/** Whether the expression is the list of all files of a part: `MULTIPART_FILE(photos, $[*])`. */
export function isFiles(expression: Expression): expression is MultipartFile {
  return readsFiles(expression) && expression.path.length === 1;
}

/** Whether the expression reads all files of a part, or a field of each. */
export function readsFiles(expression: Expression): expression is MultipartFile {
  return expression.kind === 'multipart-file' && expression.path[0]?.kind === 'all';
}

/** Whether the expression contains one of these kinds. */
export function contains(expression: Expression, ...kinds: readonly Expression['kind'][]): boolean {
  return nodesIn(expression).some(({ kind }) => kinds.includes(kind));
}

export function readsRequest(expression: Expression): boolean {
  return contains(expression, 'param', 'sent', 'query-map', 'body');
}

/**
 * Whether it is a whole parameter of the request, also one with a default (COALESCE): a request cannot distinguish one value from a list
 * of one.
 */
export function isParameter(expression: Expression): boolean {
  switch (expression.kind) {
    case 'param':
      return expression.path.length === 0;
    case 'sent':
      return true;
    case 'coalesce':
      return (
        expression.parts.some(isParameter) &&
        expression.parts.every((part) => isParameter(part) || isConstant(part))
      );
    default:
      return false;
  }
}

export function isConstant({ kind }: Expression): boolean {
  return kind === 'text' || kind === 'number' || kind === 'boolean' || kind === 'null';
}
