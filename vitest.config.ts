/** How the tests run: test files side by side in three processes, because many of them wait, database servers shared by all of them. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files that take long: as the last ones they would run alone. */
const long = [
  'config/any-text',
  'deployment/docker',
  'deployment/opentelemetry',
  'deployment/serve',
  'fixtures/services',
  'mutants/mutants',
  'mutants/silent/silent',
  'service/installed',
  'service/overlap',
];

/** Those first, then the others as vitest orders them: without times of an earlier run by their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      long.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/servers.ts'],
    pool: 'forks',
    // A process runs one file after the other with the modules that are loaded: they keep nothing between tests.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // The embedded PostgreSQL runs a few statements and goes: to optimize its code costs more than it saves.
    execArgv: ['--liftoff-only'],
    // A test in which nothing is compared cannot fail.
    expect: { requireAssertions: process.env['UPDATE_FIXTURES'] !== '1' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
});
