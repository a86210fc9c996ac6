/**
 * Tries a few random mutants in each area of the code with a few tests: a quick check that mutants are found at all. `npm run mutants`
 * tries more mutants with all tests of an area, and prints the share found.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository } from '../../helpers/service-fixture.js';
import type { Result } from './try-area.js';

/** `MUTANT_SEED=7` repeats an earlier run. */
const seed = process.env['MUTANT_SEED'] ?? String(Date.now() % 100_000);

interface Outcome {
  readonly results: readonly Result[];
  /** Progress messages. */
  readonly said: string;
}

/** Runs `npm run mutants -- --quick`, which ends on its own, after at most six minutes on a busy machine. */
async function tryMutants(args: readonly string[]): Promise<Outcome> {
  // Without the environment variables of the surrounding test run.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|VITE|TINYPOOL|TEST_PART)/.test(name),
  );
  const program = ['node_modules/tsx/dist/cli.mjs', 'test/mutants/code/main.ts', '--json', '--quick'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...program, ...args], {
    cwd: repository,
    env: { ...Object.fromEntries(environment), FIXTURE: 'news,shop,mapping,conditions,timed' },
    maxBuffer: 2 ** 26,
    timeout: 500_000,
  });
  const { results } = JSON.parse(stdout) as Pick<Outcome, 'results'>;
  return { results, said: stderr };
}

test('mutants of the own code are found', async () => {
  console.log(`mutants of the own code, seed ${seed}`);
  const { results } = await tryMutants(['--seed', seed, '--count', '8']);
  const survivors = results.flatMap((result) => result.survivors);
  const found = results.flatMap((result) => result.found);
  console.log(
    [`${found.length} found, ${survivors.length} not:`]
      .concat(survivors.map(({ description }) => `  ${description}`))
      .join('\n'),
  );
  expect(results).toHaveLength(5);
  // The few tests find about half of the mutants; a small sample is not representative. On a busy machine not all are tried.
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeGreaterThanOrEqual((found.length + survivors.length) / 4);
}, 600_000);

test('mutants that never end are found, and the others after them', async () => {
  const { results, said } = await tryMutants(['endless']);
  const found = results.flatMap((result) => result.found);
  expect(results.flatMap(({ survivors, unjudged }) => [...survivors, ...unjudged])).toEqual([]);
  const ended = found.filter(({ description }) => said.includes(`no process survives ${description}`));
  expect(ended.map(({ change }) => change)).toEqual(Array(4).fill('false → true'));
}, 600_000);
