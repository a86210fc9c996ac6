/** Vitest configuration: test files run in more processes than there are cores, because many of them wait, and share database servers. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { builtModules, builtSources } from './test/helpers/built-sources.js';
import { filesOf, recordedTimes, type Part } from './test/helpers/parts.js';
import { planVariable } from './test/mutants/code/plan.js';

/** The part of the tests to run: `all` if files are named on the command line. */
const part = (process.env['TEST_PART'] ?? 'all') as Part;

/** True for `npm run coverage` and `npm run mutants`, which examine the sources as Vite loads them. */
const isExamined = process.env['COVERAGE_FOLDER'] !== undefined || process.env[planVariable] !== undefined;

/** Additional test files, chosen by `npm test -- --changed`. */
const also = (process.env['TEST_ALSO'] ?? '').split('\n').filter(Boolean);

/** Sorts files by recorded times, longest first, so that no slow file runs alone at the end. Files without a recorded time come first. */
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
    // All test files of a process share its loaded modules, so modules must not keep state between tests.
    isolate: false,
    // A file of the long run uses 0.4 cores, because it waits for processes and servers: three workers use 60% of two cores.
    maxWorkers: part === 'quick' ? 4 : 5,
    sequence: { sequencer: LongestFirst },
    // The embedded PostgreSQL runs only a few statements, so optimizing its code costs more than it saves. Most test code runs only a few
    // times, so V8 compiles it with its baseline compiler and skips the interpreter. All cores are busy: parallel garbage collection takes
    // more time in total, and a larger young generation takes less.
    execArgv: [
      ...['--liftoff-only', '--always-sparkplug'],
      ...['--single-threaded-gc', '--max-semi-space-size=32', '--min-semi-space-size=16'],
    ],
    alias: [
      {
        find: /^fast-check$/,
        replacement: fileURLToPath(new URL('test/helpers/fast-check.ts', import.meta.url)),
      },
      // Tests reuse one embedded PostgreSQL, which is reset to its initial state after each use.
      {
        find: /^@electric-sql\/pglite$/,
        replacement: fileURLToPath(new URL('test/helpers/kept-pglite.ts', import.meta.url)),
      },
    ],
    // A test without an assertion cannot fail. `expect.poll` waits two minutes: its default of a second is too short on a busy machine.
    expect: { requireAssertions: process.env['UPDATE_FIXTURES'] !== '1', poll: { timeout: 120_000 } },
    testTimeout: part === 'full' ? 7_200_000 : 300_000,
    hookTimeout: part === 'full' ? 7_200_000 : 300_000,
    teardownTimeout: 30_000,
  },
});
