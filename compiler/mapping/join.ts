/** Joins: `a.x == b.y`, and the chains of them that lead from one fulfillment to another (decisions 8.2). */
import type { Operation } from '../config/model.js';
import { allFulfillments } from '../config/walk.js';
import type { Expression } from '../expression/ast.js';
import type { Place } from '../source.js';
import type { JoinStep } from './body.js';

/** One side of a join. */
export interface JoinSide {
  readonly fulfillment: string;
  readonly namePlace: Place;
  readonly field: string;
}

/** Each entry on the left carries its matching entries on the right. */
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
  return { fulfillment: expression.name, namePlace: expression.namePlace, field: step.name };
}

/** The joins of an operation that are of that form, each once, though it may be written on both of its fulfillments. */
export function joinsOf(operation: Operation): Join[] {
  const joins = new Map<string, Join>();
  for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
    if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') continue;
    for (const { value } of fulfillment.join) {
      const join = readJoin(value);
      const key =
        join && JSON.stringify([join.left, join.right].map((side) => [side.fulfillment, side.field]));
      if (key !== undefined && !joins.has(key)) joins.set(key, join as Join);
    }
  }
  return [...joins.values()];
}

/** A chain of joins, and whether another one is as short. */
export interface Chain {
  readonly steps: readonly JoinStep[];
  readonly isAmbiguous: boolean;
}

/** Which fulfillments the joins connect. */
export class JoinGraph {
  /** By fulfillment: the steps that begin there, those along the written direction first. */
  readonly #steps = new Map<string, Step[]>();

  constructor(joins: readonly Join[]) {
    for (const [from, to] of pairsOf(joins)) {
      const between = joins.filter(
        ({ left, right }) => left.fulfillment === from && right.fulfillment === to,
      );
      const keys = between.map(({ left, right }) => ({ from: left.field, to: right.field }));
      this.#add({ from, to, keys, joins: between, isWritten: true });
    }
    for (const [from, to] of pairsOf(joins)) {
      const step = this.#steps.get(from)?.find((other) => other.to === to && other.isWritten);
      const keys = (step?.keys ?? []).map((key) => ({ from: key.to, to: key.from }));
      this.#add({ from: to, to: from, keys, joins: step?.joins ?? [], isWritten: false });
    }
  }

  #add(step: Step): void {
    this.#steps.set(step.from, [...(this.#steps.get(step.from) ?? []), step]);
  }

  /** The fulfillments that joins lead to from this one, along the written direction. */
  reachable(from: string): Set<string> {
    const found = new Set([from]);
    for (const name of found) {
      for (const step of this.#steps.get(name) ?? []) if (step.isWritten) found.add(step.to);
    }
    return found;
  }

  /**
   * The shortest chain from one fulfillment to another that does not go through those of `around`. Joins are followed
   * against their written direction too, but only in the beginning: from news against `taggings.news_id == news.id` and
   * along `taggings.tag_id == tags.id`. Two that point to the same entries are no chain: news and comments of one author
   * do not belong together.
   */
  chain(from: string, to: string, around: readonly string[]): Chain | undefined {
    const seen = { against: new Set([from, ...around]), along: new Set([from, ...around]) };
    let level: readonly Reached[] = [{ name: from, steps: [], direction: 'against', isAmbiguous: false }];
    while (level.length > 0) {
      const [best, ...others] = level
        .filter(({ name }) => name === to)
        .sort((a, b) => against(a) - against(b));
      if (best !== undefined) {
        const isAmbiguous = best.isAmbiguous || others.some((other) => against(other) === against(best));
        return { steps: best.steps, isAmbiguous };
      }
      level = this.#next(level, seen);
      for (const { name, direction } of level) seen[direction].add(name);
    }
    return undefined;
  }

  /** What is one step farther, each fulfillment once for each direction. */
  #next(
    level: readonly Reached[],
    seen: Readonly<Record<Reached['direction'], ReadonlySet<string>>>,
  ): Reached[] {
    const next = new Map<string, Reached>();
    for (const reached of level) {
      for (const step of this.#steps.get(reached.name) ?? []) {
        const direction = step.isWritten ? 'along' : 'against';
        if (seen[direction].has(step.to) || (direction === 'against' && reached.direction === 'along'))
          continue;
        const steps = [...reached.steps, step];
        const found = { name: step.to, steps, direction, isAmbiguous: reached.isAmbiguous } as const;
        const key = `${direction} ${step.to}`;
        const other = next.get(key);
        if (other !== undefined && against(other) < against(found)) continue;
        const isTie = other !== undefined && against(other) === against(found);
        next.set(key, isTie ? { ...other, isAmbiguous: true } : found);
      }
    }
    return [...next.values()];
  }
}

type Step = JoinStep & { readonly isWritten: boolean };

interface Reached {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Of its last step: once along the written direction, there is no way against it any more. */
  readonly direction: 'against' | 'along';
  readonly isAmbiguous: boolean;
}

/** How many of the steps go against the written direction. */
function against({ steps }: Reached): number {
  return steps.filter(({ isWritten }) => !isWritten).length;
}

/** From left to right, each pair of fulfillments once, in the order in which they are written. */
function pairsOf(joins: readonly Join[]): [string, string][] {
  const pairs = joins.map(({ left, right }): [string, string] => [left.fulfillment, right.fulfillment]);
  return pairs.filter(
    ([from, to], index) => pairs.findIndex((pair) => pair[0] === from && pair[1] === to) === index,
  );
}
