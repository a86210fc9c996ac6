/** Invalid test files: the exact output of `apikiln test` for each. UPDATE_FIXTURES=1 rewrites the expected output. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import type { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { testEntries } from '../../compiler/read/diagnostics/catalogue/test-messages.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { thirdPartyOf } from '../../compiler/tools/example.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { testedConfig } from '../helpers/tested-example.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { lostWords, withFindings } from '../helpers/masked-messages.js';
import { repository } from '../helpers/service-fixture.js';

const root = join(repository, 'fixtures/test-errors');
const folders = fixtureFolders(root, [/^(?:api|config(?:\.test)?)\.yaml$/, /^expected\.txt$/]);
const { colours } = terminalOf(process);

/** The configuration in the folder, or the common one. */
function analysisOf(folder: string): Analysis {
  const textOf = (name: string): string | undefined => {
    const path = join(root, folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const api = textOf('api.yaml');
  const text = textOf('config.yaml') ?? testedConfig(api !== undefined);
  const { analysis } = checkSource({
    config: { path: 'config.yaml', text },
    thirdParty: thirdPartyOf(api === undefined ? {} : { api }),
  });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  return analysis;
}

describe('wrong test files', () => {
  test.each(folders)('%s', async (folder) => {
    const text = readFileSync(join(root, folder, 'config.test.yaml'), 'utf8');
    const { config, beside } = analysisOf(folder);
    const { result, findings } = await withFindings(() =>
      readTests({ path: 'config.test.yaml', text }, config, beside),
    );
    const { diagnostics } = result;
    const printed = diagnostics.map((diagnostic) => `${printText(diagnostic, colours)}\n`).join('\n');
    const file = join(root, folder, 'expected.txt');
    if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(file, printed);
    expect(printed).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
    expect(printed).toContain(folder.startsWith('many-') ? 'error' : `[${folder}]`);
    expect(findings.flatMap(lostWords)).toEqual([]);
  });
});

test('every code of test files has a fixture of its name', () => {
  const shown = folders.filter((folder) => !folder.startsWith('many-'));
  const missing =
    'each code needs a folder fixtures/test-errors/<code>; npm run fixtures writes its expected.txt';
  expect(shown, missing).toEqual(Object.keys(testEntries).sort());
});
