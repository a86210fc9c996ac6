/** `npm test`: installs what is missing, then type check, lint and all tests; works right after `git clone`. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, readJson, root, runBeside, runProgram, stop } from './prepare.mjs';

prepare();
const cache = join(root, 'node_modules', '.cache', 'apikiln');
mkdirSync(cache, { recursive: true });
const buildInfo = join(cache, 'tsc.tsbuildinfo');
const format = step('format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']);
const steps = [
  await step('type check', 'typescript/bin/tsc', [
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    buildInfo,
  ]),
  await step('lint', 'oxlint/bin/oxlint', []),
  await format,
];
const failed = steps.filter(({ status }) => status !== 0);
for (const { output } of failed) console.log(output);
if (failed.length > 0)
  stop(`${failed.map(({ name }) => name).join(' and ')} failed; the tests were not run.`);
process.exit(test(process.argv.slice(2)));

/** Runs a program of node_modules beside others; what it prints is kept, because others print too. */
async function step(name, program, args) {
  console.log(`${name} …`);
  const { status, output } = await runBeside(program, args);
  return { name, status, output };
}

/** Runs vitest, and ends with one plain line of its counts; gives the exit status. */
function test(args) {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-test-'));
  const results = join(folder, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
    const status = runProgram('vitest/vitest.mjs', ['run', ...reporters, ...args]);
    if (!existsSync(results)) stop('vitest did not finish.');
    const counts = readJson(results);
    // A test file that cannot be loaded, or whose preparation fails, holds no failed test, and has failed all the same.
    const unloaded = counts.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
    );
    const skipped = counts.numPendingTests + counts.numTodoTests;
    const line = `${counts.numPassedTests} passed, ${counts.numFailedTests + unloaded.length} failed`;
    console.log(skipped === 0 ? line : `${line}, ${skipped} skipped`);
    return status === 0 && counts.success ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
