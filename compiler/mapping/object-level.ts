/** What the objects around a position of a body are built from, and the chains of joins that start there. */
import type { BuiltRow, JoinedRows } from './body-parts.js';
import type { Chain, JoinGraph } from './join-graph.js';

/** What one object is built from. */
export interface Level {
  /** The fulfillment that the object begins with. */
  readonly first: JoinedRows;
  /** Those that are joined with it, in the order in which they are looked up. */
  readonly others: readonly JoinedRows[];
  /** True when the object is an item of a list, so that there may be many. */
  readonly isRepeated: boolean;
}

/** A chain of joins, and the row that it begins at. */
export interface Way extends Chain {
  readonly row: BuiltRow;
}

/** The fulfillments that the objects around begin with: no chain goes through them. */
export function closedBy(levels: readonly Level[]): string[] {
  return levels.map(({ first }) => first.row.fulfillment);
}

/**
 * How joins lead from an object to a fulfillment: from the row that it begins with, else from one that is joined with it, but not from
 * a fulfillment in `own`, which a model inside the object maps itself.
 */
export function wayFrom(
  { first, others }: Level,
  to: string,
  { levels, graph, own }: { levels: readonly Level[]; graph: JoinGraph; own: readonly string[] },
): Way | undefined {
  const { fulfillment: from } = first.row;
  const closed = closedBy(levels);
  const chain = graph.chain(
    from,
    to,
    closed.filter((name) => name !== from),
  );
  if (chain !== undefined) {
    // Where it goes through a fulfillment of the same object, that one's row is there already.
    const rows = new Map(others.map(({ row }) => [row.fulfillment, row]));
    const met = chain.steps.findLastIndex((step) => step.to !== to && rows.has(step.to));
    const row = rows.get(chain.steps[met]?.to ?? '') ?? first.row;
    return { row, steps: chain.steps.slice(met + 1), isAmbiguous: chain.isAmbiguous };
  }
  const ways = others
    .filter(({ row }) => row.fulfillment !== to && !own.includes(row.fulfillment))
    .flatMap(({ row }): Way[] => {
      const besides = others.map((other) => other.row.fulfillment).filter((name) => name !== row.fulfillment);
      const found = graph.chain(row.fulfillment, to, [...closed, ...besides]);
      return found === undefined ? [] : [{ ...found, row }];
    });
  return maxBy(ways, ({ steps }) => -steps.length)[0];
}

/** Those with the highest rank, in their order. */
export function maxBy<Item>(items: readonly Item[], rankOf: (item: Item) => number): Item[] {
  const highest = Math.max(...items.map(rankOf));
  return items.filter((item) => rankOf(item) === highest);
}
