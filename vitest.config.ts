/** How the tests run: test files side by side in three processes, because many of them wait, database servers shared by all of them. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/servers.ts'],
    pool: 'forks',
    // A process runs one file after the other with the modules that are loaded: they keep nothing between tests.
    isolate: false,
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
});
