/** Validates the joins of an operation and records the errors in each. */
import type { DataFulfillment, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { conjunctsOf, joinsOf, readJoin, type Join, type JoinSide } from '../mapping/written-joins.js';
import type { WithSpan } from '../../read/source.js';

/** A condition under `join` of a fulfillment. */
export interface WrittenJoin {
  readonly condition: Expression;
  /** The condition that contains this one, if several joins are combined with `&&`, which is an error. */
  readonly whole: WithSpan<Expression> | undefined;
  /** The fulfillment that contains the join. */
  readonly fulfillment: DataFulfillment;
  /** The parsed join; undefined for a condition that does not have the form of a join. */
  readonly join: Join | undefined;
  /** The sides that do not name a fulfillment of the operation. */
  readonly unknown: readonly JoinSide[];
  /** True if both sides are the same fulfillment. */
  readonly isSelf: boolean;
  /** True if neither side is the fulfillment that contains the join. */
  readonly isForeign: boolean;
}

export interface Joins {
  readonly written: readonly WrittenJoin[];
  /** The conditions that have the form of a join, without duplicates. */
  readonly distinct: readonly Join[];
  /** True if all joins are valid. */
  readonly areSound: boolean;
}

export function analyzeJoins(operation: Operation): Joins {
  const names = new Set(
    allFulfillments(operation.fulfillments).map(({ fulfillment }) => fulfillment.name.value),
  );
  const written = allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) =>
    fulfillment.type === 'READ' || fulfillment.type === 'UPDATE'
      ? fulfillment.join.flatMap((whole) =>
          conjunctsOf(whole.value).map((condition) => examine(condition, whole, fulfillment, names)),
        )
      : [],
  );
  const areSound = written.every(
    ({ join, whole, unknown, isSelf, isForeign }) =>
      join !== undefined && whole === undefined && unknown.length === 0 && !isSelf && !isForeign,
  );
  return { written, distinct: joinsOf(operation), areSound };
}

function examine(
  condition: Expression,
  whole: WithSpan<Expression>,
  fulfillment: DataFulfillment,
  names: ReadonlySet<string>,
): WrittenJoin {
  const base = { condition, whole: whole.value === condition ? undefined : whole, fulfillment };
  const join = readJoin(condition);
  if (join === undefined) return { ...base, join, unknown: [], isSelf: false, isForeign: false };
  const { left, right } = join;
  const unknown = [left, right].filter((side) => !names.has(side.fulfillment));
  const isSelf = unknown.length === 0 && left.fulfillment === right.fulfillment;
  const { value: name } = fulfillment.name;
  const isElsewhere = name !== '' && left.fulfillment !== name && right.fulfillment !== name;
  return { ...base, join, unknown, isSelf, isForeign: unknown.length === 0 && !isSelf && isElsewhere };
}
