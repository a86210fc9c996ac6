/** How work grows with its input: by processor time, so that a busy machine does not matter. */

/** The minimum processor time in milliseconds of several runs. */
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
 * How many times as long eight times the input takes: about 8 for linear work, 64 for quadratic. `work` receives the size.
 * Below some milliseconds nothing can be measured, so the smaller input counts as at least that.
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

/** More than linear work reaches on any machine, and less than quadratic. */
export const superlinear = 24;
