/** Joins as they are written: `a.x == b.y`. */
import type { Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import type { Expression } from '../../read/expression/ast.js';
import type { Span } from '../../read/source.js';

/** One side of a join. */
export interface JoinSide {
  readonly fulfillment: string;
  readonly nameSpan: Span;
  readonly field: string;
}

/** Entries of the two belong together where the fields are equal. The sides make no difference. */
export interface Join {
  readonly left: JoinSide;
  readonly right: JoinSide;
  /** As it is written. */
  readonly condition: Expression;
}

/** Undefined for a condition that is not of the form `<fulfillment>.<field> == <fulfillment>.<field>`. */
export function readJoin(condition: Expression): Join | undefined {
  if (condition.kind !== 'comparison' || condition.operator !== '==') return undefined;
  const [left, right] = [sideOf(condition.left), sideOf(condition.right)];
  return left && right && { left, right, condition };
}

function sideOf(expression: Expression): JoinSide | undefined {
  if (expression.kind !== 'value') return undefined;
  const [step, ...deeper] = expression.path;
  if (step?.kind !== 'name' || deeper.length > 0) return undefined;
  return { fulfillment: expression.name, nameSpan: expression.nameSpan, field: step.name };
}

/** `a.x == b.x && a.y == b.y` is two joins that should be a list; anything else is one. */
export function conjunctsOf(condition: Expression): readonly Expression[] {
  return condition.kind === 'logical' && condition.operator === '&&'
    ? [...conjunctsOf(condition.left), ...conjunctsOf(condition.right)]
    : [condition];
}

/**
 * The valid joins of an operation, without duplicates (a join can be written in both directions and on both fulfillments), in an order that
 * does not depend on how they are written. A misspelt name, which is reported, is read as the nearest one, so that the join has no further
 * diagnostics.
 */
export function joinsOf(operation: Operation): Join[] {
  const joins = new Map<string, Join>();
  const fulfillments = allFulfillments(operation.fulfillments).map(({ fulfillment }) => fulfillment);
  const names = new Set(fulfillments.map(({ name }) => name.value));
  for (const fulfillment of fulfillments) {
    if (!('join' in fulfillment)) continue;
    for (const condition of fulfillment.join.flatMap(({ value }) => conjunctsOf(value))) {
      const written = readJoin(condition);
      if (written === undefined) continue;
      const [left, right] = [asMeant(written.left, names), asMeant(written.right, names)];
      const sides = [left, right].map((side) => JSON.stringify([side.fulfillment, side.field]));
      const key = sides.sort().join();
      if (!joins.has(key)) joins.set(key, { ...written, left, right });
    }
  }
  return [...joins].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, join]) => join);
}

function asMeant(side: JoinSide, names: ReadonlySet<string>): JoinSide {
  if (names.has(side.fulfillment)) return side;
  return { ...side, fulfillment: nearest(side.fulfillment, names) ?? side.fulfillment };
}
