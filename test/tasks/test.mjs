/**
 * `npm test`: installs missing programs, then runs the quick tests in parallel with type check, lint and format; works directly after `git
 * clone`. `npm run test:long` (`--long`) runs the other tests, and checks the format of other languages; if paths are given, both kinds of
 * tests are run. With `--changed`, the quick run includes tests that import edited files. `npm run test:full` (`--full`) runs everything with
 * all cases of all oracles, checks the format of all files with prettier, and is started by hand.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { testsOfChanges } from './changed.mjs';
import { prepare, readJson, root, runBeside, runShown, stop } from './prepare.mjs';

prepare();
const asked = { '--long': 'long', '--full': 'full' }[process.argv[2]];
const [part, given] = asked === undefined ? ['quick', process.argv.slice(2)] : [asked, process.argv.slice(3)];
const isChanged = given[0] === '--changed';
const paths = isChanged ? given.slice(2) : given;
if (isChanged) process.env.TEST_ALSO = (await testsOfChanges(given[1])).join('\n');
process.env.TEST_PART = paths.length === 0 || part === 'full' ? part : 'all';
/** The number of cases in the full run, unless set in the environment. */
const fullCounts = {
  MANY_RUNS: '1',
  CUTS: '2000',
  EDITS: '20000',
  FAILURES: '2000',
  KILLS: '60',
  MUTANTS: '20000',
  RANDOM_SERVICES: '400',
  REST_CUTS: '1000',
  SAAS_REQUESTS: '40000',
  SECRET_MUTANTS: '20000',
  SILENT_MUTANTS: 'all',
  SOAK_SECONDS: '600',
  TENANT_REQUESTS: '40000',
};
if (part === 'full') process.env = { ...fullCounts, ...process.env };
const cache = join(root, 'node_modules', '.cache', 'apikiln');
mkdirSync(cache, { recursive: true });
/** The failures, for readers who only see the end of a long output: `.ci/run` prints them last. */
const summary = join(cache, `failed-${part}.txt`);
rmSync(summary, { force: true });
// Read by `npm run times`.
if (paths.length === 0) process.env.TIMES_FILE = join(cache, `times-${part}.json`);
const checks = check(stepsOf());
const status = await test(paths);
const failed = await checks;
for (const { name, output } of failed) console.log(`\n${name} failed:\n${output}`);
if (failed.length > 0) stop(`${failed.map(({ name }) => name).join(' and ')} failed.`);
process.exit(status);

/** The steps run in parallel with the tests, by name. */
function stepsOf() {
  if (part === 'quick') return { 'type check or lint': lint, format };
  if (paths.length > 0) return {};
  return part === 'full'
    ? { 'type check or lint': lint, format: formatAsPrettier }
    : { format: formatOfOthers };
}

/** Runs the steps one by one, in parallel with the tests. Failures are printed immediately, and again after the tests. */
async function check(steps) {
  const failed = [];
  for (const [name, step] of Object.entries(steps)) {
    const { status, output } = await step();
    if (status === 0) continue;
    console.log(`\n${name} failed; the tests go on:\n${output}`);
    keepSummary([`${name}:\n${output}`]);
    failed.push({ name, output });
  }
  return failed;
}

/** Includes the type check, because the linter needs all types anyway. */
function lint() {
  // A larger heap saves processor time in the type-aware part of the linter.
  return runBeside('oxlint/bin/oxlint', ['--type-check'], { env: { GOGC: '400' } });
}

/**
 * Oxfmt formats TypeScript like prettier except for a few types, with 2% of the processor time: prettier checks only files that oxfmt would
 * change. In the long run prettier checks files of other languages, and in the full run all files.
 */
async function format() {
  const { status, output } = await runBeside('oxfmt/bin/oxfmt', ['--list-different', '**/*.ts']);
  const others = output.split('\n').filter(Boolean);
  const isList =
    status === (others.length === 0 ? 0 : 1) && others.every((path) => existsSync(join(root, path)));
  if (!isList || others.length === 0) return { status, output };
  return formatAsPrettier(others);
}

function formatOfOthers() {
  return formatAsPrettier(['.', '!**/*.ts']);
}

function formatAsPrettier(paths = ['.']) {
  const args = ['--check', '--log-level', 'warn', '--ignore-unknown', ...paths];
  // A larger young generation saves 10% of the processor time.
  return runBeside('prettier/bin/prettier.cjs', args, { options: ['--max-semi-space-size=64'] });
}

/** Runs Vitest once, and prints one line with the counts at the end; returns the exit status. */
async function test(args) {
  const { passed, failed, skipped, messages } = await vitest(args);
  const line = `${passed} passed, ${failed.length} failed`;
  if (failed.length > 0) keepSummary([...failed, ...messages]);
  console.log(skipped === 0 ? line : `${line}, ${skipped} skipped`);
  return failed.length === 0 ? 0 : 1;
}

/** Writes the first lines of each part to the summary file. */
function keepSummary(parts) {
  const shortened = parts.slice(0, 40).map((part) => part.split('\n').slice(0, 12).join('\n').slice(0, 2000));
  appendFileSync(summary, `${shortened.join('\n')}\n`);
}

/** The numbers of passed and skipped tests, and the titles of failed ones. */
async function vitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-test-'));
  const results = join(folder, 'results.json');
  try {
    const reporters = [
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
      '--reporter=./test/helpers/time-reporter.ts',
    ];
    const status = await runShown('vitest/vitest.mjs', ['run', ...reporters, ...args]);
    if (!existsSync(results)) stop('vitest did not finish.');
    const { success, testResults } = readJson(results);
    const files = testResults.map(({ name, status, assertionResults }) => {
      const tests = (...wanted) => assertionResults.filter((test) => wanted.includes(test.status));
      return {
        name: relative(root, name),
        isFailed: status === 'failed',
        failed: tests('failed').map(({ fullName }) => fullName),
        passed: tests('passed').length,
        skipped: tests('skipped', 'pending', 'todo', 'disabled').length,
      };
    });
    const failedFiles = files.filter(({ isFailed }) => isFailed);
    // A test file that cannot be loaded, or whose hooks fail, contains no failed tests, but has failed nevertheless.
    const failed = failedFiles.flatMap(({ name, failed }) =>
      failed.length === 0 ? [name] : failed.map((title) => `${name}: ${title}`),
    );
    // An error outside tests, such as an unhandled rejection, does not belong to a file.
    if (failed.length === 0 && (status !== 0 || !success)) failed.push('an error outside of the tests');
    const messages = testResults
      .flatMap(({ message, assertionResults }) => [
        message,
        ...assertionResults.flatMap((test) => test.failureMessages),
      ])
      .filter(Boolean);
    const sum = (of) => files.reduce((total, file) => total + file[of], 0);
    return { passed: sum('passed'), skipped: sum('skipped'), failed, messages };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
