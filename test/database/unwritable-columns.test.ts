/**
 * Changes that a database would always refuse are reported by `check`: writes to generated columns or views, and conflict targets without a
 * key.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askServer } from '../../compiler/analyze/database/ask-server.js';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { serverSettings } from '../../compiler/analyze/database/server-url.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { ServerChecks, urlOf } from './server-check.js';

const database = 'unwritable';
let server: AttachedServer;

beforeAll(async () => {
  server = await sharedMariadb();
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, k varchar(10) UNIQUE, up varchar(10) GENERATED ALWAYS AS (upper(k)) STORED,
      twice int AS (id * 2) VIRTUAL, hidden int INVISIBLE, n int);
    CREATE TABLE other (id int, k varchar(10), made timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, seen int DEFAULT (1 + 1));
    CREATE VIEW plain AS SELECT id, k, up AS upper_k, n FROM t;
    CREATE VIEW on_view AS SELECT v.id AS i, v.upper_k AS u FROM plain AS v;
    CREATE VIEW counted AS SELECT k, count(*) AS n FROM t GROUP BY k;
    CREATE VIEW calculated AS SELECT id, k, n + 1 AS next FROM t;
    CREATE VIEW nested AS SELECT c.id AS i, c.next AS j FROM calculated AS c;
    CREATE VIEW without_next AS SELECT c.id, c.k FROM calculated AS c;
    CREATE VIEW joined AS SELECT t.id, t.up, other.k FROM t JOIN other ON other.id = t.id;
    INSERT INTO t (k, n) VALUES ('a', 1); INSERT INTO other (id, k) VALUES (1, 'a')`,
  );
});

describe('MariaDB refuses it before it runs, and when it runs', () => {
  test.each([
    "INSERT INTO t (k, up) VALUES ('b', 'B')",
    "INSERT INTO t (k, n, UP) VALUES ('b', 1, DEFAULT), ('c', 1, 'C')",
    "REPLACE INTO t (k, `up`) VALUES ('b', 'B')",
    "INSERT INTO t SET k = 'b', twice = 3",
    "INSERT INTO t VALUES (NULL, 'b', 'B', DEFAULT, 1)",
    "INSERT INTO t (k, up) SELECT 'b', 'B'",
    "INSERT INTO t (k) VALUES ('a') ON DUPLICATE KEY UPDATE up = 'X'",
    "UPDATE t SET up = 'X' WHERE id = 1",
    "UPDATE t AS x SET x.up = 'X' WHERE x.id = 1",
    `UPDATE ${database}.t SET n = 2, twice = 4 WHERE id = 1`,
    "UPDATE t JOIN other ON other.id = t.id SET t.up = 'X'",
    "INSERT INTO plain (k, upper_k) VALUES ('b', 'B')",
    "UPDATE plain SET upper_k = 'X' WHERE id = 1",
    "UPDATE on_view SET u = 'X' WHERE i = 1",
    "UPDATE joined SET up = 'X' WHERE id = 1",
    "INSERT INTO counted (k) VALUES ('b')",
    "UPDATE counted SET k = 'b'",
    'DELETE FROM counted WHERE n = 1',
    'UPDATE calculated SET next = 2 WHERE id = 1',
    "INSERT INTO calculated (k, next) VALUES ('z', 1)",
    "INSERT INTO calculated VALUES (9, 'z', DEFAULT)",
    'UPDATE nested SET j = 2 WHERE i = 1',
    'DELETE FROM joined WHERE id = 1',
  ])('%s', async (text) => {
    expect(await refused(text)).toBe(true);
    await expect(server.exec(database, text)).rejects.toThrow();
  });
});

describe('MariaDB accepts it', () => {
  test.each([
    "INSERT INTO t (k, up) VALUES ('d', DEFAULT)",
    "INSERT INTO t (k, up, twice) VALUES ('e', NULL, NULL)",
    "INSERT INTO t VALUES (NULL, 'f', DEFAULT, DEFAULT, 1)",
    "INSERT IGNORE INTO t (k, up) VALUES ('g', 'G')",
    'INSERT INTO t (k) SELECT upper(up) FROM t WHERE id = 100',
    "UPDATE t SET n = n + 1, up = DEFAULT WHERE up = 'A'",
    'UPDATE t JOIN other ON other.id = t.id SET other.k = t.up',
    "INSERT INTO other (id, k, made, seen) VALUES (7, 'x', '2026-01-01', 1)",
    "INSERT INTO plain (k, n) VALUES ('h', 1)",
    "UPDATE plain SET n = 2 WHERE upper_k = 'A'",
    "UPDATE on_view SET i = i WHERE u = 'A'",
    "UPDATE calculated SET k = 'i' WHERE next = -1",
    "INSERT INTO calculated (k) VALUES ('z')",
    "INSERT INTO without_next (k) VALUES ('j')",
    "INSERT INTO t (k) VALUES ('a') ON DUPLICATE KEY UPDATE n = 3",
  ])('%s', async (text) => {
    expect(await refused(text)).toBe(false);
    await server.exec(database, text);
  });
});

test('the refusal says what to do, at the column', async () => {
  const text = "INSERT INTO plain (k, upper_k) VALUES ('b', 'B')";
  expect(await resultOf(text)).toEqual({
    refusal: {
      message: "'up' of 't' is a generated column, which takes no value",
      hint: "Leave 'up' out: the database computes it.",
      code: '1906',
      at: text.indexOf('upper_k'),
    },
  });
});

async function refused(text: string): Promise<boolean> {
  const result = await resultOf(text);
  return result !== undefined && 'refusal' in result;
}

async function resultOf(text: string) {
  const url = urlOf(server, 'mysql', database);
  const { settings } = serverSettings({ name: 'db', dialect: 'mysql', schema: undefined }, url, {});
  const { results } = await askServer('mysql', settings, [text], new DiskCache(undefined));
  return results.get(text);
}

describe('PostgreSQL', () => {
  const schema = `
    CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, k text UNIQUE, a int, b int, up text GENERATED ALWAYS AS (upper(k)) STORED, UNIQUE (b, a));
    CREATE TABLE free (id bigint GENERATED BY DEFAULT AS IDENTITY, k text, gone boolean);
    CREATE UNIQUE INDEX ON free (k) WHERE NOT gone;
    CREATE UNIQUE INDEX ON free (lower(k));
    CREATE VIEW plain AS SELECT id, k, up AS u FROM t;
    CREATE VIEW counted AS SELECT k, count(*) AS n FROM t GROUP BY k;
    CREATE VIEW calculated AS SELECT id, k, length(k) AS size FROM t;
    CREATE VIEW by_rule AS SELECT k, count(*) AS n FROM t GROUP BY k;
    CREATE RULE added AS ON INSERT TO by_rule DO INSTEAD INSERT INTO t (k) VALUES (NEW.k);
    CREATE MATERIALIZED VIEW kept AS SELECT id, k FROM t;`;
  const refusedOnes = [
    "INSERT INTO t (id, k) VALUES (7, 'b')",
    "INSERT INTO t VALUES (7, 'b')",
    "INSERT INTO t (k, up) VALUES ('b', 'B')",
    'UPDATE t SET id = 8',
    "UPDATE t SET up = 'X'",
    "INSERT INTO plain (k, u) VALUES ('b', 'B')",
    "UPDATE plain SET u = 'X'",
    "INSERT INTO counted (k) VALUES ('b')",
    "UPDATE counted SET k = 'b'",
    'DELETE FROM counted',
    'UPDATE calculated SET size = 1',
    "INSERT INTO calculated (k, size) VALUES ('b', 1)",
    "UPDATE by_rule SET k = 'b'",
    "INSERT INTO kept (id, k) VALUES (1, 'b')",
    "UPDATE kept SET k = 'b'",
    'DELETE FROM kept WHERE id = 1',
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT (up) DO NOTHING",
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT (a) DO UPDATE SET k = 'c' WHERE t.a = 1",
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT (k, a) DO NOTHING RETURNING id",
    "INSERT INTO free (k) VALUES ('b') ON CONFLICT (k) DO NOTHING",
    "INSERT INTO free (k) VALUES ('b') ON CONFLICT (id) DO UPDATE SET k = excluded.k",
  ];
  const acceptedOnes = [
    "INSERT INTO t (id, k) OVERRIDING SYSTEM VALUE VALUES (100, 'o')",
    "INSERT INTO t (id, k, up) VALUES (DEFAULT, 'p', DEFAULT)",
    'UPDATE t SET id = DEFAULT, up = DEFAULT WHERE a = 99',
    "INSERT INTO free (id, k, gone) VALUES (7, 'q', false)",
    "INSERT INTO plain (k) VALUES ('r')",
    "UPDATE calculated SET k = 's' WHERE size = 99",
    "INSERT INTO by_rule (k) VALUES ('t')",
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT (k) DO UPDATE SET k = excluded.k",
    'INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT (a, b) DO NOTHING',
    'INSERT INTO t (k) VALUES (\'b\') ON CONFLICT ("k") DO NOTHING',
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT DO NOTHING",
    "INSERT INTO t (k) VALUES ('b') ON CONFLICT ON CONSTRAINT t_k_key DO NOTHING",
    "INSERT INTO plain (k) VALUES ('b') ON CONFLICT (k) DO NOTHING",
    "INSERT INTO free (k, gone) VALUES ('q', false) ON CONFLICT (k) WHERE NOT gone DO NOTHING",
    "INSERT INTO free (k) VALUES ('q') ON CONFLICT (lower(k)) DO NOTHING",
    'UPDATE t SET a = 1 FROM kept WHERE kept.id = t.id AND t.id = -1',
  ];
  const all = [...refusedOnes, ...acceptedOnes];
  let postgres: AttachedServer;
  let checks: ServerChecks;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    await postgres.createDatabase(database);
    await postgres.exec(database, schema);
    checks = new ServerChecks();
    checks.write('schema.sql', schema);
  });

  afterAll(() => {
    checks.remove();
  });

  /** The statements refused by `check`. */
  async function found(...args: readonly string[]): Promise<string[]> {
    const singles = all.map((sql) => ({ sql, type: 'UPDATE' as const }));
    const { text } = await checks.check(singles, { shop: 'postgresql' }, ...args);
    const lines = [...text.matchAll(/^config\.yaml:(\d+):\d+: error .*\[sql-refused\]$/gm)];
    return lines.map(([, line]) => all[(Number(line) - 9) / 14] ?? `line ${line ?? ''}`);
  }

  test('refuses them before they run, embedded and on a server', async () => {
    expect(await found()).toEqual(refusedOnes);
    expect(await found('--database', urlOf(postgres, 'postgresql', database))).toEqual(refusedOnes);
  });

  test('refuses them when they run, and accepts the others', async () => {
    const connection = await postgres.connect(database);
    const results: string[] = [];
    for (const text of all)
      await connection.run(text).then(
        () => undefined,
        () => results.push(text),
      );
    await connection.end();
    expect(results).toEqual(refusedOnes);
  });
});
