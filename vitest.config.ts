/** How the tests run: test files side by side in more processes than there are cores, because many of them wait, database servers shared by all of them. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { builtModules, builtSources } from './test/helpers/built-sources.js';
import { filesOf, recordedTimes, type Part } from './test/helpers/parts.js';
import { planVariable } from './test/mutants/code/plan.js';

/** Which run this is: `all` for files that are named. */
const part = (process.env['TEST_PART'] ?? 'all') as Part;

/** `npm run coverage` and `npm run mutants` look at the sources as vite loads them. */
const isExamined = process.env['COVERAGE_FOLDER'] !== undefined || process.env[planVariable] !== undefined;

/** Test files that `npm test` has in addition, by `--changed`. */
const also = (process.env['TEST_ALSO'] ?? '').split('\n').filter(Boolean);

/** By the times of recorded runs; a file that has none is new, and comes first. The last file would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = recordedTimes();
    const root = fileURLToPath(new URL('.', import.meta.url));
    const timeOf = ({ moduleId }: TestSpecification): number =>
      times[relative(root, moduleId).replaceAll('\\', '/')] ?? Number.MAX_VALUE;
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => timeOf(other) - timeOf(one));
  }
}

export default defineConfig({
  plugins: isExamined ? [] : [builtSources()],
  test: {
    server: { deps: { external: [builtModules] } },
    include: filesOf(part, also),
    globalSetup: ['test/helpers/servers.ts'],
    pool: 'forks',
    // A process runs one file after the other with the modules that are loaded: they keep nothing between tests.
    isolate: false,
    // Tests of the long run start more processes, and servers, of their own.
    maxWorkers: part === 'quick' ? 4 : 3,
    sequence: { sequencer: LongestFirst },
    // The embedded PostgreSQL runs a few statements and goes: to optimize its code costs more than it saves.
    // And most code of a test runs a few times: V8 compiles it at once in its cheapest way, and interprets nothing.
    // All cores are busy: threads that collect garbage side by side take more time together; a larger heap of young objects takes less.
    execArgv: [
      ...['--liftoff-only', '--always-sparkplug'],
      ...['--single-threaded-gc', '--max-semi-space-size=32', '--min-semi-space-size=16'],
    ],
    alias: [
      {
        find: /^fast-check$/,
        replacement: fileURLToPath(new URL('test/helpers/fast-check.ts', import.meta.url)),
      },
      // One embedded PostgreSQL after the other is the same one, where it is in its first state again.
      {
        find: /^@electric-sql\/pglite$/,
        replacement: fileURLToPath(new URL('test/helpers/kept-pglite.ts', import.meta.url)),
      },
    ],
    // A test in which nothing is compared cannot fail.
    // `expect.poll` waits for an event as long as the test may: a second is short on a busy machine.
    expect: { requireAssertions: process.env['UPDATE_FIXTURES'] !== '1', poll: { timeout: 120_000 } },
    testTimeout: part === 'full' ? 7_200_000 : 300_000,
    hookTimeout: part === 'full' ? 7_200_000 : 300_000,
    teardownTimeout: 30_000,
  },
});
