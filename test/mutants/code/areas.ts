/** The areas of the code whose mutants are tried, and the tests that reach each area. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../helpers/service-fixture.js';
import { filesBelow, sourcesBelow, type SourceFile } from '../../project/sources.js';

export interface Area {
  readonly name: string;
  readonly folders: readonly string[];
  /** Files and folders in the order in which they are tried, fast ones first. Tests of the long run are only included if listed by name. */
  readonly tests: readonly string[];
  /** Tests for a small sample, which take seconds. */
  readonly quickTests: readonly string[];
}

const compiled = ['test/mutants/code/compiled-services.tried.ts'];
const checked = ['test/check/errors.test.ts', 'test/check/habits.test.ts'];

export const areas: readonly Area[] = [
  {
    name: 'expression',
    folders: ['compiler/read/expression'],
    tests: [
      ...['test/expression/tables.test.ts', 'test/expression/bounds.test.ts'],
      ...[...checked, ...compiled, 'test/expression/properties.test.ts'],
    ],
    quickTests: ['test/expression/tables.test.ts', 'test/check/habits.test.ts'],
  },
  {
    name: 'sql',
    folders: ['compiler/read/sql'],
    tests: ['test/sql/fixtures.test.ts', 'test/sql/outlines.test.ts', 'test/sql', ...checked, ...compiled],
    quickTests: ['test/sql/fixtures.test.ts', 'test/sql/outlines.test.ts', 'test/check/habits.test.ts'],
  },
  {
    name: 'mapping',
    folders: ['compiler/analyze/mapping'],
    tests: ['test/mapping/chains.test.ts', ...checked, ...compiled, 'test/mapping'],
    quickTests: ['test/mapping/chains.test.ts', 'test/check/errors.test.ts'],
  },
  {
    name: 'plan',
    folders: ['compiler/generate/plan'],
    tests: [
      ...[...compiled, 'test/emit', 'test/mapping/writings.test.ts', 'test/explain'],
      ...['test/deployment/kubernetes.test.ts', ...checked],
    ],
    quickTests: [...compiled, 'test/emit/names.test.ts', 'test/emit/environment.test.ts'],
  },
  {
    name: 'connections',
    folders: ['runtime/sql', 'runtime/postgres', 'runtime/mysql'],
    tests: ['test/runtime/sql', 'test/runtime/sql/server-failures.long.test.ts'],
    quickTests: ['test/runtime/sql/transaction.test.ts', 'test/runtime/sql/bound-values.test.ts'],
  },
];

/** Not part of the project: most of its mutants never terminate. */
export const endless: Area = {
  name: 'endless',
  folders: ['test/mutants/code/endless'],
  tests: ['test/mutants/code/endless.tried.ts'],
  quickTests: ['test/mutants/code/endless.tried.ts'],
};

export function sourcesOf({ folders }: Area): SourceFile[] {
  return folders.flatMap(sourcesBelow);
}

/** The test files, without duplicates. */
export function testsOf({ tests, quickTests }: Area, isQuickOnly: boolean): string[] {
  const files = (isQuickOnly ? quickTests : tests).flatMap((path) =>
    statSync(join(repository, path)).isDirectory() ? filesBelow(path).filter(isQuick) : [path],
  );
  const missing = files.filter((path) => !existsSync(join(repository, path)));
  if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}.`);
  return [...new Set(files)];
}

/** Excludes long tests, and tests that read compiler output from another process, where mutants are not active. */
function isQuick(path: string): boolean {
  if (!path.endsWith('.test.ts') || path.endsWith('.long.test.ts')) return false;
  return !readFileSync(join(repository, path), 'utf8').includes('compiled-fixtures');
}
