/** Finds the chains of joins between two fulfillments (docs/design/mappings.md#map-4). */
import type { JoinStep, SharedKey } from './body-parts.js';
import { minBy } from './min-by.js';
import { sharedKeysOf } from './shared-key.js';
import type { Join } from './written-joins.js';

/** Limit for the search. With more unfinished chains than in any real configuration, the intended chain would be unclear anyway. */
const maxUnfinished = 5000;

/** The start of a chain. */
export interface ChainBegin {
  readonly from: string;
  /** The step that leads to this fulfillment, if any. */
  readonly before?: JoinStep | undefined;
  /** Whether the chain may leave the fulfillment by the same fields by which `before` enters it. */
  readonly mayShare?: boolean;
}

/** The fulfillments connected by joins. The order of sides and the position of a join do not matter. */
export class JoinGraph {
  /** The steps from each fulfillment, keyed by its name and sorted by target. */
  readonly #steps: ReadonlyMap<string, readonly JoinStep[]>;
  /** Fulfillments that no mapping reads, and that only connect others. */
  readonly #bridges: readonly string[];
  readonly #known = new Map<string, readonly (readonly JoinStep[])[]>();

  constructor(joins: readonly Join[], read: ReadonlySet<string>) {
    const steps = new Map<string, JoinStep[]>();
    for (const step of stepsOf(joins)) steps.set(step.from, [...(steps.get(step.from) ?? []), step]);
    this.#steps = steps;
    this.#bridges = [...steps.keys()].filter((name) => !read.has(name));
  }

  /**
   * The best chains between two fulfillments that avoid those in `closed`: first those with the fewest shared keys, then the shortest.
   * Empty if there is no chain, several if the choice is ambiguous. A chain without steps means that there were too many to search. Keys
   * may be shared only in fulfillments that no mapping reads.
   */
  chains(begin: ChainBegin, to: string, closed: readonly string[]): readonly (readonly JoinStep[])[] {
    const key = JSON.stringify([begin.from, begin.before?.keys, begin.mayShare, to, closed]);
    const shared = begin.mayShare === true ? [begin.from, ...this.#bridges] : this.#bridges;
    const known = this.#known.get(key) ?? this.#search(begin, to, closed, shared);
    this.#known.set(key, known);
    return known;
  }

  /** The first shared key if all chains contain one: the steps that enter and leave its fulfillment. */
  sharedKey(from: string, to: string, closed: readonly string[]): SharedKey | undefined {
    const [chain = []] = this.#search({ from }, to, closed, [...this.#steps.keys()]);
    return sharedKeysOf(chain)[0];
  }

  #search(
    { from, before }: ChainBegin,
    to: string,
    closed: readonly string[],
    shared: readonly string[],
  ): readonly (readonly JoinStep[])[] {
    if (!this.#connected(from, closed).has(to)) return [];
    const passed = new Set([from, ...closed]);
    const keysOf = (steps: readonly JoinStep[]): SharedKey[] =>
      sharedKeysOf(before === undefined ? steps : [before, ...steps]);
    let best: readonly (readonly JoinStep[])[] = [];
    let unfinished: readonly (readonly JoinStep[])[] = [[]];
    while (unfinished.length > 0) {
      const fewest = best[0] === undefined ? Infinity : keysOf(best[0]).length;
      const longer = unfinished.flatMap((chain) =>
        (this.#steps.get(chain.at(-1)?.to ?? from) ?? [])
          .filter((step) => !passed.has(step.to) && !chain.some((one) => one.to === step.to))
          .map((step) => [...chain, step])
          .filter((steps) => {
            const keys = keysOf(steps);
            return keys.length < fewest && keys.every(({ leave }) => shared.includes(leave.from));
          }),
      );
      if (longer.length > maxUnfinished) return [[]];
      const found = longer.filter((chain) => chain.at(-1)?.to === to);
      if (found.length > 0) best = minBy(found, (chain) => [keysOf(chain).length]);
      unfinished = longer.filter((chain) => chain.at(-1)?.to !== to);
    }
    return best;
  }

  /** The fulfillments connected with this one, directly or indirectly, stopping at those in `closed`. */
  #connected(from: string, closed: readonly string[]): Set<string> {
    const found = new Set([from]);
    for (const name of found) {
      for (const { to } of this.#steps.get(name) ?? []) if (!closed.includes(to)) found.add(to);
    }
    return found;
  }
}

/** A step in each direction for every joined pair of fulfillments, sorted by name. */
function stepsOf(joins: readonly Join[]): JoinStep[] {
  const steps = new Map<
    string,
    { from: string; to: string; joins: Join[]; keys: JoinStep['keys'][number][] }
  >();
  for (const join of joins) {
    const { left, right } = join;
    for (const [near, far] of [
      [left, right],
      [right, left],
    ] as const) {
      const pair = JSON.stringify([near.fulfillment, far.fulfillment]);
      const step = steps.get(pair) ?? { from: near.fulfillment, to: far.fulfillment, joins: [], keys: [] };
      steps.set(pair, step);
      step.joins.push(join);
      step.keys.push({ from: near.field, to: far.field });
    }
  }
  return [...steps].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, step]) => step);
}
