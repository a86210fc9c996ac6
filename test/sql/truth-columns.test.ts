/** Columns that are boolean according to the text of a statement: on PostgreSQL their type is boolean, on MariaDB they are 1 and 0. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeText } from '../../compiler/read/source.js';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { read } from './reading.js';

const create = 'CREATE TABLE item (id int PRIMARY KEY, title varchar(20), amount int, done boolean)';
const rows = "INSERT INTO item VALUES (1, 'a', 1, TRUE), (2, 'b', NULL, NULL), (3, 'c', 7, FALSE)";

function truthsOf(sql: string, dialect: Dialect): readonly string[] {
  const { statement } = read(`${dialect} READ`, wholeText('query', sql));
  if (statement === undefined) throw new Error(`This cannot be read: ${sql}`);
  return [...statement.truths].sort();
}

/** Accepted by both databases, with the names of the boolean columns. */
const common: readonly (readonly [sql: string, ...truths: string[]])[] = [
  ['SELECT id, amount > 1 AS t, amount AS f FROM item', 't'],
  [
    'SELECT id = 1 AS a, id <> 1 AS b, id != 1 AS c, id <= 1 AS d, id >= 1 AS e FROM item',
    'a',
    'b',
    'c',
    'd',
    'e',
  ],
  ['SELECT amount IS NULL AS a, amount IS NOT NULL AS b, (id > 1) IS TRUE AS c FROM item', 'a', 'b', 'c'],
  [
    "SELECT id IN (1, 2) AS a, id NOT IN (1) AS b, title LIKE 'a%' AS c, title NOT LIKE 'a' AS d FROM item",
    'a',
    'b',
    'c',
    'd',
  ],
  ['SELECT id BETWEEN 1 AND 2 AS a, id NOT BETWEEN 1 AND 2 AS b FROM item', 'a', 'b'],
  ['SELECT EXISTS (SELECT 1 FROM item) AS a, NOT EXISTS (SELECT 1 FROM item) AS b', 'a', 'b'],
  ['SELECT NOT (id > 1) AS a, id > 1 AND id < 3 AS b, id > 1 OR id < 3 AS c FROM item', 'a', 'b', 'c'],
  ['SELECT ((id > 1)) AS a, TRUE AS b, FALSE AS c, NULL AS d, 1 AS e FROM item', 'a', 'b', 'c'],
  [
    'SELECT COALESCE(amount > 1, FALSE) AS a, NULLIF(id > 1, FALSE) AS b, COALESCE(amount, 1) AS c FROM item',
    'a',
    'b',
  ],
  [
    'SELECT CASE WHEN id > 1 THEN amount > 1 ELSE NULL END AS a, CASE WHEN id > 1 THEN 1 ELSE 0 END AS b FROM item',
    'a',
  ],
  ['SELECT id, (SELECT count(*) > 1 FROM item) AS a, (SELECT count(*) FROM item) AS b FROM item', 'a'],
  ['SELECT SUM(CASE WHEN id > 1 THEN 1 ELSE 0 END) AS few, COUNT(*) > 1 AS many FROM item', 'many'],
  ['SELECT d.*, d.id > 2 AS more FROM (SELECT id, id > 1 AS t FROM item) d', 't', 'more'],
  ['SELECT d.t AS a, d.id AS b, t FROM (SELECT id, id > 1 AS t FROM item) d', 'a', 't'],
  [
    'WITH w AS (SELECT id, id > 1 AS t FROM item), v AS (SELECT t AS u, id FROM w) SELECT v.u, w.* FROM v JOIN w ON v.id = w.id',
    'u',
    't',
  ],
  ['WITH w (a, b) AS (SELECT id, id > 1 FROM item) SELECT * FROM w', 'b'],
  ['SELECT id, id > 1 AS t FROM item UNION ALL SELECT amount, amount > 1 FROM item', 't'],
  ['SELECT id > 1 AS t FROM item UNION SELECT NULL', 't'],
  ['SELECT i.id, (SELECT o.id > i.id FROM item o WHERE o.id = 3) AS t FROM item i', 't'],
  ['SELECT LAG(id > 1) OVER (ORDER BY id) AS a, ROW_NUMBER() OVER (ORDER BY id) AS b FROM item', 'a'],
  ['SELECT COALESCE(done, FALSE) AS a, CASE WHEN id > 1 THEN done ELSE TRUE END AS b FROM item', 'a', 'b'],
  ['SELECT id > 1 AS t, id AS t FROM item'],
  [
    'WITH RECURSIVE w AS (SELECT 1 AS n, 1 > 2 AS t UNION ALL SELECT n + 1, n > 1 FROM w WHERE n < 3) SELECT n, t FROM w',
    't',
  ],
];

/** Accepted only by MySQL and MariaDB. */
const ofMysql: readonly (readonly [sql: string, ...truths: string[]])[] = [
  [
    'SELECT MAX(amount > 1) AS a, MIN(amount > 1) AS b, SUM(amount > 1) AS c, AVG(amount > 1) AS d FROM item',
    'a',
    'b',
  ],
  [
    'SELECT amount <=> NULL AS a, id > 1 XOR id < 3 AS b, ! id AS c, id > 1 && id < 3 AS d FROM item',
    'a',
    'b',
    'c',
    'd',
  ],
  ["SELECT title REGEXP 'a' AS a, title RLIKE 'a' AS b, title SOUNDS LIKE 'a' AS c FROM item", 'a', 'b', 'c'],
  [
    'SELECT IF(id > 1, amount > 1, 0) AS a, IF(id > 1, 1, 0) AS b, IFNULL(amount > 1, 0) AS c, ISNULL(amount) AS d, COALESCE(done, 0) AS e FROM item',
    'a',
    'c',
    'd',
  ],
  [
    "SELECT JSON_VALID('{}') AS a, JSON_CONTAINS('[1]', '1') AS b, GREATEST(id > 1, id > 2) AS c FROM item",
    'a',
    'b',
    'c',
  ],
  ['SELECT (amount > 1) + 0 AS a, CAST(amount > 1 AS SIGNED) AS b, -(amount > 1) AS c FROM item'],
  ['SELECT IF(id > 1, amount > 1, 5) AS a, IF(id > 1, amount > 1, amount) AS b FROM item'],
];

function optionsOf({ host, port, user, password }: AttachedServer): {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
} {
  return { host, port, user, password, database: 'truths' };
}

let postgresql: pg.Client;
let mariadb: mysql.Connection;

beforeAll(async () => {
  const [pgServer, mysqlServer] = await Promise.all([sharedPostgres(), sharedMariadb()]);
  await Promise.all([pgServer, mysqlServer].map((server) => server.createDatabase('truths')));
  for (const server of [pgServer, mysqlServer]) {
    await server.exec('truths', create);
    await server.exec('truths', rows);
  }
  postgresql = new pg.Client(optionsOf(pgServer));
  mariadb = await mysql.createConnection(optionsOf(mysqlServer));
  await postgresql.connect();
});

afterAll(async () => {
  await postgresql.end();
  await mariadb.end();
});

describe.each(common)('%s', (sql, ...truths) => {
  test('names the truths of both dialects', () => {
    expect(truthsOf(sql, 'postgresql')).toEqual([...truths].sort());
    expect(truthsOf(sql, 'mysql')).toEqual([...truths].sort());
  });

  test('they are the booleans of PostgreSQL', async () => {
    const { fields } = await postgresql.query(sql);
    const booleans = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID === 16]));
    expect([...booleans].flatMap(([name, isBoolean]) => (isBoolean ? [name] : [])).sort()).toEqual(
      [...truths].sort(),
    );
  });
});

describe.each([...common, ...ofMysql])('%s', (sql, ...truths) => {
  test('they are 1 and 0 on MariaDB', async () => {
    expect(truthsOf(sql, 'mysql')).toEqual([...truths].sort());
    const [found] = await mariadb.query<mysql.RowDataPacket[]>(sql);
    const values = found.flatMap((row) => truths.map((name) => row[name] as unknown));
    expect(values.filter((value) => value !== null && Number(value) !== 0 && Number(value) !== 1)).toEqual(
      [],
    );
  });
});
