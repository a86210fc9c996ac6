/** README.md of services with many operations, and of services without databases and variables. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { assets, textOf } from './compile-text.js';

const responses = [{ name: 'ok', default: true, statuscode: 200 }];

async function readmeOf(config: object, target: 'docker' | 'kubernetes' = 'docker'): Promise<string> {
  const text = JSON.stringify({ specification: '1.0', ...config });
  const { files, diagnostics } = await compile({ config: { path: 'config.yaml', text }, target }, assets);
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return textOf(files, 'README.md');
}

/** A service with everything that its README mentions. */
function large(operations: number): object {
  const names = Array.from({ length: operations }, (_, index) => `GET /a${index}`);
  const datasources = Array.from({ length: 10 }, (_, index) => [
    `db${index}`,
    { type: 'db', url: 'jdbc:postgresql://localhost/db', user: 'u', password: 'p' },
  ]);
  const read = { name: 'a', type: 'READ', instructions: [{ query: 'SELECT 1 AS one' }] };
  const schema = { list: 'VALUE(a, $)', item: { one: 'VALUE(@, $.one)' } };
  const csv = [{ name: 'ok', default: true, statuscode: 200, contentType: 'text/csv', schema }];
  return {
    operations: Object.fromEntries(
      names.map((name, index) => [
        name,
        { fulfillments: [{ ...read, datasource: `db${index % 10}` }], responses: csv },
      ]),
    ),
    datasources: Object.fromEntries(datasources) as object,
    settings: { debug: true },
  };
}

test.each([
  ['docker', 40],
  ['kubernetes', 40],
  ['kubernetes', 12],
] as const)('for %s has at most 80 lines with %d operations', async (target, operations) => {
  const readme = await readmeOf(large(operations), target);
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  const shown = readme.match(/^\| GET /gm)?.length ?? 0;
  expect(shown).toBeGreaterThan(0);
  expect(readme).toContain(`\n| and ${operations - shown} more | [src/operations](src/operations) |\n`);
  expect(readme).toMatch(/\n# and \d+ more: see \.env\.example\n```\n/);
  expect(readme).toContain(`GET /a5 and ${operations - 6} more.\nIf the read fails`);
});

test('lists all operations if there is room', async () => {
  const operations = Array.from({ length: 30 }, (_, index) => [`GET /a${index}`, { responses }]);
  const readme = await readmeOf({ operations: Object.fromEntries(operations) as object });
  expect(readme.match(/^\| GET /gm)).toHaveLength(30);
  expect(readme).not.toContain(' more |');
});

test('without databases and variables mentions neither', async () => {
  const readme = await readmeOf({ operations: { 'GET /a': { responses } } });
  expect(readme).toContain('You need Node 20.19 or newer.\n');
  expect(readme).toContain('-p 8080:8080 service\n');
  expect(readme).not.toMatch(/database|set each of these|\.env\.production|\n{3}/);
});

test('with third parties alone mentions their variables, and no database', async () => {
  const request = { name: 'b', type: 'READ', datasource: 'api' };
  const readme = await readmeOf({
    operations: {
      'GET /a': {
        fulfillments: [{ ...request, instructions: [{ request: { url: '/a', httpType: 'GET' } }] }],
        responses,
      },
    },
    datasources: { api: { type: 'rest', url: 'https://api.example' } },
  });
  expect(readme).toContain('\nDATASOURCE_API_URL=https://api.example\n');
  expect(readme).toContain('--env-file .env.production service\n');
  expect(readme).not.toContain('database');
});

test('links to the documentation of its version', async () => {
  const readme = await readmeOf({ operations: { 'GET /a': { responses } } }, 'kubernetes');
  const links = [...readme.matchAll(/\((https:\/\/[^)]+)\)/g)].map(([, link]) => link);
  const reference = `https://github.com/OWNER/apikiln/blob/main/docs/reference`;
  expect(links).toEqual([`${reference}/service.md`, `${reference}/deployment.md#objects`]);
});
