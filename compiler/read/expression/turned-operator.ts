/** `a < b` is `b > a`. */
import type { ComparisonOperator } from './ast.js';

/** The operator with the same meaning for exchanged sides. */
export const turned: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
