/** The root fulfillment of an object, each of whose rows produces an object (docs/design/mappings.md#map-2.3). */
import type { JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { closedBy, wayTo, type Level, type Way } from './object-level.js';

/** The fulfillments of which an object maps fields. */
export interface MappedFulfillments {
  /** The names of the fulfillments, in mapping order. */
  readonly names: readonly string[];
  /** Fulfillments with a mapped field that cannot be null in the model, in the order of these fields. */
  readonly notNull: readonly string[];
  /** True if only lists of values are mapped. These contain the values of all rows, so that no joins are needed. */
  readonly areColumns?: true;
}

/** The root fulfillment and the joins to it. */
export interface Begin {
  readonly name: string;
  /** The joins from the surrounding objects; undefined if there are none. */
  readonly way: Way | undefined;
}

/**
 * Chooses the root fulfillment: one that is joined with the surrounding objects, otherwise one with the most connections. Of several, the
 * one with the first non-nullable field, otherwise the one with the first field. If the joins to it pass through other fulfillments of the
 * object, the first of these. `through` contains the joins that determine the choice. Undefined if `names` is empty.
 */
export function beginOf(
  { names, notNull }: MappedFulfillments,
  levels: readonly Level[],
  graph: JoinGraph,
  isItem: boolean,
): (Begin & { readonly through: readonly JoinStep[] }) | undefined {
  const candidates = names.map((name): Begin => ({ name, way: wayTo(name, { levels, graph, own: names }) }));
  const best = bestOf(candidates, levels, graph, isItem);
  const ofNotNull = notNull.flatMap((name) => best.find((candidate) => candidate.name === name) ?? []);
  const main = ofNotNull[0] ?? best[0];
  const nearer = main && nearerThan(main, names);
  const begin = candidates.find(({ name }) => name === (nearer ?? main?.name));
  if (begin === undefined) return undefined;
  if (main?.way !== undefined) {
    const { chains } = main.way;
    const through = chains.find((steps) => steps.some(({ to }) => to === nearer)) ?? [];
    // Include the joins to more distant candidates: without these joins, they would be as good as the nearest ones.
    const farther = candidates.filter((one) => !best.includes(one)).flatMap(({ way }) => way?.steps ?? []);
    return { ...begin, through: [...through, ...farther] };
  }
  const group = groupOf(begin.name, candidates, closedBy(levels), graph);
  const led = candidates.filter(({ name }) => group.has(name));
  return { ...begin, through: led.flatMap(({ way }) => way?.steps ?? []) };
}

/**
 * The best candidates among the fulfillments that joins can reach: first the fewest shared keys, then the innermost object. For a list
 * item, candidates without an existing row are preferred, because otherwise every item would have the same rows of the others. Outside of
 * lists, candidates without a path are equally good if they are joined with reachable ones, because their SQL may select the rows of the
 * single object.
 */
function bestOf(
  candidates: readonly Begin[],
  levels: readonly Level[],
  graph: JoinGraph,
  isItem: boolean,
): readonly Begin[] {
  const closed = closedBy(levels);
  const isThere = ({ way }: Begin): boolean => isItem && way?.there !== undefined;
  const reached = candidates.filter(({ way }) => way !== undefined);
  const nearest = minBy(
    reached.filter((candidate) => !isThere(candidate)),
    ({ way }) => [way?.sharedKeys ?? 0, way?.level ?? 0],
  );
  const isRepeated = levels.some((level) => level.isRepeated);
  const connected = candidates.filter(({ name, way }) => {
    const group = groupOf(name, candidates, closed, graph);
    return way === undefined && !isRepeated && reached.some((other) => group.has(other.name));
  });
  const near = candidates.filter((one) => nearest.includes(one) || connected.includes(one));
  if (near.length > 0) return near;
  if (reached.length > 0) return reached;
  return minBy(candidates, ({ name }) => [-groupOf(name, candidates, closed, graph).size]);
}

/** The candidates that can be joined with `begin`, directly or indirectly. */
function groupOf(
  begin: string,
  candidates: readonly Begin[],
  closed: readonly string[],
  graph: JoinGraph,
): Set<string> {
  const group = new Set([begin]);
  for (const from of group) {
    for (const { name } of candidates)
      if (!group.has(name) && graph.chains({ from }, name, closed).length > 0) group.add(name);
  }
  return group;
}

/** The first fulfillment of the object on the path to another one; undefined unless there is exactly one. */
function nearerThan({ name, way }: Begin, names: readonly string[]): string | undefined {
  const first = way?.chains.flatMap((steps) => steps.find(({ to }) => names.includes(to)) ?? []);
  const [nearer, ...more] = new Set(first?.map(({ to }) => to).filter((to) => to !== name));
  return more.length === 0 ? nearer : undefined;
}
