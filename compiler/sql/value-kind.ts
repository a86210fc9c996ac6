/** What is known of a value before there is a request: for casts of parameters on PostgreSQL (decisions 11.1). */
import type { Expression } from '../expression/ast.js';

/** `int` fits into 32 bits; `text` is a string for certain. */
export type ValueKind = 'int' | 'bigint' | 'numeric' | 'boolean' | 'text' | 'date' | 'timestamptz';

/** What an expression is; undefined where nothing is known. */
export type KindOf = (expression: Expression) => ValueKind | undefined;

/** What the expression itself says, whatever the request holds. */
export function kindOfExpression(expression: Expression): ValueKind | undefined {
  switch (expression.kind) {
    case 'number':
      if (!Number.isInteger(expression.value)) return 'numeric';
      return Math.abs(expression.value) < 2 ** 31 ? 'int' : 'bigint';
    case 'size':
    case 'status':
      return 'int';
    case 'boolean':
    case 'comparison':
    case 'logical':
    case 'not':
      return 'boolean';
    case 'text':
      return 'text';
    default:
      return undefined;
  }
}
