/** Counts how often steps of operations ran, and the results of their conditions, under `apikiln test`. */

const counts: Record<number, number> = {};

function count(id: number): void {
  counts[id] = (counts[id] ?? 0) + 1;
}

/** What handlers tell; the numbers are those of `compiler/emit/cover-points.ts`. */
export const cover = {
  /** A step or response was reached. */
  step: count,

  /** A condition: its number counts how often it held, the next one how often it did not. */
  condition(id: number, holds: boolean): boolean {
    count(holds ? id : id + 1);
    return holds;
  },
};

/** The counts since the start, by their numbers; what never happened is missing. */
export function coverCounts(): Readonly<Record<number, number>> {
  return { ...counts };
}
