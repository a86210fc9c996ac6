/** The root fulfillment of an object, whose rows are the rows of the object (docs/design/mappings.md#map-2.3). */
import type { JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { closedBy, wayTo, type Level, type Way } from './object-level.js';

/** The fulfillments whose fields an object maps. */
export interface MappedFulfillments {
  /** In the order of the mapping. */
  readonly names: readonly string[];
  /** Fulfillments with a field that the model does not allow to be null, in the order of these fields. */
  readonly notNull: readonly string[];
  /** True if only lists of values are mapped: they contain the values of all entries, so joins are not needed. */
  readonly areColumns?: true;
}

/** Where an object begins. */
export interface Begin {
  readonly name: string;
  /** The joins from the surrounding objects; undefined without joins. */
  readonly way: Way | undefined;
}

/**
 * A fulfillment that joins connect with the surrounding objects, otherwise the one with the most connections. Among several, the one with
 * the first non-nullable field, otherwise the one with the first field. If the joins to it pass through others of the object, the first of
 * these. `through`: the joins that determine it. Undefined without names.
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
    // Without the joins to them, those that are farther away would be as good as the nearest ones.
    const farther = candidates.filter((one) => !best.includes(one)).flatMap(({ way }) => way?.steps ?? []);
    return { ...begin, through: [...through, ...farther] };
  }
  const group = groupOf(begin.name, candidates, closedBy(levels), graph);
  const led = candidates.filter(({ name }) => group.has(name));
  return { ...begin, through: led.flatMap(({ way }) => way?.steps ?? []) };
}

/**
 * Fulfillments that joins can reach: with the fewest shared keys, from the innermost object; for a list item, preferably without an
 * existing row, because every object of the list would have the same rows of the others. Outside of lists the SQL may select the rows of
 * the single object, so the others are equally good if joins connect them with the first ones.
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

/** Fulfillments that can be joined with one, one after the other. */
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

/** The first fulfillment of the object on the way to another one; undefined if there is none, or not a single one. */
function nearerThan({ name, way }: Begin, names: readonly string[]): string | undefined {
  const first = way?.chains.flatMap((steps) => steps.find(({ to }) => names.includes(to)) ?? []);
  const [nearer, ...more] = new Set(first?.map(({ to }) => to).filter((to) => to !== name));
  return more.length === 0 ? nearer : undefined;
}
