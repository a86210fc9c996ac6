/**
 * A few mistakes in each area of the project's own code, other ones in each run, against a few tests: a look at whether mistakes are found at
 * all. `npm run mutants` tries more, against all tests of the area, and prints the share.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from '../../helpers/service-fixture.js';
import type { Result } from './try-area.js';

/** `MUTANT_SEED=7`: those of an earlier run. */
const seed = process.env['MUTANT_SEED'] ?? String(Date.now() % 100_000);

test('mutants of the own code are found', async () => {
  // Without the marks of the run that this is a part of.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|VITE|TINYPOOL|TEST_PART)/.test(name),
  );
  const program = ['node_modules/tsx/dist/cli.mjs', 'test/mutants/code/main.ts'];
  const sample = ['--json', '--quick', '--seed', seed, '--count', '8'];
  const { stdout } = await promisify(execFile)(process.execPath, [...program, ...sample], {
    cwd: repository,
    env: { ...Object.fromEntries(environment), FIXTURE: 'news,shop,mapping,conditions,timed' },
    maxBuffer: 2 ** 26,
  });
  const { results } = JSON.parse(stdout) as { readonly results: readonly Result[] };
  const survivors = results.flatMap((result) => result.survivors);
  const found = results.flatMap((result) => result.found);
  console.log(
    [`mutants of the own code, seed ${seed}: ${found.length} found, ${survivors.length} not:`]
      .concat(survivors.map(({ description }) => `  ${description}`))
      .join('\n'),
  );
  expect(results).toHaveLength(5);
  // Of any forty the few tests find about half: a sample is not a share.
  expect(found.length).toBeGreaterThanOrEqual(10);
}, 600_000);
