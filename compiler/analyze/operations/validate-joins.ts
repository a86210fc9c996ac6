/** The joins of an operation, and the mistakes in each of them. */
import type { DataFulfillment, Operation } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import type { Expression } from '../../read/expression/ast.js';
import { conjunctsOf, joinsOf, readJoin, type Join, type JoinSide } from '../mapping/written-joins.js';
import type { WithSpan } from '../../read/source.js';

/** A condition under `join` of a fulfillment. */
export interface WrittenJoin {
  readonly condition: Expression;
  /** The condition that it is a part of, where several are joined with `&&`: which it should not be. */
  readonly whole: WithSpan<Expression> | undefined;
  /** The fulfillment at which the join is written. */
  readonly fulfillment: DataFulfillment;
  /** Undefined for a condition of another form. */
  readonly join: Join | undefined;
  /** Its sides that name no fulfillment of the operation. */
  readonly unknown: readonly JoinSide[];
  /** True when both sides are the same fulfillment. */
  readonly isSelf: boolean;
  /** True when neither side is the fulfillment where it is written. */
  readonly isForeign: boolean;
}

export interface Joins {
  readonly written: readonly WrittenJoin[];
  /** Conditions of the form of a join, each once. */
  readonly distinct: readonly Join[];
  /** True when nothing is wrong with any of them. */
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
