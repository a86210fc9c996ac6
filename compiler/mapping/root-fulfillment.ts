/** The fulfillment that an object begins with: its rows are the rows of the object (decisions 11.7). */
import type { JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { closedBy, maxBy, wayFrom, type Level } from './object-level.js';

/** The fulfillments whose fields an object maps. */
export interface MappedFulfillments {
  /** In the order of the mapping. */
  readonly names: readonly string[];
  /** Those with a field that the model does not allow to be null, in the order of these fields. */
  readonly notNull: readonly string[];
  /** True where only lists of values are mapped: they hold those of all entries, so nothing is joined for them. */
  readonly areColumns?: true;
}

/** Where an object begins, and the last step of the joins that led there. */
export interface Begin {
  readonly name: string;
  readonly before: JoinStep | undefined;
}

/**
 * First those from which joins lead to all others that they are connected with; of these the one that the fewest joins lead to from the
 * innermost enclosing object; else those that are connected with most others. Of several the one with the first field that the model does
 * not allow to be null, else the one with the first field. Undefined without names.
 */
export function beginOf(
  { names, notNull }: MappedFulfillments,
  levels: readonly Level[],
  graph: JoinGraph,
): Begin | undefined {
  const closed = closedBy(levels);
  const candidates = names.map((name) => {
    const { distance, before } = distanceTo(name, names, levels, graph);
    const group = graph.connected(name, closed);
    const connected = names.filter((other) => group.has(other)).length;
    const led = joinedWith(name, names, { closed, before, graph }).size;
    return { name, before, distance, connected, left: connected - led };
  });
  const complete = maxBy(candidates, ({ left }) => -left);
  const nearest = maxBy(complete, ({ distance }) => -distance);
  const best = maxBy(nearest, ({ connected }) => connected);
  const ofNotNull = notNull.flatMap((name) => best.find((candidate) => candidate.name === name) ?? []);
  return ofNotNull[0] ?? best[0];
}

/** How far it is from the objects around: the innermost that joins lead from counts, then the number of joins. */
function distanceTo(
  name: string,
  own: readonly string[],
  levels: readonly Level[],
  graph: JoinGraph,
): { readonly distance: number; readonly before: JoinStep | undefined } {
  for (const [index, level] of levels.entries()) {
    const chain = wayFrom(level, name, { levels, graph, own });
    // An object cannot be that far from another one that anything is left of an inner level.
    if (chain !== undefined)
      return { distance: index * 1e6 + chain.steps.length, before: chain.steps.at(-1) };
  }
  return { distance: Number.MAX_VALUE, before: undefined };
}

/** What can be joined with it, one after the other. */
function joinedWith(
  begin: string,
  names: readonly string[],
  { closed, before, graph }: { closed: readonly string[]; before: JoinStep | undefined; graph: JoinGraph },
): Set<string> {
  const joined = new Set([begin]);
  for (const from of joined) {
    for (const name of names) {
      if (joined.has(name)) continue;
      const others = [...closed, ...[...joined].filter((other) => other !== from)];
      const chain = graph.chain(from, name, others, from === begin ? before : undefined);
      if (chain !== undefined) joined.add(name);
    }
  }
  return joined;
}
