/** Counts how often steps of operations ran, and the results of their conditions, under `apikiln test`. */

const counts: Record<number, number> = {};

function count(id: number): void {
  counts[id] = (counts[id] ?? 0) + 1;
}

/** Called by handlers. The numbers are assigned in `compiler/generate/emit/cover-points.ts`. */
export const cover = {
  /** A step or response was reached. */
  step: count,

  /** A condition: its number counts true results, the next number counts false ones. */
  condition(id: number, holds: boolean): boolean {
    count(holds ? id : id + 1);
    return holds;
  },
};

/** The counts since the start, by number. Counts of 0 are missing. */
export function coverCounts(): Readonly<Record<number, number>> {
  return { ...counts };
}
