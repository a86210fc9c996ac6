/** How the tests run: test files side by side in more processes than there are cores, because many of them wait, database servers shared by all of them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { builtModules, builtSources } from './test/helpers/built-sources.js';
import { planVariable } from './test/mutants/code/plan.js';

/** Which run this is: `quick` (`npm test`), `long` (`npm run test:long`), `full` (`npm run test:full`), or `all` files without a run. */
const part = (process.env['TEST_PART'] ?? 'all') as 'quick' | 'long' | 'full' | 'all';

/** `npm run coverage` and `npm run mutants` look at the sources as vite loads them. */
const isExamined = process.env['COVERAGE_FOLDER'] !== undefined || process.env[planVariable] !== undefined;

/** Tests that pack, install, start a browser or other servers, wait for time to pass, or draw many random cases. */
const longFiles = 'test/**/*.long.test.ts';

/** Tests that run many tests themselves: for `npm run test:full` alone. */
const fullFiles = 'test/**/*.full.test.ts';

/** The files of each part, and those that are left out of them. */
const files = {
  quick: { include: ['test/**/*.test.ts'], exclude: [longFiles, fullFiles] },
  long: { include: [longFiles], exclude: [] },
  full: { include: ['test/**/*.test.ts'], exclude: [] },
  all: { include: ['test/**/*.test.ts'], exclude: [] },
};

/** Files whose size does not show how long they take: as the last ones they would run alone. */
const first = [
  'check/habits',
  'commands/described-stubs',
  'config/any-text.long',
  'database/describing-code',
  'deployment/docker.long',
  'deployment/galera.long',
  'deployment/opentelemetry.long',
  'deployment/serve.long',
  'diagnostics/secrets',
  'dev/dev.long',
  'editor/neovim',
  'fixtures/services',
  'mutants/mutants.long',
  'mutants/silent/silent.long',
  'runtime/lists/paging',
  'runtime/sql/pglite',
  'runtime/validate/oracle',
  'service/installed.long',
  'service/overlap.long',
  'sql/tree',
  'testing/credentials',
  'testing/silent-third-parties',
];

/** These files, then the others as vitest orders them: without times of an earlier run by their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification): boolean =>
      first.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

export default defineConfig({
  plugins: isExamined ? [] : [builtSources()],
  test: {
    server: { deps: { external: [builtModules] } },
    ...files[part],
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
