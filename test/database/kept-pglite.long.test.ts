/** An embedded PostgreSQL that tests reuse behaves like a new one: objects left by a schema are removed, or another instance is used. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { openEmbedded } from '../../compiler/analyze/database/embedded/embedded-postgres.js';
import { startEmbeddedDatabase } from '../../compiler/tools/local/embedded-database.js';
import { forgetKept } from '../helpers/kept-pglite.js';

type Database = Awaited<ReturnType<typeof openEmbedded>>;

const open = (): Promise<Database> => openEmbedded([], DiskCache.ofUser('schemas', process.env));

/** State that a schema or a session can change, read from the system catalogs. */
const state = `
  SELECT 'relation ' || oid::regclass::text AS what FROM pg_class WHERE oid >= 16384
  UNION ALL SELECT 'type ' || oid::regtype::text FROM pg_type WHERE oid >= 16384
  UNION ALL SELECT 'function ' || oid::regprocedure::text FROM pg_proc WHERE oid >= 16384
  UNION ALL SELECT 'cast ' || castsource::regtype::text FROM pg_cast WHERE oid >= 16384
  UNION ALL SELECT 'role ' || rolname FROM pg_authid
  UNION ALL SELECT 'schema ' || nspname || coalesce(nspacl::text, '') FROM pg_namespace
  UNION ALL SELECT 'rights ' || oid::regclass::text || relacl::text FROM pg_class WHERE relacl IS NOT NULL
  UNION ALL SELECT 'setting ' || name || ' ' || setting FROM pg_settings WHERE source <> 'default'
  UNION ALL SELECT 'own setting ' || current_setting('app.tenant', true)
  UNION ALL SELECT 'of a role ' || setconfig::text FROM pg_db_role_setting
  UNION ALL SELECT 'statement ' || name FROM pg_prepared_statements
  UNION ALL SELECT 'channel ' || pg_listening_channels()
  UNION ALL SELECT 'object ' || count(*) FROM pg_largeobject_metadata
  UNION ALL SELECT 'user ' || session_user || ' ' || current_user
  ORDER BY 1`;

const stateOf = async (database: Database): Promise<readonly string[]> =>
  (await database.query<{ what: string }>(state)).rows.map(({ what }) => what);

/** The start time of the server, which identifies the instance. */
async function startOf(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ at: string }>('SELECT pg_postmaster_start_time()::text AS at');
  return rows[0]?.at;
}

let first: readonly string[];

beforeAll(async () => {
  await forgetKept();
  const database = await open();
  first = await stateOf(database);
  await database.close();
});

afterAll(forgetKept);

test.each([
  [
    'CREATE TABLE a (id serial PRIMARY KEY, b text); CREATE VIEW v AS SELECT b FROM a; COMMENT ON VIEW v IS $$x$$',
    true,
  ],
  [
    "CREATE TYPE mood AS ENUM ('calm'); CREATE FUNCTION f() RETURNS mood LANGUAGE sql AS $$ SELECT 'calm'::mood $$",
    true,
  ],
  [
    'CREATE ROLE joe; CREATE SCHEMA app AUTHORIZATION joe; CREATE TABLE app.a (id int); GRANT joe TO postgres',
    true,
  ],
  ["SET TimeZone TO 'Asia/Tokyo'; PREPARE one AS SELECT 1; LISTEN news", true],
  ['SET ROLE pg_monitor', true],
  ['BEGIN; CREATE TABLE half (id int)', true],
  ['DROP SCHEMA public CASCADE', true],
  ['ALTER SCHEMA public OWNER TO postgres; REVOKE ALL ON SCHEMA public FROM PUBLIC', true],
  ["SET app.tenant TO 'a'", false],
  ["SELECT set_config('app.' || 'tenant', 'a', false)", false],
  ["ALTER DATABASE postgres SET TimeZone TO 'Asia/Tokyo'", false],
  ['CREATE CAST (text AS point) WITH INOUT', false],
  ['GRANT SELECT ON pg_catalog.pg_authid TO PUBLIC', false],
  ['SELECT lo_create(0)', false],
])('%s', async (statement, isSame) => {
  const database = await open();
  const start = await startOf(database);
  await database.exec(statement);
  await database.close();
  const next = await open();
  expect(await stateOf(next)).toEqual(first);
  expect((await startOf(next)) === start).toBe(isSame);
  await next.close();
});

test.each([
  [
    "CREATE TABLE a (id int); CREATE TEMP TABLE b (id int); SET TimeZone TO 'Asia/Tokyo'; LISTEN news; BEGIN; SELECT 1",
    true,
  ],
  ["SELECT set_config('app.' || 'tenant', 'a', false)", false],
])('one that was a server, asked by a client: %s', async (statement, isSame) => {
  const before = await open();
  const start = await startOf(before);
  await before.close();
  const server = await startEmbeddedDatabase({ schema: [], seed: [] });
  const { url, user } = server.connection;
  const port = Number(/:(\d+)\//.exec(url)?.[1]);
  const client = new pg.Client({ host: '127.0.0.1', port, user, database: 'postgres' });
  await client.connect();
  await client.query(statement);
  await client.query('SELECT $1::int', [1]);
  await client.end();
  await server.stop();
  const next = await open();
  expect(await stateOf(next)).toEqual(first);
  expect((await startOf(next)) === start).toBe(isSame);
  await next.close();
});

test('a program of the run ends, although it has opened one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  try {
    writeFileSync(join(folder, 'config.yaml'), config);
    writeFileSync(join(folder, 'schema.sql'), 'CREATE TABLE news (id int PRIMARY KEY);');
    const { status, stderr } = spawnSync(process.execPath, [builtCli, 'check'], {
      cwd: folder,
      env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'config.yaml is fine.\n' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const builtCli = fileURLToPath(new URL('../../dist/tested/compiler/cli.js', import.meta.url));

const config = `specification: '1.0'
operations:
  'GET /news':
    fulfillments:
      - { name: news, type: READ, datasource: db, instructions: [{ query: SELECT id FROM news }] }
    responses:
      - { name: ok, default: true, statuscode: 200, schema: 'VALUE(news, $)' }
datasources:
  db: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

test('one that is closed answers nothing', async () => {
  const database = await open();
  await database.close();
  expect(() => database.exec('SELECT 1')).toThrow('PGlite is closed');
});
