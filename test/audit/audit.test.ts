/** The output of `apikiln audit` for configurations, to the character. UPDATE_FIXTURES=1 rewrites it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { audit } from '../../compiler/tools/commands/audit.js';
import { terminalOf } from '../../compiler/tools/commands/shared/terminal.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'fixtures/audit');
const names = fixtureFolders(folder, [/^(?:config|openapi)\.yaml$/, /^expected\.(?:txt|json)$/]);

describe.each(names)('%s', (name) => {
  test.each([
    ['text', 'expected.txt'],
    ['json', 'expected.json'],
  ] as const)('as %s', async (format, file) => {
    const { text } = await auditOf(name, format, 'never');
    const path = join(folder, name, file);
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
    expect(text).not.toContain('hunter2');
  });
});

test('every rule has found something in a fixture', async () => {
  const found = await Promise.all(names.map((name) => auditOf(name, 'json', 'never')));
  const rules = found.flatMap(({ text }) =>
    (JSON.parse(text) as { risks: { rule: string }[] }).risks.map(({ rule }) => rule),
  );
  expect([...new Set(rules)].sort()).toEqual([
    ...['csv-formula', 'debug-on', 'every-row', 'host-from-input', 'missing-row', 'no-authentication'],
    ...['no-encryption', 'no-transaction', 'open-read', 'open-write', 'repeated-call', 'unbounded-limit'],
    ...['undescribed-errors', 'unlimited-list', 'unverified-server', 'written-secret'],
  ]);
});

describe('the exit status', () => {
  test.each([
    ['risky', 'never', 0],
    ['risky', 'high', 1],
    ['library', 'high', 0],
    ['library', 'medium', 1],
    ['careful', 'low', 0],
    ['accepted', 'low', 0],
  ] as const)('of %s with --fail-on %s is %i', async (name, failOn, status) => {
    expect((await auditOf(name, 'text', failOn)).status).toBe(status);
  });
});

async function auditOf(
  name: string,
  format: 'text' | 'json',
  failOn: 'high' | 'medium' | 'low' | 'never',
): Promise<{ status: number; text: string }> {
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(`${text}\n`);
  };
  const { colours } = terminalOf(process);
  const terminal = { folder: join(folder, name), print: put, log: put, colours };
  const status = await audit('config.yaml', { format, failOn }, terminal);
  return { status, text: lines.join('') };
}
