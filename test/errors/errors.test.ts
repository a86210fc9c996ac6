/** Wrong configurations: what `apikiln check` says of each, to the character. UPDATE_FIXTURES=1 rewrites the answers. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../compiler/diagnostics/catalogue.js';
import { authenticationEntries } from '../../compiler/diagnostics/catalogue/authentication-messages.js';
import { checkEntries } from '../../compiler/diagnostics/catalogue/check-messages.js';
import { configEntries } from '../../compiler/diagnostics/catalogue/config-messages.js';
import { flowEntries } from '../../compiler/diagnostics/catalogue/flow-messages.js';
import { mappingEntries } from '../../compiler/diagnostics/catalogue/mapping-messages.js';
import { openapiEntries } from '../../compiler/diagnostics/catalogue/openapi-messages.js';
import { yamlEntries } from '../../compiler/diagnostics/catalogue/yaml-messages.js';
import { checkText } from './check-text.js';

const root = fileURLToPath(new URL('../../fixtures/errors/', import.meta.url));
const folders = readdirSync(root).sort();
const update = process.env['UPDATE_FIXTURES'] === '1';

describe('wrong configurations', () => {
  test.each(folders)('%s', async (folder) => {
    const { status, text } = await checkText(root + folder);
    const file = `${root}${folder}/expected.txt`;
    if (update) writeFileSync(file, text);
    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
    expect(status).toBe(text.includes(': error ') ? 1 : 0);
  });

  test.each(folders)('%s: no secret is shown in any format', async (folder) => {
    const { text } = await checkText(root + folder, 'json');
    expect(readFileSync(`${root}${folder}/expected.txt`, 'utf8') + text).not.toMatch(/hunter2/);
  });
});

describe('every diagnostic of the configuration has a fixture of its name', () => {
  const codes = Object.keys({
    ...yamlEntries,
    ...flowEntries,
    ...configEntries,
    ...checkEntries,
    ...authenticationEntries,
    ...mappingEntries,
    ...openapiEntries,
  });
  test.each(codes)('%s', (code) => {
    const file = `${root}${code}/expected.txt`;
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toContain(`[${code}]`);
  });
});

test('a fixture is named after a diagnostic, or many-<topic>', () => {
  expect(folders.filter((folder) => !folder.startsWith('many-') && !(folder in catalogue))).toEqual([]);
});
