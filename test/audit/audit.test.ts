/** The exact output of `apikiln audit` for configurations. UPDATE_FIXTURES=1 rewrites it. */
import { testTerminal } from '../helpers/test-terminal.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { audit } from '../../compiler/tools/commands/audit.js';
import { fixtureFolders } from '../helpers/fixture-keys.js';
import { repository } from '../helpers/service-fixture.js';

const folder = join(repository, 'fixtures/audit');
const names = fixtureFolders(folder, [
  ...[/^(?:config|openapi)\.yaml$/, /^expected\.(?:txt|json)$/, /^service\/src\/app\.ts$/],
]);

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
  // Row-level security policies are only known from a schema; their rules have a separate test.
  expect([...new Set(rules)].sort()).toEqual([
    ...[
      'changing-tool',
      'csv-formula',
      'debug-on',
      'early-answer',
      'every-row',
      'failure-ends-loop',
      'host-from-input',
    ],
    'host-in-mail',
    ...[
      'missing-row',
      'no-authentication',
      'no-encryption',
      'no-transaction',
      'open-code',
      'open-mail',
      'open-read',
    ],
    ...['open-write', 'repeated-call', 'repeated-change', 'repeated-effect', 'sub-of-several'],
    ...['tenant-not-compared', 'text-in-mail', 'true-without-caller', 'unbounded-limit', 'unchecked-claim'],
    ...[
      'undescribed-errors',
      'undone-change',
      'unlimited-guesses',
      'unlimited-list',
      'unverified-server',
      'weak-cookie',
    ],
    ...['weaker-route', 'written-secret'],
  ]);
});

describe('the exit status', () => {
  test.each([
    ['risky', 'never', 0],
    ['risky', 'high', 1],
    ['library', 'high', 0],
    ['library', 'medium', 1],
    ['careful', 'low', 0],
    ['weaker-routes', 'high', 1],
    ['strict-routes', 'high', 0],
    ['accepted', 'low', 0],
  ] as const)('of %s with --fail-on %s is %i', async (name, failOn, status) => {
    expect((await auditOf(name, 'text', failOn)).status).toBe(status);
  });
});

test('policies of the schema', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apikiln-audit-'));
  const read = (name: string, from: string, datasource = 'db'): string =>
    `  'GET /${name}':\n    fulfillments: [{ name: rows, type: READ, datasource: ${datasource}, instructions: [{ query: "SELECT id FROM ${from} LIMIT 1" }] }]\n    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(rows, $)' }]\n`;
  const operations = [
    read('fine', 'project'),
    read('hidden', 'names'),
    read('invoked', 'own_names'),
    read('other', 'country', 'jobs'),
    read('all', 'project', 'jobs'),
    read('around', 'names', 'jobs'),
    read('definer', 'every_project()'),
    read('nested', 'country WHERE id IN (SELECT every_project())'),
    read('invoker', 'own_project()'),
    read('wanted', 'every_project()', 'jobs'),
    read('catalog', 'catalog', 'jobs'),
  ];
  await writeFile(
    join(own, 'config.yaml'),
    `specification: '1.0'\noperations:\n${operations.join('')}datasources:\n  db: { type: db, url: 'jdbc:postgresql://localhost/shop?sslmode=verify-full', context: { app.tenant: CALLER($.tenant) } }\n  jobs: { type: db, url: 'jdbc:postgresql://localhost/shop?sslmode=verify-full' }\nauthentications:\n  users: { type: apikey, header: X-Api-Key, keys: { a: '\${A_KEY}' } }\n`,
  );
  await writeFile(
    join(own, 'schema.sql'),
    `CREATE TABLE project (id int, tenant int); CREATE TABLE country (id int);
     CREATE FUNCTION tenant() RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT current_setting('app.tenant')::int $$;
     ALTER TABLE project ENABLE ROW LEVEL SECURITY;
     CREATE POLICY own ON project USING (tenant = tenant());
     CREATE VIEW names AS SELECT id FROM project;
     CREATE VIEW catalog AS SELECT oid::int AS id FROM pg_class;
     CREATE VIEW own_names WITH (security_invoker = true) AS SELECT id FROM project;
     CREATE FUNCTION every_project() RETURNS TABLE (id int) LANGUAGE sql SECURITY DEFINER AS $$ SELECT id FROM project $$;
     CREATE FUNCTION own_project() RETURNS TABLE (id int) LANGUAGE sql AS $$ SELECT id FROM project $$;`,
  );
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  const schema = ['schema.sql'];
  const options = { format: 'json', failOn: 'never', schema } as const;
  await audit('config.yaml', options, testTerminal(own, put));
  await rm(own, { recursive: true });
  const { risks } = JSON.parse(lines.join('\n')) as {
    risks: { rule: string; line: number; message: string }[];
  };
  const found = risks.filter(({ rule }) => /policies|policy|owner/.test(rule));
  expect(found.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    'view-of-owner: The view names reads project as its owner: the policies for the caller do not apply there.',
    expect.stringContaining(
      'immutable-policy: A policy of project calls tenant, which is declared IMMUTABLE',
    ),
    "policies-without-context: project has policies, but 'jobs' has no context for them.",
    "policies-without-context: project has policies, but 'jobs' has no context for them.",
    expect.stringContaining('function-of-owner: every_project is SECURITY DEFINER'),
    expect.stringContaining('function-of-owner: every_project is SECURITY DEFINER'),
  ]);
});

test('filters by columns without an index', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apikiln-audit-'));
  await writeFile(
    join(own, 'config.yaml'),
    `specification: '1.0'
operations:
  'GET /visits':
    fulfillments:
      - name: visits
        type: READ
        datasource: db
        order: { allow: { id: id }, default: id, key: id }
        page: { max: 10, after: QUERY(after) }
        filter:
          from: QUERY()
          allow: { id: id, site: site, program: browser, path: { column: path, operators: [contains] }, day: day, isBot: bot, length: length }
        instructions: [{ query: 'SELECT id, site, browser, path, day, bot, length(path) AS length FROM visit' }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(visits, $)' }]
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/shop?sslmode=verify-full' }
`,
  );
  await writeFile(
    join(own, 'schema.sql'),
    `CREATE TABLE visit (id int PRIMARY KEY, site text, browser text, path text, day date, bot boolean);
     CREATE INDEX ON visit (site, day); CREATE INDEX ON visit (browser) WHERE bot; CREATE INDEX ON visit ((path || 'x'));`,
  );
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  const options = { format: 'json', failOn: 'never', schema: ['schema.sql'] } as const;
  await audit('config.yaml', options, testTerminal(own, put));
  await rm(own, { recursive: true });
  const { risks } = JSON.parse(lines.join('\n')) as { risks: { rule: string; message: string }[] };
  expect(risks.filter(({ rule }) => rule === 'unindexed-filter').map(({ message }) => message)).toEqual([
    "The filter 'program' compares visit.browser, which has no index: the database reads all rows.",
    "The filter 'path' compares visit.path, which has no index: the database reads all rows.",
    "The filter 'day' compares visit.day, which has no index: the database reads all rows.",
  ]);
});

test('cursors with columns that no response sends', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apikiln-audit-'));
  const list = (name: string, page: string, schema: string): string => `  'GET /${name}':
    fulfillments:
      - name: users
        type: READ
        datasource: db
        order: { by: QUERY(sort), allow: { name: name, score: 'score DESC, name' }, default: name, key: id }
        page: { max: 10, ${page} }
        instructions: [{ query: 'SELECT id, name, score FROM users' }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: ${schema} }]
`;
  const names = '{ list: "VALUE(users, $)", item: { id: "VALUE(@, $.id)", name: "VALUE(@, $.name)" } }';
  const operations = [
    list('hidden', 'after: QUERY(after)', names),
    list('sent', 'after: QUERY(after)', '"VALUE(users, $)"'),
    list('numbered', 'number: QUERY(page)', names),
  ];
  await writeFile(
    join(own, 'config.yaml'),
    `specification: '1.0'\noperations:\n${operations.join('')}datasources:\n  db: { type: db, url: 'jdbc:postgresql://localhost/shop?sslmode=verify-full' }\n`,
  );
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  await audit('config.yaml', { format: 'json', failOn: 'never' }, testTerminal(own, put));
  await rm(own, { recursive: true });
  const { risks } = JSON.parse(lines.join('\n')) as {
    risks: { rule: string; message: string }[];
  };
  expect(risks.filter(({ rule }) => rule === 'revealing-cursor').map(({ message }) => message)).toEqual([
    "No response sends 'score', but the cursors of 'users' contain it: clients can read it, and order by any other value.",
  ]);
});

test('--tenant looks into views of the schema', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apikiln-audit-'));
  const read = (name: string, from: string): string =>
    `  'GET /${name}':\n    fulfillments: [{ name: rows, type: READ, datasource: db, instructions: [{ query: "SELECT id FROM ${from} LIMIT 1" }] }]\n    responses: [{ name: ok, default: true, statuscode: 200, schema: 'VALUE(rows, $)' }]\n`;
  const operations = [
    read('hidden', 'names'),
    read('seen', 'all_projects WHERE tenant = :[CALLER($.tenant)]'),
    read('other', 'country'),
    read('open', 'all_projects'),
  ];
  await writeFile(
    join(own, 'config.yaml'),
    `specification: '1.0'\noperations:\n${operations.join('')}datasources:\n  db: { type: db, url: 'jdbc:postgresql://localhost/shop?sslmode=verify-full' }\nauthentications:\n  users: { type: apikey, header: X-Api-Key, keys: { a: '\${A_KEY}' } }\n`,
  );
  await writeFile(
    join(own, 'schema.sql'),
    `CREATE TABLE project (id int, tenant int); CREATE TABLE country (id int);
     CREATE VIEW names AS SELECT id FROM project; CREATE VIEW all_projects AS SELECT * FROM project;`,
  );
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  const options = { format: 'json', failOn: 'never', tenant: 'tenant' } as const;
  await audit('config.yaml', options, testTerminal(own, put));
  await rm(own, { recursive: true });
  const { risks } = JSON.parse(lines.join('\n')) as { risks: { rule: string; message: string }[] };
  expect(risks.filter(({ rule }) => rule === 'tenant-not-compared').map(({ message }) => message)).toEqual([
    'Nothing compares tenant of names with a value of the caller.',
    'Nothing compares tenant of all_projects with a value of the caller.',
  ]);
});

async function auditOf(
  name: string,
  format: 'text' | 'json',
  failOn: 'high' | 'medium' | 'low' | 'never',
): Promise<{ status: number; text: string }> {
  const lines: string[] = [];
  const put = (text: string): void => {
    lines.push(text);
  };
  const terminal = testTerminal(join(folder, name), put);
  const tenant = name === 'tenants' ? { tenant: 'tenant' } : {};
  const status = await audit('config.yaml', { format, failOn, ...tenant }, terminal);
  return { status, text: lines.join('') };
}
