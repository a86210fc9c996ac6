/** The sources of the objects around a position in a body, and the joins from these to a fulfillment. */
import type { BuiltRow, JoinedRows, JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { sharedKeysOf } from './shared-key.js';

/** The sources of one object. */
export interface Level {
  /** The root fulfillment of the object. */
  readonly first: JoinedRows;
  /** The fulfillments joined with the root fulfillment, in lookup order. */
  readonly others: readonly JoinedRows[];
  /** Rows of surrounding objects on the joins to `first`, of which this object maps fields, too. */
  readonly kept: readonly JoinedRows[];
  /** True if the object is a list item, so that there can be many. */
  readonly isRepeated: boolean;
}

/** A path of joins from the surrounding objects to a fulfillment. */
export interface Way {
  /** The index of the level at which the path starts. */
  readonly level: number;
  /** The row at which the steps start. */
  readonly row: BuiltRow;
  /** The joins from the row; empty if a row of the fulfillment already exists. */
  readonly steps: readonly JoinStep[];
  /**
   * All equally good alternatives, including `steps`. Several alternatives mean that the choice is ambiguous; an empty one means that there
   * were too many to search.
   */
  readonly chains: readonly (readonly JoinStep[])[];
  /** The number of shared keys on the path, not counting existing rows. */
  readonly sharedKeys: number;
  /** The existing row of the fulfillment, joined with the root fulfillment of the level's object. */
  readonly there: JoinedRows | undefined;
  /** The level's rows on the path from its root fulfillment to `row`, including `row`. */
  readonly passed: readonly JoinedRows[];
}

/** The root fulfillments of the surrounding objects, through which no chain passes. */
export function closedBy(levels: readonly Level[]): string[] {
  return levels.map(({ first }) => first.row.fulfillment);
}

/** Facts shared by all paths from a position. */
export interface Position {
  /** Innermost level first. */
  readonly levels: readonly Level[];
  readonly graph: JoinGraph;
  /** The fulfillments that the object at this position maps. */
  readonly own: readonly string[];
}

/**
 * The best path to a fulfillment that is not a root fulfillment of a surrounding object: first the fewest shared keys, then the innermost
 * object. Undefined if there are no joins to it.
 */
export function wayTo(to: string, position: Position): Way | undefined {
  const ways = position.levels.flatMap((level, index) => wayFrom(level, index, to, position) ?? []);
  return minBy(ways, ({ sharedKeys, level }) => [sharedKeys, level])[0];
}

/**
 * The best path from a level. It starts at the root row or at another row of the object. In the latter case, its key may be shared unless
 * the inner object maps that fulfillment itself: a news may contain the name of its author while its comments have authors of their own.
 */
function wayFrom(level: Level, index: number, to: string, { levels, graph, own }: Position): Way | undefined {
  const { first, others, kept } = level;
  const rows = [first, ...others];
  const there = [...others, ...kept].find(({ row }) => row.fulfillment === to);
  const base = { level: index, there };
  if (there !== undefined)
    return { ...base, row: there.row, steps: [], chains: [], sharedKeys: 0, passed: [] };
  const taken = [...closedBy(levels), ...[...others, ...kept].map(({ row }) => row.fulfillment)];
  const ways = rows.flatMap((joined) => {
    const from = joined.row.fulfillment;
    const before = joined === first ? undefined : joined.of.steps.at(-1);
    const closed = taken.filter((name) => name !== from);
    return graph
      .chains({ from, before, mayShare: !own.includes(from) }, to, closed)
      .map((steps) => ({ joined, steps, before }));
  });
  const best = minBy(ways, ({ joined, steps, before }) => [
    sharedKeysOf(before === undefined ? steps : [before, ...steps]).length,
    depthOf(joined, rows) + steps.length,
  ]);
  const [way] = best;
  if (way === undefined) return undefined;
  const { joined, steps } = way;
  const passed = wayInside(joined, rows);
  const chains = best.map((one) => one.steps);
  return { ...base, row: joined.row, steps, chains, sharedKeys: sharedKeysOf(steps).length, passed };
}

/** The rows with which a row is joined, nearest first. */
function parentsOf({ of }: JoinedRows, rows: readonly JoinedRows[]): JoinedRows[] {
  return rows.filter(({ row }) => of.start.includes(row));
}

/** The number of joins from the object's root row to this row. */
function depthOf(joined: JoinedRows, rows: readonly JoinedRows[]): number {
  if (joined === rows[0]) return 0;
  const parents = parentsOf(joined, rows).map((parent) => depthOf(parent, rows));
  return joined.of.steps.length + (parents.length === 0 ? 0 : Math.min(...parents));
}

/** The rows on the path from the object's root row (exclusive) to this row (inclusive). */
function wayInside(joined: JoinedRows, rows: readonly JoinedRows[]): JoinedRows[] {
  if (joined === rows[0]) return [];
  return [...parentsOf(joined, rows).flatMap((parent) => wayInside(parent, rows)), joined];
}

/** Whether it is unclear which rows are meant. */
export function isAmbiguous({ chains }: Way): boolean {
  return chains.length > 1 || chains.some((steps) => steps.length === 0);
}
