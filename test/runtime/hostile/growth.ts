/** How the time of something grows with the length of its input. */

const factor = 16;
/** 16 is what linear work takes, 256 what quadratic work takes. */
const allowed = 64;
/** Milliseconds; below it a time says nothing. */
const least = 0.1;

/**
 * Whether 16 times the length takes at most 64 times the time. The shortest of several runs counts, so that what else the machine does
 * hardly matters, and a long input that takes a few milliseconds is fine whatever the short one took.
 */
export function growsLinearly(run: (length: number) => void, length = 2048): boolean {
  let [short, long] = [least, Infinity];
  for (let round = 0; round < 4; round += 1) {
    long = Math.min(long, timeOf(run, factor * length));
    if (long <= allowed * short) return true;
    short = Math.max(least, Math.min(round === 0 ? Infinity : short, timeOf(run, length)));
  }
  return long <= allowed * short;
}

function timeOf(run: (length: number) => void, length: number): number {
  const start = performance.now();
  run(length);
  return performance.now() - start;
}
