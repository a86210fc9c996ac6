/** Batched reads of a loop: the same rows, errors and order as one by one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { eachOf } from '../../../runtime/sql/each.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { expectAlike, loop, readsAtOnce, textsOf, type CountedReads, type Element } from './each-reads.js';
import { openPostgres } from './open-datasource.js';

let datasource: DatabaseDatasource;
let execute: (sql: string) => Promise<unknown>;
beforeAll(async () => {
  const { server, ...opened } = await openPostgres('each');
  ({ datasource } = opened);
  execute = (sql) => server.exec('each', sql);
  await execute(
    `create table author (id int primary key, name text, code varchar(9), key uuid, big bigint, small smallint, share numeric);
     insert into author select i, 'Author ' || i, 'c' || i % 7, ('00000000-0000-0000-0000-00000000000' || i % 10)::uuid, i * 10000000000, i % 5, i
     from generate_series(1, 60) i;
     insert into author (id) values (0);
     create table book (id int primary key, author_id int, title text, list int);
     insert into book select i, i % 50, 'Title "' || i || '"', i % 3 from generate_series(1, 200) i;
     analyze author, book;`,
  );
});

afterAll(async () => {
  await datasource.close(performance.now());
});

const ids = Array.from({ length: 40 }, (_, index): Element => [index + 1]);

/** `query` is a query as in a configuration. */
function reads(query: string): CountedReads {
  return readsAtOnce(eachOf, datasource, textsOf('postgresql', query));
}

const text = ':[PARAM(a)]';

/** Statements with one or two values of an element, and random values for them. */
const statements: readonly (readonly [query: string, valuesOf: (random: Random) => Element])[] = [
  [`SELECT name FROM author WHERE id = ${text}`, (random) => [key(random)]],
  [`SELECT * FROM author WHERE id = ${text} ORDER BY id`, (random) => [key(random)]],
  [
    `SELECT id, title, title FROM book WHERE author_id = ${text} ORDER BY id DESC LIMIT 2`,
    (random) => [key(random)],
  ],
  [`SELECT title FROM book WHERE author_id = ${text}`, (random) => [key(random)]],
  [
    `SELECT id AS place, id AS value, 1 AS "10" FROM book WHERE author_id = ${text} ORDER BY 1`,
    (random) => [key(random)],
  ],
  [`SELECT count(*), max(title) FROM book WHERE author_id = ${text}`, (random) => [key(random)]],
  [
    `SELECT a.name, b.title FROM author a LEFT JOIN book b ON b.author_id = a.id AND b.id > ${text} WHERE a.id = :[PARAM(b)] ORDER BY b.id`,
    (random) => [random.below(200), key(random)],
  ],
  [
    `SELECT id FROM author WHERE code = ${text} ORDER BY id FETCH FIRST 3 ROWS ONLY`,
    (random) => [`c${random.below(9)}`],
  ],
  [
    `SELECT id FROM author WHERE key = ${text} ORDER BY id OFFSET 1`,
    (random) => [`00000000-0000-0000-0000-00000000000${random.below(10)}`],
  ],
  [`SELECT id FROM author WHERE big = ${text}`, (random) => [String(random.below(70) * 10_000_000_000)]],
  [
    `SELECT id FROM author WHERE small = ${text} OR (id < ${text} AND name IS NULL)`,
    (random) => [random.below(6), random.below(9)],
  ],
  [
    `WITH mine AS (SELECT id FROM book WHERE author_id = ${text}) SELECT id, (SELECT count(*) FROM mine) AS n FROM mine ORDER BY id`,
    (random) => [key(random)],
  ],
  [
    `SELECT id FROM book WHERE author_id = ${text} UNION ALL SELECT id FROM author WHERE id = ${text}`,
    (random) => [key(random), key(random)],
  ],
  [
    `SELECT DISTINCT list.list FROM book AS list WHERE list.author_id = ${text} ORDER BY 1 -- all`,
    (random) => [key(random)],
  ],
  [
    `SELECT name FROM author WHERE EXISTS (SELECT FROM book WHERE author_id = author.id AND book.id = ${text}) ORDER BY id`,
    (random) => [random.below(220)],
  ],
];

function key(random: Random): Json {
  return random.chance(10) ? null : random.chance(10) ? String(random.below(60)) : random.below(60);
}

test.each(statements)('%s', async (query, valuesOf) => {
  const random = new Random(36);
  const { statement, elements } = reads(query);
  for (let round = 0; round < runs(2, 100); round += 1) {
    const all = Array.from({ length: random.below(300) }, () => valuesOf(random));
    expect(await expectAlike(statement, all)).toBeUndefined();
  }
  expect(elements()).toBeGreaterThan(0);
});

test('an invalid value ends the loop when it reaches it', async () => {
  const many = [...ids, ...ids, ...ids, ...ids];
  const { statement, elements } = reads('SELECT name FROM author WHERE id = :[PARAM(a)]');
  expect(await expectAlike(statement, [...many, ['x'], [1]])).toBeDefined();
  expect(elements()).toBeGreaterThan(0);
});

test('a statement that fails for one element ends the loop there', async () => {
  const { statement, elements } = reads('SELECT 1 / (id - 40) AS one FROM author WHERE id = :[PARAM(a)]');
  expect(await expectAlike(statement, ids)).toBeDefined();
  // Later elements are read one by one.
  expect(elements()).toBeLessThan(40);
});

test('values of other types run one by one', async () => {
  const { statement, elements } = reads('SELECT id FROM author WHERE share = :[PARAM(a)]');
  expect(await expectAlike(statement, ids)).toBeUndefined();
  expect(elements()).toBe(0);
});

test.each([[[[1, 2]]], [[true]], [[{ a: 1 }]]])(
  'values that no list can have, such as %j, run one by one',
  async (element) => {
    const { statement, elements } = reads('SELECT id FROM author WHERE code = :[PARAM(a)]');
    await expectAlike(statement, Array<Element>(9).fill(element));
    expect(elements()).toBe(0);
  },
);

test('a column that gets another type is no failure', async () => {
  await execute(
    'create table item (id int, name text); insert into item select i, i from generate_series(1, 9) i',
  );
  const { statement } = reads('SELECT name FROM item WHERE id = :[PARAM(a)]');
  const [before] = await loop(statement, ids);
  await execute('alter table item alter id type text');
  const [after, error] = await loop(statement, ids);
  expect(error).toBeUndefined();
  expect(after).toEqual(before);
});

test('in a transaction nothing is read together', () => {
  const { statement, elements } = reads('SELECT name FROM author WHERE id = :[PARAM(a)]');
  const call = { ...testCall(), transaction: {} as never };
  expect(statement.each?.start(call, ids, 0, (element: Element) => element)).toBeUndefined();
  expect(elements()).toBe(0);
});

test.each([
  'SELECT :[PARAM(a)]::int AS a',
  'SELECT id FROM author WHERE id = abs(:[PARAM(a)])',
  'SELECT id FROM author LIMIT :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND random() < 2',
  'SELECT id, gen_random_uuid() AS key FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author TABLESAMPLE SYSTEM (50) WHERE id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] FOR UPDATE',
  'SELECT own(id) FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author',
  'SELECT id FROM author GROUP BY id HAVING id = :[PARAM(a)]',
])('%s runs for each element by itself', (query) => {
  expect(textsOf('postgresql', query).each).toBeUndefined();
});

test('the text for several elements', () => {
  expect(textsOf('postgresql', 'SELECT a FROM t WHERE b = :[PARAM(b)] OR c = :[PARAM(c)]').each)
    .toBe(`SELECT list.place, one.* FROM unnest($1, $2) WITH ORDINALITY AS list (value1, value2, place)
CROSS JOIN LATERAL (
  SELECT a FROM t WHERE b = list.value1 OR c = list.value2
  OFFSET 0
) AS one`);
});
