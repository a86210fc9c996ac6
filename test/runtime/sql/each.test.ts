/** Reads of a loop that run for several elements at once: the same rows, errors and order as one by one (decisions 7.1). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wholeText } from '../../../compiler/read/source.js';
import { kindOfExpression } from '../../../compiler/read/sql/facts/value-kind.js';
import { textForEach } from '../../../compiler/read/sql/rewrite/for-each.js';
import { lowerSql } from '../../../compiler/read/sql/rewrite/lower.js';
import { renderSql } from '../../../compiler/read/sql/rewrite/render.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { eachOf } from '../../../runtime/sql/each.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import type { PassedValue } from '../../../runtime/sql/sql.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { read } from '../../sql/reading.js';
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

/** The statement as a service has it, and how often it was read at once. */
interface Prepared {
  readonly statement: Statement;
  readonly elements: () => number;
}

const busyMachine = { timeout: 60_000 };

const ids = Array.from({ length: 40 }, (_, index): Element => [index + 1]);

/** `query` is a text of the configuration; it has proved to be quick. */
async function prepared(query: string, value: Json, isAtOnce = true): Promise<Prepared> {
  const { statement: parsed } = read('postgresql READ', wholeText('query', query));
  const lowered = parsed && lowerSql(parsed, { kindOf: kindOfExpression, isResultRead: true });
  const sql = lowered && renderSql(lowered);
  const each = parsed && lowered && textForEach(parsed, lowered);
  if (lowered === undefined || sql === undefined || each === undefined)
    throw new Error(`not at once: ${query}`);
  const statement = eachOf(datasource, { operation: 'GET /x', fulfillment: 'x', sql, each });
  const values = lowered.bindings.map(() => value);
  const attempt = async (): Promise<boolean> => {
    await statement(testCall(), values);
    // On a busy machine it takes its time to be quick.
    if (!isAtOnce) return !statement.runner.latency.isUnknown;
    return (await statement.each?.start(testCall(), ids, 0, () => values)) !== undefined;
  };
  await expect.poll(attempt, busyMachine).toBe(true);
  let count = 0;
  const { each: own } = statement;
  if (own === undefined) throw new Error('none');
  const counted: Statement = Object.assign(
    (call: Call, passed?: readonly PassedValue[]) => statement(call, passed),
    {
      runner: statement.runner,
      each: {
        start: (...args: Parameters<typeof own.start>) => {
          const started = own.start(...args);
          return started?.then((rows) => {
            count += rows?.length ?? 0;
            return rows;
          });
        },
      } as typeof own,
    },
  );
  return { statement: counted, elements: () => count };
}

type Element = readonly Json[];

/** The elements with their rows, and the error behind the last of them. */
async function loop(
  statement: Statement,
  elements: readonly Element[],
  call = testCall(),
): Promise<readonly [(readonly [Element, Row[]])[], unknown]> {
  const found: (readonly [Element, Row[]])[] = [];
  try {
    for await (const one of readEach(statement, call, elements, (element) => element)) found.push(one);
  } catch (error) {
    return [found, error];
  }
  return [found, undefined];
}

function oneByOne({ runner }: Statement): Statement {
  return Object.assign(() => Promise.reject(new Error('nobody calls it')), { runner });
}

const text = ':[PARAM(a)]';

/** Statements with a value, or two, of an element, and values of it. */
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
  const { statement, elements } = await prepared(query, null);
  for (let round = 0; round < runs(5, 100); round += 1) {
    const all = Array.from({ length: random.below(300) }, () => valuesOf(random));
    const [rows, error] = await loop(statement, all);
    expect(error).toBeUndefined();
    expect(rows).toEqual((await loop(oneByOne(statement), all))[0]);
    expect(JSON.stringify(rows)).toBe(JSON.stringify((await loop(oneByOne(statement), all))[0]));
  }
  expect(elements()).toBeGreaterThan(0);
});

/** What a loop does without anything at once. */
async function expectAlike(query: string, elements: readonly Element[], isAtOnce = true): Promise<Prepared> {
  const call = testCall();
  const found = await prepared(query, 1, isAtOnce);
  const [rows, error] = await loop(found.statement, elements, call);
  const [expected, expectedError] = await loop(oneByOne(found.statement), elements, call);
  expect(rows).toEqual(expected);
  expect(String(error)).toBe(String(expectedError));
  return found;
}

test('an invalid value ends the loop when it reaches it', async () => {
  const many = [...ids, ...ids, ...ids, ...ids];
  const { elements } = await expectAlike('SELECT name FROM author WHERE id = :[PARAM(a)]', [
    ...many,
    ['x'],
    [1],
  ]);
  expect(elements()).toBeGreaterThan(0);
});

test('a statement that fails for one element ends the loop there', async () => {
  const query = 'SELECT 1 / (id - 40) AS one FROM author WHERE id = :[PARAM(a)]';
  const { elements } = await expectAlike(query, ids);
  // Later ones run one by one.
  expect(elements()).toBeLessThan(40);
});

test('values of other types run one by one', async () => {
  const { elements } = await expectAlike('SELECT id FROM author WHERE share = :[PARAM(a)]', ids, false);
  expect(elements()).toBe(0);
});

test.each([[[[1, 2]]], [[true]], [[{ a: 1 }]]])(
  'values that no list can have, such as %j, run one by one',
  async (element) => {
    const { elements } = await expectAlike(
      'SELECT id FROM author WHERE code = :[PARAM(a)]',
      Array<Element>(9).fill(element),
    );
    expect(elements()).toBe(0);
  },
);

test('a column that gets another type is no failure', async () => {
  await execute(
    'create table item (id int, name text); insert into item select i, i from generate_series(1, 9) i',
  );
  const { statement } = await prepared('SELECT name FROM item WHERE id = :[PARAM(a)]', 1);
  const [before] = await loop(statement, ids);
  await execute('alter table item alter id type text');
  const [after, error] = await loop(statement, ids);
  expect(error).toBeUndefined();
  expect(after).toEqual(before);
});

test('in a transaction nothing is read at once', async () => {
  const { statement, elements } = await prepared('SELECT name FROM author WHERE id = :[PARAM(a)]', 1);
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
  const { statement } = read('postgresql READ', wholeText('query', query));
  const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
  expect(lowered).toBeDefined();
  expect(statement && lowered && textForEach(statement, lowered)).toBeUndefined();
});

test('the text for several elements', () => {
  const { statement } = read(
    'postgresql READ',
    wholeText('query', 'SELECT a FROM t WHERE b = :[PARAM(b)] OR c = :[PARAM(c)]'),
  );
  const lowered = statement && lowerSql(statement, { kindOf: kindOfExpression, isResultRead: true });
  expect(statement && lowered && textForEach(statement, lowered))
    .toBe(`SELECT list.place, one.* FROM unnest($1, $2) WITH ORDINALITY AS list (value1, value2, place)
CROSS JOIN LATERAL (
  SELECT a FROM t WHERE b = list.value1 OR c = list.value2
  OFFSET 0
) AS one`);
});
