/** `apikiln test` on a given server: creates temporary databases, which are removed afterwards, and changes nothing else. */
import { execFile } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { builtTool, sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { Workspace } from '../commands/workspace.js';
import { fixtureFile, fixtureSpace, urlOf, verdicts } from './workspace-tests.js';

let space: Workspace | undefined;

afterEach(() => {
  space?.remove();
  space = undefined;
});

test('the fixture news on PostgreSQL', async () => {
  space = fixtureSpace('news');
  const server = await sharedPostgres();
  await server.createDatabase('testing_news');
  const { status, stdout, stderr } = await space.run('test', '--database', urlOf(server, 'testing_news'));
  expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(
    await server.exec('testing_news', "SELECT datname FROM pg_database WHERE datname LIKE 'apikiln%'"),
  ).toEqual([]);
  expect(
    await server.exec('testing_news', "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"),
  ).toEqual([]);
});

test('the fixture news on PostgreSQL, by a user who may not leave triggers alone', async () => {
  space = fixtureSpace('news');
  const server = await sharedPostgres();
  await server.createDatabase('testing_plain');
  await server.exec(
    'testing_plain',
    "DROP ROLE IF EXISTS plain_tester; CREATE ROLE plain_tester LOGIN CREATEDB PASSWORD 'plain'",
  );
  const url = urlOf(server, 'testing_plain', 'plain_tester', 'plain');
  const { status, stdout } = await space.run('test', '--database', url);
  expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
  expect(status).toBe(0);
});

test('the fixture news on MariaDB, and not without a server', async () => {
  space = fixtureSpace('news');
  for (const [file, name] of [
    ['config.mariadb.yaml', 'config.yaml'],
    ['schema.mariadb.sql', 'schema.sql'],
  ] as const)
    space.write(name, fixtureFile('news', file));
  const server = await sharedMariadb();
  await server.createDatabase('testing_news');
  const { status, stdout, stderr } = await space.run('test', '--database', urlOf(server, 'testing_news'));
  expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(
    await server.exec(
      'testing_news',
      "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'apikiln%'",
    ),
  ).toEqual([]);
  expect(await space.run('test')).toMatchObject({ status: 4 });
});

test('the types of columns on MariaDB are those of the schema, which is checked, and may be named', async () => {
  space = new Workspace();
  space.write('config.yaml', invoices);
  space.write('openapi.yaml', invoicesDescribed);
  space.write('tables.sql', 'CREATE TABLE invoice (id int PRIMARY KEY, net decimal(14, 2) NOT NULL);');
  space.write(
    'config.test.yaml',
    `tests:
  - name: digits
    rows: { invoice: [{ id: 1, net: 10.1 }] }
    request: GET /invoices
    response: { body: [{ id: 1, net: '10.10' }] }
`,
  );
  const server = await sharedMariadb();
  await server.createDatabase('testing_types');
  const args = ['--schema', 'tables.sql', '--database', urlOf(server, 'testing_types')];
  expect(await space.run('test', ...args)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('✓ digits') as string,
    stderr: '',
  });
  space.write('config.yaml', invoices.replace('SELECT id, net', 'SELECT id, nett'));
  expect(await space.run('test', ...args)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Unknown column 'nett'") as string,
  });
  const names = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'apikiln%'";
  expect(await server.exec('testing_types', names)).toEqual([]);
});

test('the search path of the URL is that of statements and seed, and not of the schema, on a server and embedded', async () => {
  space = fixtureSpace('news');
  const path = 'localhost/news?currentschema=app%2Cpublic';
  const config = fixtureFile('news', 'config.yaml');
  space.write('config.yaml', config.replace('${DB_HOST:localhost}:${DB_PORT:5432}/news', path));
  const schema = fixtureFile('news', 'schema.sql').replaceAll(/(CREATE TABLE|REFERENCES) /g, '$1 app.');
  const dumped = "SELECT pg_catalog.set_config('search_path', '', false);";
  space.write('schema.sql', `CREATE SCHEMA app;\nCREATE TABLE plain (id int);\n${schema}\n${dumped}`);
  // An unqualified name would resolve to this table if the search path were lost.
  const seed = 'CREATE TABLE public.news (id text);\nINSERT INTO public.plain VALUES (1);';
  space.write('seed.sql', `${fixtureFile('news', 'seed.sql')}\n${seed}`);
  const server = await sharedPostgres();
  await server.createDatabase('testing_path');
  expect(await space.run('check')).toMatchObject({ status: 0, stderr: 'config.yaml is fine.\n' });
  for (const args of [['--database', urlOf(server, 'testing_path')], []]) {
    const { status, stdout } = await space.run('test', ...args);
    expect(verdicts(stdout).filter((line) => !line.startsWith('✓'))).toEqual([]);
    expect(status).toBe(0);
  }
});

test('a user who may create no database, and a schema that the server refuses, are reported', async () => {
  space = fixtureSpace('news');
  const postgres = await sharedPostgres();
  await postgres.exec(
    'postgres',
    "DROP ROLE IF EXISTS no_maker; CREATE ROLE no_maker LOGIN PASSWORD 'plain'",
  );
  expect(
    await space.run('test', '--database', urlOf(postgres, 'postgres', 'no_maker', 'plain')),
  ).toMatchObject({
    status: 4,
    stderr: 'No temporary database can be created: permission denied to create database\n',
  });
  space.write('config.yaml', fixtureFile('news', 'config.mariadb.yaml'));
  space.write('schema.sql', 'CREATE TABLE news (id unknown_type);');
  const mariadb = await sharedMariadb();
  const names = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'apikiln%'";
  expect(await space.run('test', '--database', urlOf(mariadb, 'mysql'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('schema.sql: the server refuses a statement: ') as string,
  });
  expect(await mariadb.exec('mysql', names)).toEqual([]);
});

test('a wrong password is reported, on both kinds of servers', async () => {
  space = fixtureSpace('news');
  const postgres = await sharedPostgres();
  const refused = await space.run(
    'test',
    '--database',
    urlOf(postgres, 'postgres', 'nobody-here', 'hunter2'),
  );
  expect(refused.status).toBe(4);
  expect(refused.stderr).not.toContain('hunter2');
  space.write('config.yaml', fixtureFile('news', 'config.mariadb.yaml'));
  space.write('schema.sql', fixtureFile('news', 'schema.mariadb.sql'));
  const mariadb = await sharedMariadb();
  const { status, stderr } = await space.run(
    'test',
    '--database',
    urlOf(mariadb, 'mysql', mariadb.user, 'hunter2'),
  );
  expect({ status, stderr }).toEqual({
    status: 4,
    stderr: expect.stringMatching(
      /^The database .* cannot be asked: the user or the password is wrong, or the account asks for an encrypted connection\.\n$/,
    ) as string,
  });
});

const invoices = `specification: '1.0'
operations:
  'GET /invoices':
    fulfillments:
      - name: invoices
        type: READ
        datasource: db
        instructions:
          - query: SELECT id, net FROM invoice ORDER BY id
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(invoices, $)' }
datasources:
  db: { type: db, url: 'jdbc:mariadb://localhost/invoices' }
`;

const invoicesDescribed = `openapi: 3.0.3
info: { title: Invoices, version: '1' }
paths:
  /invoices:
    get:
      responses:
        '200':
          description: All invoices
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  required: [id, net]
                  properties: { id: { type: integer }, net: { type: string } }
`;

const twoDatabases = `specification: '1.0'
operations:
  'GET /people':
    fulfillments:
      - name: people
        type: READ
        datasource: crm
        instructions:
          - query: SELECT id FROM person ORDER BY id
      - name: sales
        type: READ
        datasource: shop
        instructions:
          - query: SELECT id FROM sale ORDER BY id
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema: { people: 'VALUE(people, $)', sales: 'VALUE(sales, $)' }
datasources:
  shop: { type: db, url: 'jdbc:postgresql://localhost:5432/shop' }
  crm: { type: db, url: 'jdbc:mariadb://localhost:3306/crm' }
`;

test('of two databases one cannot be started: the command ends, and says which', async () => {
  space = new Workspace();
  space.write('config.yaml', twoDatabases);
  space.write('schema.shop.sql', 'CREATE TABLE sale (id integer PRIMARY KEY);');
  space.write('config.test.yaml', 'tests: [{ name: all, request: GET /people }]');
  const mariadb = await sharedMariadb();
  const tool = await builtTool();
  const run = (...args: string[]): Promise<{ status: number | null; stderr: string }> =>
    new Promise((resolve) => {
      const options = { cwd: space?.folder, timeout: 60_000, killSignal: 'SIGKILL' } as const;
      const child = execFile(
        process.execPath,
        [tool, 'test', ...args],
        options,
        (_error, _stdout, stderr) => {
          resolve({ status: child.exitCode, stderr });
        },
      );
    });
  const without = await run();
  expect(without.stderr).toContain("'crm' is a MySQL or MariaDB database");
  expect(without.stderr).toContain('--database crm=mysql://user@localhost/');
  expect(without.status).toBe(4);
  const refused = await run('--database', `crm=${urlOf(mariadb, 'mysql', mariadb.user, 'hunter2')}`);
  expect(refused.stderr).toContain('the user or the password is wrong');
  expect(refused.status).toBe(4);
});
