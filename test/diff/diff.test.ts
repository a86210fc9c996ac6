/** The exact output of `apikiln diff` for two configurations. UPDATE_FIXTURES=1 rewrites it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { updatedCodes } from '../../compiler/tools/commands/diff.js';
import { generatedDescription } from '../../compiler/analyze/describe/read-generated.js';
import { compareServices, type ComparedService } from '../../compiler/tools/diff/compare-services.js';
import type { Differences } from '../../compiler/tools/diff/differences.js';
import { lineDiff } from '../../compiler/tools/diff/line-diff.js';
import {
  printDifferencesMarkdown,
  printDifferencesText,
} from '../../compiler/tools/diff/print-differences.js';
import { ServiceView } from '../../compiler/tools/explain/service-view.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { repository, serviceFixtures } from '../helpers/service-fixture.js';
import { serviceOf } from '../helpers/service-view.js';

const folder = join(repository, 'fixtures/diff');

const names = fixtureFolders(folder, [
  /^(?:old|new)\/(?:(?:api|config|openapi)\.yaml|schema\.sql)$/,
  /^expected\.(?:txt|json|md)$/,
]);

describe.each(names)('%s', (name) => {
  const differences = Promise.all(['old', 'new'].map((side) => serviceAt(join(folder, name, side)))).then(
    ([before, after]) => compared(before, after),
  );

  test.each([
    ['text', 'expected.txt', printDifferencesText],
    ['JSON', 'expected.json', (found: Differences) => JSON.stringify(found, null, 2)],
    ['Markdown', 'expected.md', printDifferencesMarkdown],
  ] as const)('as %s', async (_, file, print) => {
    const actual = `${print(await differences)}\n`;
    const path = join(folder, name, file);
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(path, actual);
    expect(actual).toBe(readFileSync(path, 'utf8'));
    expect(actual).not.toContain('hunter2');
  });
});

const folders = [
  ...new Set(serviceFixtures().map(({ name }) => join(repository, 'fixtures/services', name))),
];

test('two services without differences', () => {
  const none = { breaking: [], compatible: [], thirdParties: [], sent: [] };
  for (const print of [printDifferencesText, printDifferencesMarkdown])
    expect(print(none)).toBe('Nothing changes for clients or in what is sent.');
});

test.each(folders)('%s and itself: nothing changes', async (folder) => {
  const [before, after] = [await serviceAt(folder), await serviceAt(folder)];
  expect(compared(before, after)).toEqual({
    ...{ breaking: [], compatible: [], thirdParties: [], sent: [] },
  });
});

describe('lines', () => {
  const lines = (text: string): string[] => (text === '' ? [] : text.split(' '));

  test.each([
    ['', '', []],
    ['a b', 'a b', []],
    ['', 'a', ['@@ -0,0 +1,1 @@', '+a']],
    ['a', '', ['@@ -1,1 +0,0 @@', '-a']],
    ['a b c', 'a x c', ['@@ -1,3 +1,3 @@', ' a', '-b', '+x', ' c']],
    [
      '1 2 3 4 5 6 7 8 9 10 11 12',
      '1 2 3 5 6 7 8 9 10 11 12 13',
      [
        ...['@@ -1,7 +1,6 @@', ' 1', ' 2', ' 3', '-4', ' 5', ' 6', ' 7'],
        ...['@@ -10,3 +9,4 @@', ' 10', ' 11', ' 12', '+13'],
      ],
    ],
  ])('%j and %j', (before, after, expected) => {
    expect(lineDiff(lines(before), lines(after))).toEqual(expected);
  });

  test('so many changes that old lines precede all new ones', () => {
    const [before, after] = [2001, 2000].map((length) => Array.from({ length }, (_, line) => String(line)));
    const found = lineDiff(['a', ...(before ?? [])], ['b', ...(after ?? [])]);
    expect(found.slice(0, 3)).toEqual(['@@ -1,2002 +1,2001 @@', '-a', '-0']);
    expect(found.slice(2002, 2005)).toEqual(['-2000', '+b', '+0']);
  });
});

async function serviceAt(folder: string): Promise<ComparedService> {
  const service = await serviceOf(folder, new Map(updatedCodes.map((code) => [code, 'warning'])));
  return { view: new ServiceView(service), generated: generatedDescription(service.analysis.config) };
}

function compared(before: ComparedService | undefined, after: ComparedService | undefined): Differences {
  if (before === undefined || after === undefined) throw new Error('A side is missing.');
  return compareServices(before, after);
}
