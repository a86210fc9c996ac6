/** Runs the tests of several files on several workers concurrently; the results keep file order. */
import { CoverCounts } from './cover-counts.js';
import { environmentOf, TestWorker, type WorkerOptions } from './test-worker.js';
import type { ConfigTest, TestFile } from './read/test-model.js';
import type { TestResult } from './test-result.js';

export interface RunOptions extends WorkerOptions {
  /** Maximum number of workers. */
  readonly workers: number;
  /** Receives each result immediately, in order of completion. */
  readonly log?: (result: TestResult) => void;
  /** Whether to stop starting tests. */
  readonly isStopped?: () => boolean;
}

export interface Results {
  readonly results: readonly TestResult[];
  readonly counts: CoverCounts;
}

/** Starting a worker takes seconds, which is not worth it for fewer tests. */
const testsPerWorker = 25;

interface Job {
  readonly file: TestFile;
  readonly test: ConfigTest;
  readonly index: number;
}

/** Throws errors that prevent databases and services from starting. */
export async function runTests(files: readonly TestFile[], options: RunOptions): Promise<Results> {
  const jobs = files
    .flatMap((file) => file.tests.map((test) => ({ file, test })))
    .map((job, index): Job => ({ ...job, index }));
  const counts = new CoverCounts();
  const results: TestResult[] = [];
  // Groups tests by environment, because each environment needs a separate service.
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
