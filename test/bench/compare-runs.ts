/** Changes since a stored run that exceed the differences between rounds. */
import type { Row } from './row.js';
import { percentile } from './statistics.js';
import type { StoredRow, StoredRun } from './stored-run.js';

/** A goal measured in both runs. */
export interface Change {
  readonly job: string;
  readonly goal: string;
  /** The ratio of the new figure to the old one: below 1 is worse, even if the goal is a maximum. */
  readonly factor: number;
  /** The range of the middle 80% of all pairs of a new round and an old round. */
  readonly spread: readonly [number, number];
  readonly verdict: 'worse' | 'better' | 'unchanged';
}

/** The smallest reported change: 5%. */
const min = 0.05;

/** The share of pairs ignored at each end. */
const tail = 0.1;

/** Rows of both runs, and goals found in only one of them. */
export interface Comparison {
  readonly changes: readonly Change[];
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

/** Compares rows of the jobs that have run; rows of other jobs do not count as missing. */
export function compareRuns(before: StoredRun, rows: readonly Row[], jobs: ReadonlySet<string>): Comparison {
  const usable = new Map(rows.filter(({ figures }) => figures.length > 0).map((row) => [row.goal, row]));
  const earlier = before.rows.filter(({ job }) => jobs.has(job));
  const known = new Set(earlier.map(({ goal }) => goal));
  return {
    changes: earlier.flatMap((row) => {
      const now = usable.get(row.goal);
      return now === undefined ? [] : [changeOf(row, now.figures)];
    }),
    gone: [...known].filter((goal) => !usable.has(goal)),
    added: [...usable.keys()].filter((goal) => !known.has(goal)),
  };
}

/**
 * A figure is worse if the median of all pairs is at least 5% lower and almost all pairs agree. Rounds of one run differ, and a single
 * disturbed round must not decide.
 */
export function changeOf({ job, goal, target, figures }: StoredRow, now: readonly number[]): Change {
  const factors = now.flatMap((value) =>
    figures.map((old) => (target.kind === 'minimum' ? value / old : old / value)),
  );
  const [low, factor, high] = [tail, 0.5, 1 - tail].map((share) => percentile(factors, share));
  const [from, middle, to] = [low ?? NaN, factor ?? NaN, high ?? NaN];
  const isWorse = to < 1 && middle <= 1 - min;
  const isBetter = from > 1 && middle >= 1 / (1 - min);
  const verdict = isWorse ? 'worse' : isBetter ? 'better' : 'unchanged';
  return { job, goal, factor: middle, spread: [from, to], verdict };
}

/** The comparison as lines of text, regressions first. */
export function printedComparison({ changes, gone, added }: Comparison): string {
  const order = { worse: 0, better: 1, unchanged: 2 };
  const sorted = changes.toSorted((one, other) => order[one.verdict] - order[other.verdict]);
  return [
    ...sorted.map(
      ({ job, goal, factor, spread: [from, to], verdict }) =>
        `${verdict.padEnd(9)} ${factor.toFixed(2)} × of before (${from.toFixed(2)}–${to.toFixed(2)})  ${job}: ${goal}`,
    ),
    ...gone.map((goal) => `gone      ${goal}`),
    ...added.map((goal) => `new       ${goal}`),
  ].join('\n');
}
