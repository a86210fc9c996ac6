/** Names of result columns, derived from the text of a statement alone: known names equal those returned by the server. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeText } from '../../compiler/read/source.js';
import type { Dialect } from '../../compiler/read/sql/dialect.js';
import { resultColumnsOf, type ResultColumns } from '../../compiler/read/sql/facts/result-columns.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { read } from './reading.js';

const create =
  'CREATE TABLE item (id int PRIMARY KEY, title varchar(20), amount int, made timestamp, minus int)';

function described(sql: string, dialect: Dialect): ResultColumns | undefined {
  const use = /^(?:INSERT|UPDATE|DELETE)/.test(sql) ? 'UPDATE' : 'READ';
  const { statement } = read(`${dialect} ${use}`, wholeText('query', sql));
  if (statement === undefined) throw new Error(`This cannot be read: ${sql}`);
  return resultColumnsOf(statement);
}

/** Accepted by both databases; the second element is the number of known names. */
const common: readonly (readonly [sql: string, named: number])[] = [
  ['SELECT id, title, amount FROM item', 3],
  ['SELECT i.id, i.title AS headline, amount number FROM item i', 3],
  ['SELECT DISTINCT id, title FROM item ORDER BY id', 2],
  ['SELECT id, value FROM (SELECT id, amount AS value FROM item) AS few', 2],
  ['SELECT id, minus, title FROM item', 3],
  [
    'SELECT id * amount total, - item.id negative, 2 * amount twice, id > 1 AND amount < 2 both_ FROM item',
    4,
  ],
  ["SELECT id, 'a' word, id + (SELECT 1) AS sum, NOT (id > 1) few FROM item", 4],
  ["SELECT 1 AS one, 'a' AS two, NULL AS three", 3],
  ['SELECT CASE WHEN id > 1 THEN 2 ELSE 3 END kind, (SELECT max(id) FROM item) AS most FROM item', 2],
  ['SELECT id FROM item UNION ALL SELECT amount FROM item', 1],
  ['WITH x AS (SELECT 1 AS a, 2 AS b) SELECT a, b AS c FROM x', 2],
  ['SELECT EXTRACT(year FROM made) AS y, coalesce(title, id) AS t FROM item', 2],
  ['(SELECT id AS first FROM item) UNION (SELECT 2)', 1],
];

const ofPostgres: readonly (readonly [sql: string, named: number])[] = [
  ['SELECT ID, "title", Title AS "Head Line", amount::bigint, made::date AS d FROM item', 5],
  ['SELECT count(*), max(id), lower(title), coalesce(title, title) FROM item GROUP BY title', 4],
  [
    'SELECT rank() OVER (ORDER BY id), count(*) FILTER (WHERE id > 1), pg_catalog.upper(title) FROM item GROUP BY id, title',
    3,
  ],
  ['SELECT id + 1, title || title, -id, NOT (id > 1), id IS NULL, id > 1 AND amount < 2 FROM item', 0],
  [
    'SELECT CASE WHEN id > 1 THEN title END, ARRAY[1, 2], now(), current_date, trim(title), (id) FROM item',
    2,
  ],
  ['SELECT id IS DISTINCT FROM 5 AS differs, made AT TIME ZONE $$UTC$$ AS at FROM item', 2],
  ['SELECT DISTINCT ON (title) title, id FROM item', 2],
  ['SELECT amount::double precision, title::varchar(5), made::timestamp with time zone FROM item', 3],
  ['INSERT INTO item (id) VALUES (1) RETURNING id, title AS t, amount + 1 AS more', 3],
  ["UPDATE item SET title = 'x' RETURNING item.id, upper(title)", 2],
  ['DELETE FROM item RETURNING id', 1],
  ['SELECT title COLLATE "C", id::text COLLATE "C" AS c FROM item', 1],
  ['SELECT id lock, title procedure, amount minus FROM item', 3],
  [
    'SELECT mode() WITHIN GROUP (ORDER BY title) AS word, percentile_cont(0.5) WITHIN GROUP (ORDER BY id), max(id) FROM item',
    3,
  ],
  ["SELECT ARRAY[1, 2] list, @ id size, title || 'x' longer, now() - interval '1 day' since FROM item", 4],
  ['SELECT NOT id > 1, id + 1 IS NULL total, id = ANY (ARRAY[1])::text FROM item', 1],
  ["SELECT interval '1' day, id + 1 user FROM item", 1],
  ['SELECT id AS ÄB, id AS äB, id AS "ÄB" FROM item', 2],
  [`SELECT id AS ${'é'.repeat(32)}, id AS "${'b'.repeat(64)}", id AS ${'c'.repeat(63)} FROM item`, 1],
];

const ofMariadb: readonly (readonly [sql: string, named: number])[] = [
  ['SELECT `id`, item.`title`, COUNT(*) AS n FROM item GROUP BY id, title', 3],
  ["SELECT IF(id > 1, 'a', 'b') AS word, CONCAT(title, 'x') both_words FROM item", 2],
  ['SELECT STRAIGHT_JOIN id FROM item', 1],
  ['SELECT made + INTERVAL 1 DAY AS next, made + INTERVAL id MONTH later, BINARY title FROM item', 3],
  ["SELECT id DIV 2 half, title LIKE 'a' hit, id * 2 'two' FROM item", 3],
];

describe('PostgreSQL', () => {
  let client: pg.Client;
  beforeAll(async () => {
    const server = await sharedPostgres();
    await server.createDatabase('result_columns');
    const { host, port, user, password } = server;
    client = new pg.Client({ host, port, user, password, database: 'result_columns' });
    await client.connect();
    await client.query(create);
  });
  afterAll(() => client.end());

  test.each([...common, ...ofPostgres].filter(([sql]) => !sql.includes('coalesce(title, id)')))(
    '%s',
    async (sql, named) => {
      const { names = [] } = described(sql, 'postgresql') ?? {};
      const given = (await client.query(sql)).fields.map(({ name }) => name);
      expect(names.map((name, index) => name ?? given[index])).toEqual(given);
      expect(names.filter((name) => name !== undefined && name !== '?column?')).toHaveLength(named);
    },
  );
});

describe('MariaDB', () => {
  let connection: mysql.Connection;
  beforeAll(async () => {
    const server = await sharedMariadb();
    await server.createDatabase('result_columns');
    const { host, port, user, password } = server;
    connection = await mysql.createConnection({ host, port, user, password, database: 'result_columns' });
    await connection.query(create);
  });
  afterAll(() => connection.end());

  test.each([...common, ...ofMariadb])('%s', async (sql, named) => {
    const { names = [] } = described(sql, 'mysql') ?? {};
    const [, fields] = await connection.query(sql);
    const given = fields.map(({ name }) => name);
    expect(names).toHaveLength(given.length);
    const words = names.filter((name) => name !== undefined && /^[\w ]+$/.test(name) && given.includes(name));
    expect(words).toHaveLength(named);
  });
});

describe('nothing is concluded', () => {
  test.each(['SELECT * FROM item', 'SELECT i.*, 1 AS one FROM item i', 'SELECT i.* AS one FROM item i'])(
    'of %s',
    (sql) => {
      expect(described(sql, 'postgresql')?.isWhole).toBe(false);
    },
  );

  test('of a statement without a list', () => {
    expect(described('TABLE item', 'postgresql')).toBeUndefined();
    expect(described('DELETE FROM item', 'postgresql')).toBeUndefined();
  });
});
