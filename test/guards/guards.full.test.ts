/**
 * Tests of the tests: in a copy of the repository one expectation of each kind is changed, and the test that compares it must fail. This
 * detects comparisons that no longer compare anything, for example after a script has renamed keys, files or titles.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf, entryOf, fixtureFolders, type Keys } from '../helpers/fixture-keys.js';
import { repository, type FixtureRequest } from '../helpers/service-fixture.js';
import { changes, keptServices, spoiledServices, spoilRequests } from './changes.js';

interface Result {
  readonly file: string;
  readonly title: string;
  readonly status: string;
  readonly message: string;
}

/** Tests in the same files that must pass in the copy: if they cannot run, failures prove nothing. */
const untouched = [
  /'news-mariadb' holds the runtime's files letter by letter/,
  /'own-code-\w+' running.*own code prices an order/,
  /'own-routes-\w+' running.*an operation itself/,
  /'own-login-mariadb' compiles to the expected output/,
  /wrong configurations ambiguous-join/,
  /applied to fixtures\/errors bare-placeholder-in-url: all of them/,
  /fixtures\/sql\/in-lists\.yaml/,
  /'?mapped'? as (?:text|JSON|Markdown)/,
  /'?library'? as (?:text|json)/,
  /'?cycle'? as text/,
  /wrong test files test-action/,
  /the configuration in the README is that of the news fixture/,
  /never-true wrong/,
];

const copy = mkdtempSync(join(tmpdir(), 'apikiln-guards-'));
let counts: Record<string, number>;
let results: readonly Result[];

beforeAll(async () => {
  copyRepository();
  counts = spoilRequests(copy);
  for (const { apply } of changes) apply(copy);
  results = await runTests();
}, 900_000);

afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

describe('an expectation that is changed makes its test fail', () => {
  test.each(changes)('$name', ({ tests, fails, message }) => {
    const concerned = results.filter(({ file, title }) => file === tests && fails.test(title));
    const failed = concerned.filter(({ status }) => status === 'failed');
    expect(concerned.length).toBeGreaterThan(0);
    if (message === undefined) expect(passing(concerned)).toEqual([]);
    else expect(failed.map((one) => one.message).join('\n')).toContain(message);
  });

  test('each request of a service, by every key that compares', () => {
    const ofSpoiled = new RegExp(`'(?:${spoiledServices.join('|')})-\\w+' running, time zone`);
    const requests = results.filter(({ title }) => ofSpoiled.test(title));
    expect(requests.length).toBeGreaterThan(50);
    expect(passing(requests)).toEqual([]);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });
});

test.each(untouched)('what is not changed passes in the copy: %s', (title) => {
  const found = results.filter((one) => title.test(one.title));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ status }) => status !== 'passed')).toEqual([]);
});

test('each kind of fixture has a change', () => {
  const kinds = readdirSync(join(repository, 'fixtures')).filter((kind) => kind !== 'every-service');
  const sources = readFileSync(new URL('changes.ts', import.meta.url), 'utf8');
  expect(kinds.filter((kind) => !sources.includes(`fixtures/${kind}/`))).toEqual([]);
});

describe('unknown keys', () => {
  const keys: Keys<Pick<FixtureRequest, 'name' | 'text'>> = { name: 'required', text: 'optional' };

  test.each([
    [{ name: 'a', texts: '' }, 'fixture has unknown keys: texts. Known: name, text.'],
    [{ text: '' }, 'fixture lacks name.'],
    [{ name: 'a', constructor: '' }, 'fixture has unknown keys: constructor.'],
    ['a', 'fixture must be a map.'],
    [[], 'fixture must be a map.'],
    [null, 'fixture must be a map.'],
  ])('%j', (value, message) => {
    expect(() => entryOf(value, keys, 'fixture')).toThrow(message);
  });

  test.each([[[]], [{}], ['a']])('a list without entries: %j', (value) => {
    expect(() => entriesOf(value, keys, 'fixture')).toThrow('fixture must be a list with entries.');
  });

  test('a file that nothing reads', () => {
    const root = mkdtempSync(join(copy, 'files-'));
    mkdirSync(join(root, 'one/sub'), { recursive: true });
    writeFileSync(join(root, 'one/expected.txt'), '');
    expect(fixtureFolders(root, [/^expected\.txt$/])).toEqual(['one']);
    writeFileSync(join(root, 'one/sub/expected.txt'), '');
    expect(() => fixtureFolders(root, [/^expected\.txt$/])).toThrow(
      'files that nothing reads: sub/expected.txt',
    );
  });
});

function passing(tests: readonly Result[]): string[] {
  return tests.filter(({ status }) => status !== 'failed').map(({ title }) => title);
}

/** Copies all files read by tests; packages come from the repository. */
function copyRepository(): void {
  const left = /^(?:\.git|node_modules|dist)$/;
  for (const name of readdirSync(repository)) {
    if (!left.test(name)) cpSync(join(repository, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  const services = join(copy, 'fixtures/services');
  for (const name of readdirSync(services))
    if (!keptServices.includes(name)) rmSync(join(services, name), { recursive: true });
}

/** Runs all tests that compare changed expectations. */
async function runTests(): Promise<readonly Result[]> {
  const output = join(copy, 'results.json');
  const files = [...new Set(changes.map(({ tests }) => tests))];
  const patterns = [...changes.map(({ fails }) => fails), ...untouched, /running, time zone/];
  const pattern = patterns.map(({ source }) => source).join('|');
  const options = ['--reporter=json', `--outputFile=${output}`, `--testNamePattern=${pattern}`];
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  // Without the environment variables of the surrounding test run.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|VITE|TINYPOOL|TEST_PART)/.test(name),
  );
  const printed = await new Promise<string>((resolve) => {
    const args = [vitest, 'run', '--maxWorkers=2', ...options, ...files];
    execFile(
      process.execPath,
      args,
      { cwd: copy, env: Object.fromEntries(environment), maxBuffer: 2 ** 28 },
      (_, stdout, stderr) => {
        resolve(stdout + stderr);
      },
    );
  });
  try {
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as VitestResults;
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'passed' || status === 'failed')
        .map(({ fullName, status, failureMessages }) => ({
          file: relative(copy, name),
          title: fullName,
          status,
          message: failureMessages.join('\n'),
        })),
    );
  } catch (error) {
    throw new Error(`The tests of the copy did not run:\n${printed.slice(-5000)}`, { cause: error });
  }
}

interface VitestResults {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
