/** Invalid configurations: the exact output of `apikiln check` for each. UPDATE_FIXTURES=1 rewrites the expected output. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { everyMessage, rules } from '../../compiler/analyze/check/rule-list.js';
import { sqlRules } from '../../compiler/analyze/check/sql/sql-rules.js';
import { catalogue } from '../../compiler/read/diagnostics/catalogue.js';
import {
  commentEntries,
  configEntries,
  includeEntries,
} from '../../compiler/read/diagnostics/catalogue/config-messages.js';
import { mappingEntries } from '../../compiler/read/diagnostics/catalogue/mapping-messages.js';
import { openapiEntries } from '../../compiler/read/diagnostics/catalogue/openapi-messages.js';
import { requestEntries } from '../../compiler/read/diagnostics/catalogue/request-messages.js';
import { sqlEntries } from '../../compiler/read/diagnostics/catalogue/sql-messages.js';
import { yamlEntries } from '../../compiler/read/diagnostics/catalogue/yaml-messages.js';
import { parseExplanations } from '../../compiler/read/diagnostics/explanation.js';
import { printSarif } from '../../compiler/read/diagnostics/print/print-sarif.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { lostWords, withFindings } from '../helpers/masked-messages.js';
import { sarifErrors } from '../helpers/sarif-errors.js';
import { checkText } from './check-text.js';

const root = fileURLToPath(new URL('../../fixtures/errors/', import.meta.url));
const folders = fixtureFolders(root, [
  /^(?:api|config|fixed|openapi|shared)\.yaml$/,
  /^(?:openapi\.json|schema\.sql|expected\.txt)$/,
  /^service\/src\/\w+\.ts$/,
  /^operations\/[\w.]+\.yaml$/,
]);
const templates = fileURLToPath(new URL('../../templates/explanations/', import.meta.url));
const explanations = parseExplanations(
  readdirSync(templates)
    .map((file) => readFileSync(templates + file, 'utf8'))
    .join('\n'),
);
const update = process.env['UPDATE_FIXTURES'] === '1';

describe('wrong configurations', () => {
  test.each(folders)('%s', async (folder) => {
    const { result, findings } = await withFindings(() => checkText(root + folder));
    const { status, text } = result;
    const file = `${root}${folder}/expected.txt`;
    if (update) writeFileSync(file, text);
    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
    expect(status).toBe(text.includes(': error ') ? 1 : 0);
    // Words of a message are not masked if a secret equals them.
    expect(findings.flatMap(lostWords)).toEqual([]);
    const report = new Report();
    for (const finding of findings) report.addFinding(finding);
    expect(sarifErrors(printSarif(report.diagnostics, explanations, '1.0.0'))).toEqual([]);
  });

  const withSecret = folders.filter(holdsSecret);

  test('some hold a secret', () => {
    expect(withSecret.length).toBeGreaterThan(15);
  });

  test.each(withSecret)('%s: no secret is shown in any format', async (folder) => {
    const { text } = await checkText(root + folder, 'json');
    expect(readFileSync(`${root}${folder}/expected.txt`, 'utf8') + text).not.toMatch(/hunter2/);
  });
});

function holdsSecret(folder: string): boolean {
  const files = readdirSync(root + folder, { recursive: true, withFileTypes: true });
  return files.some(
    (file) => file.isFile() && readFileSync(join(file.parentPath, file.name), 'utf8').includes('hunter2'),
  );
}

/** Rules for statements whose codes are also covered by the tables of fixtures/sql. */
const ofSql = ['sql-needs-cast', 'sql-string-column', 'sql-group-differs'];

describe('every diagnostic of the configuration has a fixture of its name', () => {
  const codes = [
    ...[
      yamlEntries,
      configEntries,
      includeEntries,
      commentEntries,
      mappingEntries,
      openapiEntries,
      requestEntries,
    ].flatMap(Object.keys),
    ...rules.flatMap(({ messages }) => Object.keys(messages)),
  ].filter((code) => !ofSql.includes(code) && code !== 'sql-not-checked');
  test.each(codes)('%s', (code) => {
    const file = `${root}${code}/expected.txt`;
    const shown = existsSync(file) ? readFileSync(file, 'utf8') : '';
    expect(
      shown,
      `write fixtures/errors/${code}/config.yaml with the mistake; npm run fixtures writes its expected.txt`,
    ).toContain(`[${code}]`);
  });
});

describe('every diagnostic of one SQL text is in a table of fixtures/sql, or has a fixture of its name', () => {
  const tables = fileURLToPath(new URL('../../fixtures/sql/', import.meta.url));
  const shown = readdirSync(tables)
    .map((file) => readFileSync(tables + file, 'utf8'))
    .join('\n');
  const codes = [sqlEntries, ...sqlRules.map(({ messages }) => messages)].flatMap(Object.keys);
  test.each([...codes, ...ofSql])('%s', (code) => {
    const isShown = shown.includes(` ${code}: `) || existsSync(`${root}${code}/expected.txt`);
    expect(
      isShown,
      `add a statement with ${code} to a table of fixtures/sql, or write fixtures/errors/${code}/config.yaml`,
    ).toBe(true);
  });
});

describe('a rule', () => {
  const folder = fileURLToPath(new URL('../../compiler/analyze/check/rules/', import.meta.url));

  test('has the name of its first code, and is in the list', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const names = files.flatMap((file) =>
      [...readFileSync(folder + file, 'utf8').matchAll(/^export \w+ (\w+)/gm)].map(([, name = '']) => name),
    );
    const codes = [...rules, ...sqlRules].map(({ messages }) => Object.keys(messages)[0] ?? '');
    expect(names.sort(), 'list each file in rule-list.ts, or in sql/sql-rules.ts').toEqual(
      codes.map((code) => code.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())).sort(),
    );
  });

  test('has codes that nothing else has', () => {
    const codes = [catalogue, ...[...rules, ...sqlRules].map(({ messages }) => messages)].flatMap(
      Object.keys,
    );
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });
});

test('a fixture is named after a diagnostic, or many-<topic>', () => {
  expect(folders.filter((folder) => !folder.startsWith('many-') && !(folder in everyMessage))).toEqual([]);
});
