/** Kinds of values that are known at build time, used to cast parameters on PostgreSQL. */
import type { Expression } from '../../expression/ast.js';
import { ownType, type OwnType } from '../../expression/node-kinds.js';

/** `int` fits in 32 bits; `text` is certainly a string. */
export type ValueKind = 'int' | 'bigint' | 'numeric' | 'boolean' | 'text' | 'date' | 'timestamptz';

/** The kind of an expression; undefined if unknown. */
export type KindOf = (expression: Expression) => ValueKind | undefined;

/** The kind that follows from the expression alone, for any request. */
export function kindOfExpression(expression: Expression): ValueKind | undefined {
  const isLarge = expression.kind === 'number' && Math.abs(expression.value) >= 2 ** 31;
  const kind = kinds[ownType(expression)];
  return isLarge && kind === 'int' ? 'bigint' : kind;
}

const kinds: Readonly<Record<OwnType, ValueKind | undefined>> = {
  string: 'text',
  timestamp: 'timestamptz',
  uuid: 'text',
  integer: 'int',
  number: 'numeric',
  boolean: 'boolean',
  status: 'int',
  null: undefined,
  integers: undefined,
  rows: undefined,
  unknown: undefined,
};
