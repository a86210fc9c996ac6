/**
 * Every schema accepted by PostgreSQL loads: dumps and migrations that name roles, tablespaces and rows, whether or not they need a
 * transaction.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSchema } from '../../compiler/analyze/database/load-schema.js';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { askSchema } from '../../compiler/analyze/database/postgres-schema.js';
import { repository } from '../helpers/service-fixture.js';

let folder: string;
let files: DiskCache;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apikiln-load-'));
  files = new DiskCache(folder);
  // Creating a data folder takes seconds, so reuse the one cached by other tests.
  const data = DiskCache.ofUser('schemas', process.env).read('data');
  if (data !== undefined) files.write('data', data);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Loaded {
  /** `table(column, …)` for each table; functions are `name()`, because their bodies matter. */
  readonly tables: readonly string[];
  readonly errors: readonly string[];
}

/** Loads each text as a separate file. */
async function load(texts: readonly string[], searchPath?: string): Promise<Loaded> {
  const sources = texts.map((text, index) => ({ path: `${index + 1}.sql`, text }));
  const { tables, errors } = await askSchema(sources, ['SELECT 1'], { files, searchPath });
  return {
    // Only tables that statements can name without a schema.
    tables: tables
      .filter(({ schema }) => schema === undefined)
      .map(({ name, columns }) => `${name}(${columns.join(', ')})`),
    errors: errors.map(({ source, start, end, at = 0, message }) => {
      const text = source.text.slice(start + at, end).split('\n', 1)[0] ?? '';
      return `${source.path}: ${message} at ${text}`;
    }),
  };
}

/** A statement that fails in each file, so that the remaining statements run one by one. */
const wrong = 'CREATE INDEX ON a (nothing);';
const wrongOf = (file: number): string => `${file}.sql: column "nothing" does not exist at ${wrong}`;

describe('objects of a server in addition to databases', () => {
  test('roles of policies, schemas and privileges', async () => {
    const text = `
      CREATE SCHEMA own AUTHORIZATION "The Owner";
      CREATE TABLE a (id int, who text);
      ALTER TABLE a ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON a FOR SELECT TO authenticated, anon USING (who = CURRENT_USER);
      GRANT SELECT ON a TO web;
      ALTER DEFAULT PRIVILEGES FOR ROLE web GRANT SELECT ON TABLES TO anon;
      CREATE ROLE anon;
      CREATE VIEW v AS SELECT id FROM a WHERE has_table_privilege('reader', 'a', 'select');`;
    expect(await load([text])).toEqual({ tables: ['a(id, who)', 'v(id)'], errors: [] });
  });

  test('tablespaces', async () => {
    const text = `
      CREATE TABLESPACE fast LOCATION '/fast';
      SET default_tablespace = fast;
      CREATE TABLE a (id int PRIMARY KEY USING INDEX TABLESPACE "very fast", t text DEFAULT 'TABLESPACE x') TABLESPACE fast;
      CREATE INDEX CONCURRENTLY ON a (t) TABLESPACE fast;
      ALTER TABLE a SET TABLESPACE fast;`;
    expect(await load([text])).toEqual({ tables: ['a(id, t)'], errors: [] });
  });

  test('a tablespace that is asked for is not there', async () => {
    const { errors } = await load(["CREATE TABLE a (id int); SELECT pg_tablespace_size('fast');"]);
    expect(errors).toEqual([expect.stringMatching(/^1\.sql: tablespace "fast" does not exist/)]);
  });

  test('the search path of the database, except where the datasource has its own', async () => {
    const texts = [
      'ALTER DATABASE "My App" SET search_path TO app, public; CREATE SCHEMA app; CREATE TABLE app.a (id int);',
      'CREATE TABLE b (id int);',
    ];
    expect((await load(texts)).tables).toEqual(['a(id)', 'b(id)']);
    expect((await load(texts, 'public')).tables).toEqual(['b(id)']);
  });
});

describe('tables of migration tools', () => {
  test('are not there, and what is done with them is skipped; what is made of them is not', async () => {
    const text = `
      CREATE TABLE a (id int);
      DELETE FROM _sqlx_migrations WHERE version = 1;
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
      CREATE TRIGGER t BEFORE INSERT ON public.__diesel_schema_migrations EXECUTE FUNCTION f();
      ALTER TABLE schema_migrations ADD at date;
      CREATE TABLE b (id int);`;
    expect(await load([text])).toEqual({ tables: ['a(id)', 'b(id)', 'f()'], errors: [] });
    const view = 'CREATE VIEW v AS SELECT 1 FROM goose_db_version';
    expect((await load([view])).errors).toEqual([
      '1.sql: relation "goose_db_version" does not exist at goose_db_version',
    ]);
  });
});

describe('rows', () => {
  const copied = 'COPY a FROM stdin;\n1\n\\.\n';
  const table = 'CREATE TABLE a (id int PRIMARY KEY);\n';
  const other = 'CREATE TABLE b (a int REFERENCES a); INSERT INTO b VALUES (1);';

  test('of COPY are there for those that refer to them', async () => {
    const fine = { tables: ['a(id)', 'b(a)'], errors: [] };
    expect(await load([`${table}${copied}${other}`])).toEqual(fine);
    expect(
      await load([`${table}COPY public."a"\n  (id)\nFROM STDIN WITH (FORMAT csv);\r\n1\r\n\\.\r\n${other}`]),
    ).toEqual(fine);
    expect((await load([`${table}${wrong}\n${copied}${other}`])).errors).toEqual([wrongOf(1)]);
  });

  test('that psql reads from other files are nobody’s mistake', async () => {
    expect((await load([`${table}\\copy a FROM 'a.csv'\n${other}`])).errors).toEqual([]);
  });

  test('that are nowhere are', async () => {
    expect((await load([`${table}${other}`])).errors).toEqual([
      expect.stringMatching(/^1\.sql: insert or update on table "b" violates foreign key constraint/),
    ]);
  });
});

describe('transactions', () => {
  const table = 'CREATE TABLE a (id int);';

  test.each(['', wrong])('a file is one: LOCK, and SET LOCAL to its end; %s', async (also) => {
    const texts = [
      `CREATE SCHEMA app; SET LOCAL search_path TO app; CREATE TABLE a (id int); LOCK TABLE a; ${also}`,
      'CREATE TABLE b (id int)',
    ];
    const errors = also === '' ? [] : [wrongOf(1)];
    expect(await load(texts)).toEqual({ tables: ['b(id)'], errors });
    expect((await load(texts, 'app')).tables).toEqual(['a(id)']);
  });

  test('of the file itself', async () => {
    const text = `BEGIN; ${table} COMMIT; BEGIN; CREATE TABLE b (id int); ROLLBACK; START TRANSACTION; CREATE TABLE c (id int); END; ${wrong}`;
    expect(await load([text])).toEqual({ tables: ['a(id)', 'c(id)'], errors: [wrongOf(1)] });
  });

  test('a refused statement leaves the others, also in a transaction of the file', async () => {
    const text = `BEGIN; ${table} GRANT SELECT ON a TO nobody; ${wrong} CREATE TABLE b (id int); COMMIT`;
    expect(await load([text])).toEqual({ tables: ['a(id)', 'b(id)'], errors: [wrongOf(1)] });
  });

  test('savepoints of the file', async () => {
    const text = `BEGIN; ${table} SAVEPOINT s; CREATE TABLE b (id int); ROLLBACK TO SAVEPOINT s; CREATE TABLE c (id int); COMMIT`;
    expect(await load([text])).toEqual({ tables: ['a(id)', 'c(id)'], errors: [] });
    expect((await load([text.replace('COMMIT', wrong)])).errors).toEqual([wrongOf(1)]);
  });

  test('statements that run in none', async () => {
    const text = `${table}
      CREATE INDEX CONCURRENTLY ON a (id);
      CREATE TYPE mood AS ENUM ('calm');
      ALTER TYPE mood ADD VALUE 'wild';
      CREATE TABLE b (mood mood DEFAULT 'wild');
      CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$;
      CALL p();
      VACUUM a;
      ${wrong}`;
    expect(await load([text])).toEqual({ tables: ['a(id)', 'b(mood)', 'p()'], errors: [wrongOf(1)] });
  });

  test('a file without a last semicolon, with a comment at its end', async () => {
    expect(await load(['CREATE TABLE a (id int) -- the first', 'CREATE TABLE b (id int)'])).toEqual({
      tables: ['a(id)', 'b(id)'],
      errors: [],
    });
  });
});

test('a function whose body is statements', async () => {
  const text = `CREATE TABLE a (id int);
    CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END;
    CREATE VIEW v AS SELECT f() AS f;
    ${wrong}`;
  expect(await load([text])).toEqual({ tables: ['a(id)', 'f()', 'v(f)'], errors: [wrongOf(1)] });
});

test('the reference names the version that checks', async () => {
  const database = new PGlite();
  try {
    const { rows } = await database.query<{ server_version: string }>('show server_version');
    const [major = ''] = rows[0]?.server_version.split('.') ?? [];
    const page = readFileSync(join(repository, 'docs/reference/schemas.md'), 'utf8');
    expect(page).toContain(`embedded PostgreSQL ${major} (PGlite)`);
    expect(page).toContain(`that only PostgreSQL ${major} has`);
  } finally {
    await database.close();
  }
});

describe('large schemas', () => {
  /** The number of transactions used to run the statements. */
  async function transactionsOf(statements: readonly string[]): Promise<number> {
    const texts: string[] = [];
    const database = { close: () => Promise.resolve() };
    const run = (text: string): Promise<undefined> => {
      texts.push(text);
      return Promise.resolve(undefined);
    };
    const source = { path: 'schema.sql', text: statements.join(';\n') };
    const start = () => Promise.resolve(database);
    await loadSchema([source], start, () => ({ run }));
    return texts.filter((text) => text.startsWith('BEGIN')).length;
  }

  const tables = Array.from({ length: 1200 }, (_, index) => `CREATE TABLE t${index} (id int)`);

  test('a file that only creates and alters runs in several transactions', async () => {
    const dumped = ['SET lock_timeout = 0', "SELECT pg_catalog.set_config('search_path', '', false)"];
    expect(await transactionsOf(tables)).toBe(3);
    expect(await transactionsOf([...dumped, ...tables, 'ALTER TABLE t1 ADD PRIMARY KEY (id)'])).toBe(3);
    expect(await transactionsOf(tables.slice(0, 400))).toBe(1);
  });

  test.each([
    'INSERT INTO t1 VALUES (1)',
    'SET LOCAL search_path = other',
    'SET CONSTRAINTS ALL DEFERRED',
    "SELECT set_config('search_path', 'other', true)",
    'CREATE TEMPORARY TABLE made (id int) ON COMMIT DROP',
    'DO $$ BEGIN PERFORM 1; END $$',
  ])('one whose statements may depend on their transaction runs in one: %s', async (statement) => {
    expect(await transactionsOf([statement, ...tables])).toBe(1);
  });

  test('a transaction has room for the locks of many tables', async () => {
    const text = `SELECT pg_advisory_xact_lock(n) FROM generate_series(1, 30000) AS n; CREATE TABLE a (id int);`;
    expect(await load([text])).toEqual({ tables: ['a(id)'], errors: [] });
  });
});
