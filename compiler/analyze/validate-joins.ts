/** The joins of an operation, and what is wrong with each of them (decisions 8.2). */
import type { DataFulfillment, Operation } from '../config/config-model.js';
import { allFulfillments } from '../config/walk.js';
import type { Expression } from '../expression/ast.js';
import { conjunctsOf, joinsOf, readJoin, type Join, type JoinSide } from '../mapping/written-joins.js';
import type { WithSpan } from '../source.js';

/** A condition under `join` of a fulfillment. */
export interface WrittenJoin {
  readonly condition: Expression;
  /** The condition that it is a part of, where several are joined with `&&`: which it should not be. */
  readonly whole: WithSpan<Expression> | undefined;
  /** Where it is written. */
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

/** `news` → `author` → `news`. */
export interface JoinCycle {
  /** The join that closes it. */
  readonly closing: Join;
  /** The names of the fulfillments, the first one again at the end. */
  readonly cycle: readonly string[];
}

export interface Joins {
  readonly written: readonly WrittenJoin[];
  /** Those of the form of a join, each once. */
  readonly distinct: readonly Join[];
  readonly cycles: readonly JoinCycle[];
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
  const distinct = joinsOf(operation);
  // One with a misspelt name may be meant as another.
  const unsure = new Set(written.flatMap((one) => (one.unknown.length > 0 ? [one.condition] : [])));
  const cycles = cyclesIn(distinct.filter((join) => !unsure.has(join.condition)));
  const areSound =
    cycles.length === 0 &&
    written.every(
      ({ join, whole, unknown, isSelf, isForeign }) =>
        join !== undefined && whole === undefined && unknown.length === 0 && !isSelf && !isForeign,
    );
  return { written, distinct, cycles, areSound };
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

/** Each cycle once, at the join that closes it. */
function cyclesIn(joins: readonly Join[]): JoinCycle[] {
  const done: Join[] = [];
  const cycles: JoinCycle[] = [];
  for (const closing of joins) {
    const { left, right } = closing;
    if (left.fulfillment === right.fulfillment) continue;
    const back = pathBetween(right.fulfillment, left.fulfillment, done, new Set());
    if (back === undefined) done.push(closing);
    else cycles.push({ closing, cycle: [left.fulfillment, ...back] });
  }
  return cycles;
}

/** The way along the joins from one fulfillment to another. */
function pathBetween(
  from: string,
  to: string,
  joins: readonly Join[],
  seen: Set<string>,
): string[] | undefined {
  if (from === to) return [to];
  seen.add(from);
  for (const { left, right } of joins) {
    if (left.fulfillment !== from || seen.has(right.fulfillment)) continue;
    const path = pathBetween(right.fulfillment, to, joins, seen);
    if (path !== undefined) return [from, ...path];
  }
  return undefined;
}
