/** What the objects around a position of a body are built from, and how joins lead from there to a fulfillment. */
import type { BuiltRow, JoinedRows, JoinStep } from './body-parts.js';
import type { JoinGraph } from './join-graph.js';
import { minBy } from './min-by.js';
import { sharedKeysOf } from './shared-key.js';

/** What one object is built from. */
export interface Level {
  /** The fulfillment that the object begins with. */
  readonly first: JoinedRows;
  /** Those that are joined with it, in the order in which they are looked up. */
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
  /** None where a row of the fulfillment is there already. */
  readonly steps: readonly JoinStep[];
  /** All steps that are as good, those among them. Several if it is unknown which are meant; one that is empty if there are too many. */
  readonly chains: readonly (readonly JoinStep[])[];
  /** How many of them are on the way, but for those in rows that are there. */
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

/** What is the same for all ways from a position. */
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
  const ways = position.levels.flatMap((_, level) => wayFrom(level, to, position) ?? []);
  return minBy(ways, ({ sharedKeys, level }) => [sharedKeys, level])[0];
}

/**
 * From the row that the object begins with; where the chain goes through others of its rows, from the last of them. Their keys may be
 * shared, but for those that the object inside maps itself: comments of a news that has the name of its author may have authors of their own.
 */
function wayFrom(index: number, to: string, { levels, graph, own }: Position): Way | undefined {
  const level = levels[index];
  if (level === undefined) return undefined;
  const { first, others, kept } = level;
  const rows = new Map([...others, ...kept].map((joined) => [joined.row.fulfillment, joined]));
  const there = rows.get(to);
  const base = { level: index, there, passed: [] };
  if (there !== undefined) return { ...base, row: there.row, steps: [], chains: [], sharedKeys: 0 };
  const from = first.row.fulfillment;
  const closed = closedBy(levels).filter((name) => name !== from);
  const shared = [...rows.keys()].filter((name) => !own.includes(name));
  const ways = graph.chains(from, to, closed, shared).map((chain) => {
    const met = chain.findLastIndex((step) => rows.has(step.to));
    const passed = chain.slice(0, met + 1).flatMap((step) => rows.get(step.to) ?? []);
    const row = passed.at(-1)?.row ?? first.row;
    const sharedKeys = sharedKeysOf(chain).filter(({ leave }) => !rows.has(leave.from)).length;
    return { ...base, row, steps: chain.slice(met + 1), sharedKeys, passed };
  });
  const [way] = ways;
  // Where they differ only before a row that is there, they lead to the same rows.
  const chains = new Map(
    ways.map(({ steps }) => [JSON.stringify(steps.map((step) => [step.from, step.to])), steps]),
  );
  return way && { ...way, chains: [...chains.values()] };
}

/** Whether it is unknown which rows are meant. */
export function isAmbiguous({ chains }: Way): boolean {
  return chains.length > 1 || chains.some((steps) => steps.length === 0);
}
