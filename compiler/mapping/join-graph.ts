/** The chains of joins that lead from one fulfillment to another (decisions 8.2 and 11.7). */
import type { JoinStep } from './body-parts.js';
import type { Join } from './written-joins.js';

/** A chain of joins, and whether another one is as good. */
export interface Chain {
  readonly steps: readonly JoinStep[];
  readonly isAmbiguous: boolean;
}

/** More unfinished chains than any real configuration has: the intended one would be unknown. */
const maxUnfinished = 5000;

/** Which fulfillments the joins connect. */
export class JoinGraph {
  /** By fulfillment: the steps that begin there, those along the written direction first. */
  readonly #steps: ReadonlyMap<string, readonly JoinStep[]>;
  readonly #known = new Map<string, Chain | undefined>();

  constructor(joins: readonly Join[]) {
    const written = writtenSteps(joins);
    const steps = new Map<string, JoinStep[]>();
    for (const step of [...written, ...written.map(turned)])
      steps.set(step.from, [...(steps.get(step.from) ?? []), step]);
    this.#steps = steps;
  }

  /** The fulfillments that joins connect this one with, whatever way they are written; not those beyond `closed`. */
  connected(from: string, closed: readonly string[]): Set<string> {
    const found = new Set([from]);
    for (const name of found) {
      for (const { to } of this.#steps.get(name) ?? []) if (!closed.includes(to)) found.add(to);
    }
    return found;
  }

  /**
   * The shortest chain from one fulfillment to another that does not go through those of `closed`; of several that with
   * the fewest steps against their written direction. `before` is the step that led to the beginning, where one did.
   */
  chain(from: string, to: string, closed: readonly string[], before?: JoinStep): Chain | undefined {
    const key = JSON.stringify([from, to, closed, before?.from]);
    if (!this.#known.has(key)) this.#known.set(key, this.#search(from, to, closed, before));
    return this.#known.get(key);
  }

  #search(
    from: string,
    to: string,
    closed: readonly string[],
    before: JoinStep | undefined,
  ): Chain | undefined {
    if (!this.connected(from, closed).has(to)) return undefined;
    const through = new Set([from, ...closed]);
    let unfinished: readonly (readonly JoinStep[])[] = [[]];
    while (unfinished.length > 0) {
      const longer = unfinished.flatMap((chain) => {
        const last = chain.at(-1);
        return (this.#steps.get(last?.to ?? from) ?? [])
          .filter((step) => !through.has(step.to) && !chain.some((passed) => passed.to === step.to))
          .filter((step) => mayFollow(last ?? before, step))
          .map((step) => [...chain, step]);
      });
      const [best, second] = longer
        .filter((chain) => chain.at(-1)?.to === to)
        .sort((a, b) => stepsAgainst(a) - stepsAgainst(b));
      if (best !== undefined) {
        const isAmbiguous = second !== undefined && stepsAgainst(second) === stepsAgainst(best);
        return { steps: best, isAmbiguous };
      }
      if (longer.length > maxUnfinished) return { steps: [], isAmbiguous: true };
      unfinished = longer;
    }
    return undefined;
  }
}

/**
 * A chain continues in the direction in which its joins are written, or against it. It only turns in a fulfillment that it enters by other
 * fields than it leaves by, such as a link table: from books by `books.id == link.book_id` and `tags.id == link.tag_id` to tags. News and
 * comments of one author meet in the same field, and do not belong together.
 */
function mayFollow(step: JoinStep | undefined, next: JoinStep): boolean {
  if (step === undefined || step.isWritten === next.isWritten) return true;
  const entered = step.keys.map((key) => key.to);
  const left = next.keys.map((key) => key.from);
  return !entered.every((field) => left.includes(field)) && !left.every((field) => entered.includes(field));
}

/** How many of the steps go against the written direction. */
export function stepsAgainst(steps: readonly JoinStep[]): number {
  return steps.filter(({ isWritten }) => !isWritten).length;
}

/** From left to right, one step for each pair of fulfillments, in the order in which they are written. */
function writtenSteps(joins: readonly Join[]): JoinStep[] {
  const pairs = new Map<string, Join[]>();
  for (const join of joins) {
    const pair = JSON.stringify([join.left.fulfillment, join.right.fulfillment]);
    pairs.set(pair, [...(pairs.get(pair) ?? []), join]);
  }
  return [...pairs.values()].flatMap((between) => {
    const [first] = between;
    if (first === undefined) return [];
    const keys = between.map(({ left, right }) => ({ from: left.field, to: right.field }));
    const { left, right } = first;
    return [{ from: left.fulfillment, to: right.fulfillment, keys, joins: between, isWritten: true }];
  });
}

function turned({ from, to, keys, joins }: JoinStep): JoinStep {
  const back = keys.map((key) => ({ from: key.to, to: key.from }));
  return { from: to, to: from, keys: back, joins, isWritten: false };
}
