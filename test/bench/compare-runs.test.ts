/** The arithmetic of `npm run bench -- --compare`: distinguishes regressions from noise between rounds. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { changeOf, compareRuns, printedComparison } from './compare-runs.js';
import { atLeast, atMost, type Row, type Target } from './row.js';
import { readRun, saveRun, storedRun } from './stored-run.js';

const folder = mkdtempSync(join(tmpdir(), 'apikiln-runs-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function row(goal: string, figures: readonly number[], target: Target = atLeast(2), job = 'pg'): Row {
  return { job, goal, target, figures, parts: [{ name: 'ours', seen: '1 req/s', failures: 0 }] };
}

function change(before: readonly number[], now: readonly number[], target: Target = atLeast(2)) {
  return changeOf({ ...row('a', before, target), seen: [] }, now);
}

describe('one row', () => {
  test.each([
    ['every round is worse', [4.0, 4.1, 4.2, 4.3, 4.4], [3.5, 3.6, 3.6, 3.7, 3.8], 'worse'],
    ['every round is better', [4.0, 4.1, 4.2, 4.3, 4.4], [4.6, 4.7, 4.8, 4.9, 5.0], 'better'],
    ['rounds that hardly overlap', [4.0, 4.1, 4.2, 4.3, 4.4], [3.3, 3.4, 3.4, 3.5, 4.15], 'worse'],
    [
      'one disturbed round decides nothing',
      [4.0, 4.1, 4.2, 4.3, 4.4],
      [2.0, 4.1, 4.2, 4.2, 4.3],
      'unchanged',
    ],
    ['the same rounds', [4.0, 4.1, 4.2], [4.0, 4.1, 4.2], 'unchanged'],
    ['rounds that differ more than the runs', [3.0, 4.0, 5.0], [2.7, 3.6, 4.5], 'unchanged'],
    ['less than a twentieth', [4.0, 4.0, 4.0], [3.9, 3.9, 3.9], 'unchanged'],
    ['a single figure', [100], [80], 'worse'],
  ] as const)('%s', (_, before, now, verdict) => {
    expect(change(before, now).verdict).toBe(verdict);
  });

  test('where less is better, it is worse when it grows', () => {
    expect(change([1.0, 1.0], [1.2, 1.2], atMost(2)).verdict).toBe('worse');
    expect(change([1.2, 1.2], [1.0, 1.0], atMost(2, 's')).verdict).toBe('better');
  });

  test('factor and spread are those of all pairs of rounds', () => {
    // The pairs are 2/4, 2/2, 3/4 and 3/2; sorted: 0.5, 0.75, 1, 1.5.
    expect(change([4, 2], [2, 3])).toMatchObject({ factor: 0.75, spread: [0.5, 1.5], verdict: 'unchanged' });
    expect(change([2, 2], [1, 1])).toMatchObject({ factor: 0.5, spread: [0.5, 0.5], verdict: 'worse' });
  });
});

test('rows are found by their goal; those of jobs that did not run are not gone', () => {
  const before = storedRun('a machine', [
    row('kept', [4, 4]),
    row('removed', [4, 4]),
    row('of another job', [4, 4], atLeast(2), 'rest'),
    { ...row('failed', [9, 9]), parts: [{ name: 'ours', seen: '', failures: 1 }] },
  ]);
  const comparison = compareRuns(
    before,
    [row('kept', [2, 2]), row('failed', [1, 1]), row('removed', [])],
    new Set(['pg']),
  );
  expect(comparison.gone).toEqual(['removed']);
  expect(comparison.added).toEqual(['failed']);
  expect(printedComparison(comparison)).toBe(
    ['worse     0.50 × of before (0.50–0.50)  pg: kept', 'gone      removed', 'new       failed'].join('\n'),
  );
});

test('a run is read as it was saved, and what is not a run is named', () => {
  const path = join(folder, 'run.json');
  const run = storedRun('a machine', [row('a', [1, 2, 3])]);
  saveRun(path, run);
  expect(readRun(path)).toEqual(run);
  for (const text of ['{', '{}', '[]', 'null']) {
    writeFileSync(path, text);
    expect(() => readRun(path)).toThrow(path);
  }
  expect(() => readRun(join(folder, 'none.json'))).toThrow('none.json');
});
