/** Finds the minimum by several criteria. */

/** The elements with the lowest rank, in their original order. Ranks are compared number by number. */
export function minBy<Item>(items: readonly Item[], rankOf: (item: Item) => readonly number[]): Item[] {
  let lowest: readonly number[] = [];
  let found: Item[] = [];
  for (const item of items) {
    const rank = rankOf(item);
    const different = rank.findIndex((number, index) => number !== lowest[index]);
    if (found.length > 0 && different === -1) found.push(item);
    else if (found.length === 0 || (rank[different] ?? 0) < (lowest[different] ?? 0))
      [found, lowest] = [[item], rank];
  }
  return found;
}
