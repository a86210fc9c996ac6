/** Counts how often steps of operations run, and the results of their conditions, during `apikiln test`. */

const counts: Record<number, number> = {};

function count(id: number): void {
  counts[id] = (counts[id] ?? 0) + 1;
}

/** Called by handlers. The numbers are assigned in `compiler/generate/emit/cover-points.ts`. */
export const cover = {
  /** A step or response was reached. */
  step: count,

  /** A condition was evaluated: its number counts true results, and the next number counts false results. */
  condition(id: number, holds: boolean): boolean {
    count(holds ? id : id + 1);
    return holds;
  },
};

/** The counts since the start, by number. Zero counts are omitted. */
export function coverCounts(): Readonly<Record<number, number>> {
  return { ...counts };
}
