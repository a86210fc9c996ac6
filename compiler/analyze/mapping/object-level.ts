/** Sources of the objects around a position of a body, and the joins from there to a fulfillment. */
import type { BuiltRow, JoinedRows, JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { sharedKeysOf } from './shared-key.js';

/** The sources of one object. */
export interface Level {
  /** The fulfillment that the object begins with. */
  readonly first: JoinedRows;
  /** Fulfillments that are joined with it, in the order in which they are looked up. */
  readonly others: readonly JoinedRows[];
  /** Rows of objects around that the joins to the first one go through: the object maps fields of them, too. */
  readonly kept: readonly JoinedRows[];
  /** True when the object is an item of a list, so that there may be many. */
  readonly isRepeated: boolean;
}

/** How joins lead from the objects around to a fulfillment. */
export interface Way {
  /** The index of the level where it begins. */
  readonly level: number;
  /** The row where the steps begin. */
  readonly row: BuiltRow;
  /** The joins to the row; empty if a row of the fulfillment exists already. */
  readonly steps: readonly JoinStep[];
  /** All steps that are as good, those among them. Several if it is unknown which are meant; one that is empty if there are too many. */
  readonly chains: readonly (readonly JoinStep[])[];
  /** The number of shared keys on the way, except in existing rows. */
  readonly sharedKeys: number;
  /** The row of the fulfillment that is there already, joined with the one that the object of the level begins with. */
  readonly there: JoinedRows | undefined;
  /** Rows of the level that are on the way to the one where the steps begin, and that one. */
  readonly passed: readonly JoinedRows[];
}

/** The fulfillments that the objects around begin with: no chain goes through them. */
export function closedBy(levels: readonly Level[]): string[] {
  return levels.map(({ first }) => first.row.fulfillment);
}

/** Facts that all ways from a position share. */
export interface Position {
  /** The innermost first. */
  readonly levels: readonly Level[];
  readonly graph: JoinGraph;
  /** The fulfillments that the object maps which is built there. */
  readonly own: readonly string[];
}

/**
 * The best way to a fulfillment that no object around begins with: with the fewest shared keys, from the innermost object. Undefined if no
 * joins lead there.
 */
export function wayTo(to: string, position: Position): Way | undefined {
  const ways = position.levels.flatMap((level, index) => wayFrom(level, index, to, position) ?? []);
  return minBy(ways, ({ sharedKeys, level }) => [sharedKeys, level])[0];
}

/**
 * From the row that the object begins with, or from another one of it: then its key may be shared, but not if the object inside maps that
 * fulfillment itself. Comments of a news that has the name of its author may have authors of their own.
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

/** The rows that it is joined with, the nearer ones in front. */
function parentsOf({ of }: JoinedRows, rows: readonly JoinedRows[]): JoinedRows[] {
  return rows.filter(({ row }) => of.start.includes(row));
}

/** How many joins lead to it from the row that its object begins with. */
function depthOf(joined: JoinedRows, rows: readonly JoinedRows[]): number {
  if (joined === rows[0]) return 0;
  const parents = parentsOf(joined, rows).map((parent) => depthOf(parent, rows));
  return joined.of.steps.length + (parents.length === 0 ? 0 : Math.min(...parents));
}

/** The rows on the way to it from the one that its object begins with, which is not among them; itself. */
function wayInside(joined: JoinedRows, rows: readonly JoinedRows[]): JoinedRows[] {
  if (joined === rows[0]) return [];
  return [...parentsOf(joined, rows).flatMap((parent) => wayInside(parent, rows)), joined];
}

/** Whether it is unknown which rows are meant. */
export function isAmbiguous({ chains }: Way): boolean {
  return chains.length > 1 || chains.some((steps) => steps.length === 0);
}
