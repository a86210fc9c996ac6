/** Tells whether two expressions are the same, wherever they stand. */
import type { Expression } from './ast.js';

/** Equal for expressions that differ in their places alone. */
export function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) =>
    name === 'span' || name === 'nameSpan' ? undefined : value,
  );
}
