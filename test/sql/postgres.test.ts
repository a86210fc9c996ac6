/** SQL sent by the compiler to a PostgreSQL server returns the intended rows. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wholeText } from '../../compiler/read/source.js';
import { lowerSql } from '../../compiler/read/sql/rewrite/lower.js';
import { kindOfExpression } from '../../compiler/read/sql/facts/value-kind.js';
import { renderSql } from '../../compiler/read/sql/rewrite/render.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { read } from './reading.js';

let client: pg.Client;

beforeAll(async () => {
  const server = await sharedPostgres();
  const database = 'sql_texts';
  await server.createDatabase(database);
  const { host, port, user, password } = server;
  client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  await client.query(`
    CREATE TABLE item (id int PRIMARY KEY, t text, n numeric, at timestamp, d date, jb jsonb);
    CREATE TABLE sub (id int PRIMARY KEY, item_id int REFERENCES item, t text);
    INSERT INTO item VALUES (1, 'alpha', 1.5, '2024-01-01 10:00', '2024-01-01', '{"tags": ["a", "b"]}'),
                            (2, 'beta', 10, '2024-01-15 10:00', '2024-01-15', '["x", "y"]'),
                            (3, NULL, 9, '2024-02-01 10:00', '2024-02-01', '[]');
    INSERT INTO sub VALUES (1, 1, 'one'), (2, 1, 'two'), (3, 2, 'three');
  `);
});

afterAll(async () => {
  await client.end();
});

/** The rows of a statement whose parameters are bound as strings; its changes are rolled back. */
async function rowsOf(given: string, sql: string, values: Readonly<Record<string, string>>) {
  const { statement } = read(given, wholeText('query', sql));
  if (statement === undefined) throw new Error('The SQL has errors.');
  const lowered = lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
  const bound = lowered.bindings.map((binding) => {
    if (binding.kind === 'param') return values[binding.name];
    return 'value' in binding && typeof binding.value !== 'object' ? String(binding.value) : undefined;
  });
  await client.query('BEGIN');
  try {
    return (await client.query<Record<string, unknown>>(renderSql(lowered) ?? '', bound)).rows;
  } finally {
    await client.query('ROLLBACK');
  }
}

test.each([
  [
    'GROUP BY of the expression that is selected',
    'SELECT date_trunc(:[PARAM(unit)], at)::date::text AS at, count(*)::int AS n FROM item GROUP BY date_trunc(:[PARAM(unit)], at) ORDER BY 1',
    [
      { at: '2024-01-01', n: 2 },
      { at: '2024-02-01', n: 1 },
    ],
  ],
  [
    'GROUP BY of a part of what is selected, with a table before the column, and HAVING',
    "SELECT upper(coalesce(i.t, :[PARAM(none)])) AS t FROM item i GROUP BY i.id, coalesce(t, :[PARAM(none)]) HAVING coalesce(t, :[PARAM(none)]) <> 'beta' ORDER BY 1",
    [{ t: 'ALPHA' }, { t: 'NOBODY' }],
  ],
  [
    'SELECT DISTINCT with ORDER BY',
    'SELECT DISTINCT coalesce(t, :[PARAM(none)]) AS t FROM item ORDER BY coalesce(t, :[PARAM(none)]) DESC',
    [{ t: 'nobody' }, { t: 'beta' }, { t: 'alpha' }],
  ],
  [
    'DISTINCT ON',
    'SELECT DISTINCT ON (n > :[PARAM(five)]::int) id FROM item ORDER BY n > :[PARAM(five)]::int, id DESC',
    [{ id: 1 }, { id: 3 }],
  ],
  [
    'one parameter in two types elsewhere',
    'SELECT id FROM item WHERE id = :[PARAM(five)] OR t = :[PARAM(five)] ORDER BY id',
    [],
  ],
  [
    'a value of 64 bits, with a constant in place of a missing one',
    'SELECT id FROM item WHERE id > coalesce(:[PARAM(nothing)], 2) AND id < coalesce(:[PARAM(large)], 0) AND coalesce(:[PARAM(large)], 0) > n',
    [{ id: 3 }],
  ],
])('equal placeholders: %s', async (_name, sql, rows) => {
  const values = { unit: 'month', none: 'nobody', five: '5', large: '9007199254740993' };
  expect(await rowsOf('postgresql READ', sql, values)).toEqual(rows);
});

test.each([
  ["UPDATE item SET t = 'x' FROM sub WHERE sub.item_id = item.id AND sub.id = :[PARAM(sub)]"],
  ['UPDATE ONLY item AS "I" SET t = \'x\' FROM sub s WHERE s.item_id = "I".id AND s.id = :[PARAM(sub)]'],
  ["UPDATE public.item SET t = 'x' FROM public.sub WHERE sub.item_id = item.id AND sub.id = :[PARAM(sub)]"],
])('the rows of the changed table alone: %s', async (sql) => {
  const rows = await rowsOf('postgresql UPDATE', sql, { sub: '3' });
  expect(rows).toMatchObject([{ id: 2, t: 'x', n: '10' }]);
});

test('DELETE … USING returns the rows of the changed table', async () => {
  const sql = 'DELETE FROM sub s USING item WHERE s.item_id = item.id AND item.t = :[PARAM(t)]';
  expect(await rowsOf('postgresql UPDATE', sql, { t: 'beta' })).toEqual([{ id: 3, item_id: 2, t: 'three' }]);
});

test.each([
  ['SELECT :[INTEGER(7)] AS n, :[BOOLEAN(true)] AS b, :[TEXT(a)] AS t', [{ n: 7, b: true, t: 'a' }]],
  [
    'SELECT substring(t, :[INTEGER(2)], :[INTEGER(3)]) AS s FROM item WHERE id = :[INTEGER(1)]',
    [{ s: 'lph' }],
  ],
  ['SELECT substring(t from :[INTEGER(2)] for :[PARAM(five)]) AS s FROM item WHERE id = 1', [{ s: 'lpha' }]],
  ["SELECT jb -> 'tags' ->> :[INTEGER(1)] AS tag FROM item WHERE id = 1", [{ tag: 'b' }]],
  ['SELECT jb - :[INTEGER(0)] AS rest FROM item WHERE id = 2', [{ rest: ['y'] }]],
  ['SELECT (d - :[INTEGER(1)])::text AS d FROM item WHERE id = 1', [{ d: '2023-12-31' }]],
  ['SELECT greatest(:[PARAM(five)], :[INTEGER(10)]) AS n', [{ n: 10 }]],
  ['SELECT id FROM item WHERE :[PARAM(five)] < :[INTEGER(10)] ORDER BY id LIMIT 1', [{ id: 1 }]],
  [
    'SELECT id FROM item WHERE :[INTEGER(10)] BETWEEN :[INTEGER(9)] AND :[INTEGER(11)] AND id = 1',
    [{ id: 1 }],
  ],
  ['SELECT -:[INTEGER(1)] AS n, :[INTEGER(1)] + :[INTEGER(2)] AS m', [{ n: -1, m: 3 }]],
  [
    'WITH RECURSIVE t (n) AS (SELECT :[INTEGER(1)] UNION ALL SELECT n + :[INTEGER(1)] FROM t WHERE n < 3) SELECT n FROM t ORDER BY n',
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  ],
  ['SELECT i.id FROM item i JOIN (VALUES (:[INTEGER(2)], :[TEXT(x)])) v (id, t) ON v.id = i.id', [{ id: 2 }]],
  ["SELECT case :[INTEGER(1)] when 1 then 'one' end AS t", [{ t: 'one' }]],
  ['SELECT concat(:[INTEGER(1)], :[PARAM(five)]) AS t', [{ t: '15' }]],
  [
    'SELECT coalesce(:[PARAM(five)], :[INTEGER(1)]) AS n, coalesce(:[BOOLEAN(true)]) AS b',
    [{ n: 5, b: true }],
  ],
  [
    "SELECT coalesce(:[INTEGER(1)], 'none') AS t, coalesce(:[INTEGER(1)], t) AS u FROM item WHERE id = 1",
    [{ t: '1', u: '1' }],
  ],
  ['SELECT id FROM item ORDER BY id LIMIT coalesce(null, :[INTEGER(1)])', [{ id: 1 }]],
  ['SELECT case when id = 1 then :[INTEGER(10)] end AS n FROM item WHERE id = 1', [{ n: 10 }]],
  ['SELECT id FROM item WHERE id = ANY (ARRAY[:[PARAM(five)], :[INTEGER(2)]])', [{ id: 2 }]],
  [
    'SELECT round(:[DECIMAL(2.5)]) AS n, abs(:[DECIMAL(-1.5)]) AS a, +:[INTEGER(1)] AS p',
    [{ n: '3', a: '1.5', p: 1 }],
  ],
  ['SELECT (id / :[DECIMAL(0.5)])::int AS n FROM item WHERE id = 3', [{ n: 6 }]],
  ['SELECT (:[DECIMAL(2.5)] * 100)::int AS n', [{ n: 250 }]],
])('a value known to be a number is a number: %s', async (sql, rows) => {
  expect(await rowsOf('postgresql READ', sql, { five: '5' })).toEqual(rows);
});

test('values that an INSERT selects have the types of the columns', async () => {
  const sql = 'INSERT INTO item (id, t, n) SELECT :[INTEGER(9)], :[INTEGER(7)], :[DECIMAL(1.5)]';
  expect(await rowsOf('postgresql UPDATE', sql, {})).toMatchObject([{ id: 9, t: '7', n: '1.5' }]);
});
