/** Measures how work grows with its input, in processor time, which does not depend on other load. */

/** The minimum processor time of several runs, in milliseconds. */
function cost(work: () => void, runs: number): number {
  let min = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    min = Math.min(min, (user + system) / 1000);
  }
  return min;
}

/**
 * The factor by which the time grows for an input eight times as large: about 8 for linear work, 64 for quadratic work. `work` receives the
 * size. The time for the smaller input is rounded up to a few milliseconds, because less cannot be measured.
 */
export function growth(work: (size: number) => void, size: number): number {
  work(size);
  const small = cost(() => {
    work(size);
  }, 3);
  const large = cost(() => {
    work(8 * size);
  }, 2);
  return large / Math.max(small, 20);
}

/** Larger than linear growth on any machine, and smaller than quadratic growth. */
export const superlinear = 24;
