/** Whether two expressions are the same, wherever they are. */
import type { Expression } from './ast.js';

/** Equal for expressions that differ only in their spans. */
export function expressionKey(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) =>
    name === 'span' || name === 'nameSpan' ? undefined : value,
  );
}
