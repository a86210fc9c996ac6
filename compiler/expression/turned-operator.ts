/** `a < b` is `b > a`. */
import type { ComparisonOperator } from './ast.js';

/** The operator that says the same with the sides exchanged. */
export const turned: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
