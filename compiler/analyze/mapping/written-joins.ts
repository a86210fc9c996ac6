/** Joins as written: `a.x == b.y`. */
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

/** An equality by which rows of two fulfillments belong together. The order of the sides does not matter. */
export interface Join {
  readonly left: JoinSide;
  readonly right: JoinSide;
  /** The condition as written. */
  readonly condition: Expression;
}

/** Parses a join; undefined for a condition that does not have the form `<fulfillment>.<field> == <fulfillment>.<field>`. */
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

/** The parts of a condition: `a.x == b.x && a.y == b.y` contains two joins, which should be a list. */
export function conjunctsOf(condition: Expression): readonly Expression[] {
  return condition.kind === 'logical' && condition.operator === '&&'
    ? [...conjunctsOf(condition.left), ...conjunctsOf(condition.right)]
    : [condition];
}

/**
 * The valid joins of an operation, without duplicates (a join can be written in both directions and in both fulfillments), in an order that
 * does not depend on how they are written. Misspelled names are reported and read as the most similar name, to avoid further diagnostics.
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
