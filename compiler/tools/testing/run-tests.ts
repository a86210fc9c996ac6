/** Runs the tests of several files on several lanes at the same time; the results keep the order of the files. */
import { CoverCounts } from './cover-counts.js';
import { environmentOf, TestWorker, type WorkerOptions } from './test-worker.js';
import type { ConfigTest, TestFile } from './read/test-model.js';
import type { TestResult } from './test-result.js';

export interface RunOptions extends WorkerOptions {
  /** Maximum number of lanes. */
  readonly workers: number;
  /** Receives each result immediately, in the order of arrival. */
  readonly log?: (result: TestResult) => void;
  /** True when no further test is to begin. */
  readonly isStopped?: () => boolean;
}

export interface Results {
  readonly results: readonly TestResult[];
  readonly counts: CoverCounts;
}

/** A worker takes seconds to start: fewer tests for each would not be worth it. */
const testsPerWorker = 25;

interface Job {
  readonly file: TestFile;
  readonly test: ConfigTest;
  readonly index: number;
}

/** Throws the errors that keep databases and services from starting. */
export async function runTests(files: readonly TestFile[], options: RunOptions): Promise<Results> {
  const jobs = files
    .flatMap((file) => file.tests.map((test) => ({ file, test })))
    .map((job, index): Job => ({ ...job, index }));
  const counts = new CoverCounts();
  const results: TestResult[] = [];
  // Tests of one environment one after the other: another one needs another service.
  const keys = new Map(
    jobs.map((job) => [job, JSON.stringify(environmentOf(job.file, job.test, options.config))]),
  );
  const queue = [...jobs].sort((a, b) => compare(keys.get(a), keys.get(b)) || a.index - b.index);
  const count = Math.max(1, Math.min(options.workers, Math.ceil(jobs.length / testsPerWorker)));
  const run = async (): Promise<void> => {
    if (queue.length === 0) return;
    const worker = await TestWorker.start(options, counts);
    try {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        if (options.isStopped?.() === true) return;
        const result = await worker.run(job.file, job.test);
        results[job.index] = result;
        options.log?.(result);
      }
    } finally {
      await worker.stop();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: count }, run));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return { results: [...results.values()].flatMap((result: TestResult | undefined) => result ?? []), counts };
}

function compare(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
