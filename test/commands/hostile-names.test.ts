/**
 * Runs every command with names of datasources, operations, fulfillments and authentications that are not identifiers: no command fails,
 * and no name controls the terminal.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileTexts } from '../emit/hostile.js';
import { everyOf } from '../helpers/runs.js';
import { Workspace } from './workspace.js';

/** Selects a fraction of the names. */
const each = everyOf(12);

/** Names that are not identifiers, collide as identifiers, or are words of the generated language. */
const names = [
  ...['shop-db', 'shop db', 'shopDb', '1st', 'class', 'await', 'import', 'call', '__proto__', 'constructor'],
  ...['é', '日本', '"', "it's", '`', '$.a', '${X}', '# a', '- a', ': ', '&a', '*a', '!a', '|', '%d', '\\'],
  ...[
    'night\u001b[2J\u001b]0;pwn\u0007',
    'job\u202e',
    'a\nb',
    '\n::error::a',
    '##[error]a',
    'a\u009b',
    'a\u200bb',
  ],
  ...hostileTexts.filter((_, index) => index % each === 0),
].filter((name, index, all) => all.indexOf(name) === index && name.trim() !== '');

/** A configuration with names at all positions. The datasource is read in a loop, which a rule of `audit` examines. */
function configOf(written: readonly string[], changed = ''): string {
  // Names that differ only in special characters would share an environment variable, which is an error.
  const all = written.length === 1 ? written : written.map((name, index) => `${name}${index}`);
  const entries = <Value>(of: (name: string, index: number) => Value): Record<string, Value> =>
    Object.fromEntries(all.map((name, index) => [name, of(name, index)]));
  const read = (name: string, datasource: string): object => ({
    ...{ name, type: 'READ', datasource },
    instructions: [{ query: `SELECT ${changed}a FROM t WHERE b = :[VALUE(@, $.b)]` }],
  });
  const operations = all.flatMap((name, index) => [
    [
      `POST /x${index}`,
      {
        authentications: [{ name }],
        fulfillments: [
          { name: `${inner(name)}s`, type: 'LOOP', loop: 'BODY($)', fulfillments: [read(inner(name), name)] },
          { name: `${inner(name)}r`, type: 'REFERENCE', operationName: name },
        ],
        responses: [{ name, default: true, statuscode: 201 }],
      },
    ],
    [
      name,
      {
        triggers: [{ name, cron: '0 0 3 * * *' }],
        fulfillments: [
          {
            ...{ name: inner(name), type: 'UPDATE', datasource: name },
            instructions: [{ query: `UPDATE t SET ${changed === '' ? '' : 'c = 1, '}a = 1 WHERE b = 2` }],
          },
          {
            ...{ name: `${inner(name)}2`, type: 'READ', datasource: `${name}.api` },
            instructions: [{ request: { httpType: 'GET', url: '/x' } }],
          },
        ],
        responses: [{ name, default: true, statuscode: 200 }],
      },
    ],
  ]);
  return JSON.stringify({
    specification: '1.0',
    authentications: entries(() => ({ type: 'basicauth', user: 'a', password: '${PASSWORD}' })),
    operations: Object.fromEntries(operations) as object,
    datasources: {
      ...entries(() => ({ type: 'db', url: 'jdbc:postgresql://localhost/a' })),
      ...Object.fromEntries(all.map((name) => [`${name}.api`, { type: 'rest', url: 'https://a.example' }])),
    },
  });
}

/** Returns a name that expressions can read. */
function inner(name: string): string {
  return /^[A-Za-z][\w-]*$/.test(name) ? name : 'step';
}

let space: Workspace;
const accepted: string[] = [];

beforeAll(async () => {
  space = new Workspace();
  for (const name of names) {
    space.write('config.yaml', configOf([name]));
    const { status, stderr } = await space.run('check', '--no-schema');
    expect([0, 1], stderr).toContain(status);
    if (status === 0) accepted.push(name);
    else continue;
    const explained = ['explain', '--config', 'config.yaml', '--format'];
    for (const command of [
      ['audit'],
      [...explained, 'text', '--', name],
      [...explained, 'mermaid', '--', name],
    ]) {
      const outcome = await space.run(...command);
      expect(outcome.status, `${JSON.stringify(name)}: ${outcome.stderr}`).toBe(0);
    }
  }
  space.write('config.yaml', configOf(accepted));
  space.write('old.yaml', configOf(accepted, 'z, '));
});

afterAll(() => {
  space.remove();
});

test('most names are accepted', () => {
  expect(accepted.length).toBeGreaterThan(names.length / 2);
  expect(accepted).toContain('shop-db');
});

test.each([
  ...['text', 'json', 'github', 'sarif'].map((format) => ['check', '--format', format]),
  ['build'],
  ['build', '--check'],
  ['build', '--out', 'kubernetes', '--target', 'kubernetes'],
  ...['text', 'json'].map((format) => ['audit', '--format', format]),
  ...['text', 'json', 'markdown'].map((format) => ['diff', 'old.yaml', 'config.yaml', '--format', format]),
  ...['text', 'json'].map((format) => ['explain', '--format', format]),
  ['openapi'],
])('%s %s %s %s %s', async (...args) => {
  const { status, stderr } = await space.run(...args.filter(Boolean));
  expect([0, 1], stderr).toContain(status);
});
