/** The tables of promises in test/README.md and SECURITY.md name existing tests, and working commands to repeat them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow } from './sources.js';

interface Promised {
  readonly promise: string;
  /** Paths of the tests for the promise. */
  readonly tests: readonly string[];
  /** The cells after the tests. */
  readonly more: readonly string[];
}

/** The rows of all tables on a page whose second column has the title. */
function promisesOf(page: string, title: string): Promised[] {
  const lines = readFileSync(join(repository, page), 'utf8').split('\n');
  let isTable = false;
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|')) isTable = false;
    const [promise = '', tests = '', ...more] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (isTable && !/^-+$/.test(promise)) return [{ promise, tests: linksOf(tests, dirname(page)), more }];
    isTable ||= tests === title && (lines[index + 1] ?? '').startsWith('| -');
    return [];
  });
}

function linksOf(cell: string, folder: string): string[] {
  return [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => join(folder, link));
}

/** A promise without a specific test. */
const wholeRun = 'all tests pass on a bare clone';

describe.each([
  { page: 'SECURITY.md', title: 'Tests', columns: 0, least: 20 },
  { page: 'test/README.md', title: 'Test', columns: 2, least: 30 },
])('$page', ({ page, title, columns, least }) => {
  const promises = promisesOf(page, title).filter(({ promise }) => promise !== wholeRun);

  test('has promises', () => {
    expect(promises.length).toBeGreaterThanOrEqual(least);
  });

  test.each(promises)('$promise', ({ tests, more }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !/\.test\.ts$/.test(path) || !existsSync(join(repository, path)))).toEqual(
      [],
    );
    expect(more.filter((cell) => cell !== '')).toHaveLength(columns);
  });
});

const testFiles = filesBelow('test').filter((path) => path.endsWith('.test.ts'));

/** Parses `VARIABLE=1 npm test -- paths`: the tests that run, and the variables that are set. */
function repeated(command: string): { readonly files: string[]; readonly variables: string[] } {
  const [, before = '', paths = ''] = /^`((?:[A-Z_]+=\S+ )*)npm test -- (.+)`$/.exec(command) ?? [];
  return {
    files: testFiles.filter((path) => paths.split(' ').some((part) => part !== '' && path.includes(part))),
    variables: [...before.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
  };
}

describe('the way to repeat a figure runs a test of its row, which reads the variables', () => {
  const rows = promisesOf('test/README.md', 'Test').filter(({ more }) => more[1]?.includes('npm test -- '));

  test.each(rows)('$promise', ({ tests, more: [, command = ''] }) => {
    const { files, variables } = repeated(command);
    const run = tests.filter((path) => files.includes(path));
    expect(run).not.toEqual([]);
    const texts = run.map((path) => readFileSync(join(repository, path), 'utf8')).join();
    const reads = (name: string): boolean =>
      texts.includes(name) || (name === 'MANY_RUNS' && texts.includes('helpers/runs.js'));
    expect(variables.filter((name) => !reads(name))).toEqual([]);
  });
});
