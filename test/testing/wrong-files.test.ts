/** Wrong test files: what `apikiln test` prints for each, to the character. UPDATE_FIXTURES=1 rewrites the expected output. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import type { Config } from '../../compiler/read/config/config-model.js';
import { testEntries } from '../../compiler/read/diagnostics/catalogue/test-messages.js';
import { printText } from '../../compiler/read/diagnostics/print/print-diagnostic.js';
import { terminalOf } from '../../compiler/tools/commands/shared/terminal.js';
import { testedExample } from '../helpers/tested-example.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';

const root = join(repository, 'fixtures/test-errors');
const folders = fixtureFolders(root, [/^config(?:\.test)?\.yaml$/, /^expected\.txt$/]);
const { colours } = terminalOf(process);

/** The configuration of the folder, else one for all. */
function configOf(folder: string): Config {
  const path = join(root, folder, 'config.yaml');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : testedExample;
  const { analysis } = checkSource({ config: { path: 'config.yaml', text } });
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  return analysis.config;
}

describe('wrong test files', () => {
  test.each(folders)('%s', (folder) => {
    const text = readFileSync(join(root, folder, 'config.test.yaml'), 'utf8');
    const { diagnostics } = readTests({ path: 'config.test.yaml', text }, configOf(folder));
    const printed = diagnostics.map((diagnostic) => `${printText(diagnostic, colours)}\n`).join('\n');
    const file = join(root, folder, 'expected.txt');
    if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(file, printed);
    expect(printed).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
    expect(printed).toContain(folder.startsWith('many-') ? 'error' : `[${folder}]`);
  });
});

test('every code of test files has a fixture of its name', () => {
  expect(folders.filter((folder) => !folder.startsWith('many-'))).toEqual(Object.keys(testEntries).sort());
});
