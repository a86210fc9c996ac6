/** Batched reads of MariaDB loops: the same rows, errors and order as one by one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import type { StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { eachInUnion } from '../../../runtime/sql/each.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { expectAlike, loop, readsAtOnce, textsOf, type CountedReads, type Element } from './each-reads.js';
import { open, openMariadb } from './open-datasource.js';

/** Column types with sample values. */
const columns: Readonly<Record<string, readonly string[]>> = {
  'tinyint(1)': ['0', '1', '2'],
  'tinyint(4)': ['0', '-128'],
  'smallint unsigned': ['0', '65535'],
  'int(8) zerofill': ['42'],
  bigint: ['9007199254740993', '-5', '7'],
  'bigint unsigned': ['18446744073709551615', '7'],
  float: ['1.1', '16777217', '1e10'],
  'float(7,3)': ['1.25'],
  double: ['0.1', '1e22', '-0.0'],
  'double(10,2)': ['0.5'],
  'decimal(30,10)': ['12345678901234567890.1234567891', '1.50'],
  'decimal(10,2) unsigned zerofill': ['7.5'],
  year: ['2024'],
  date: ["'2020-02-29'", "'0000-00-00'"],
  'time(3)': ["'-01:00:00.120'"],
  datetime: ["'2020-01-01 10:00:00'", "'0000-00-00 00:00:00'"],
  'datetime(6)': ["'2020-01-01 10:00:00.120000'"],
  'timestamp(3) null': ["'2020-01-01 10:00:00.5'"],
  'char(10)': ["'ab '", "'é'"],
  'varchar(300)': ["'x '", "'😀'", "''"],
  'varchar(20) character set latin1': ["'é'"],
  'varchar(20) collate utf8mb4_bin': ["'É'"],
  tinytext: ["'t'"],
  text: ["repeat('z', 6553)", "'x'"],
  longtext: ["repeat('w', 10000)"],
  'binary(3)': ["'ab'"],
  blob: ["x'c328'"],
  'bit(1)': ["b'1'", "b'0'"],
  'bit(12)': ["b'101'"],
  "enum('sad', 'glad')": ["'sad'"],
  "set('a', 'b')": ["'a,b'", "''"],
  json: ['\'{"a": 1.0}\'', "'[]'"],
  inet6: ["'::1'"],
  uuid: ["'00000000-0000-0000-0000-000000000007'"],
};

let datasource: DatabaseDatasource;
let execute: (sql: string) => Promise<unknown>;

beforeAll(async () => {
  const { server, ...opened } = await openMariadb('each');
  ({ datasource } = opened);
  execute = (sql) => server.exec('each', sql);
  const types = Object.entries(columns);
  const random = new Random(5);
  const rows = Array.from({ length: 60 }, (_, index) => [
    ...[String(index), String(index % 9)],
    ...types.map(([, values]) => (random.chance(20) ? 'null' : random.pick(values))),
  ]);
  // Otherwise the server would recalculate statistics a few seconds later, and might return unordered rows in a different order.
  await execute(`set sql_mode = '';
    create table sample (id int primary key, k int, ${types.map(([type], index) => `c${index} ${type}`).join(', ')}, index (k));
    insert into sample values ${rows.map((row) => `(${row.join(', ')})`).join(', ')};
    create table author (id int primary key, name varchar(50), code varchar(9), big bigint, share decimal(9,2));
    insert into author select seq, concat('Author ', seq), concat('c', seq % 7), seq * 10000000000, seq from seq_1_to_60;
    insert into author (id) values (0);
    create table book (id int primary key, author_id int, title varchar(50), place int, index (author_id));
    insert into book select seq, seq % 50, concat('Title "', seq, '"'), seq % 3 from seq_1_to_200;
    analyze table sample, author, book;`);
});

afterAll(() => datasource.close(performance.now()));

/** A batched statement as in a service. */
function reads(
  query: string,
  { on = datasource, ...more }: Partial<StatementDefinition> & { readonly on?: DatabaseDatasource } = {},
): CountedReads {
  return readsAtOnce(eachInUnion, on, textsOf('mysql', query), more);
}

const text = ':[PARAM(a)]';

/** Enough for a busy machine, in milliseconds. */
const longTime = 60_000;

function key(random: Random): Json {
  return random.chance(10) ? null : random.chance(10) ? String(random.below(60)) : random.below(60);
}

const statements: readonly (readonly [query: string, valuesOf: (random: Random) => Element])[] = [
  [`SELECT name FROM author WHERE id = ${text}`, (random) => [key(random)]],
  [`SELECT * FROM author WHERE id = ${text} ORDER BY id`, (random) => [key(random)]],
  [`SELECT id, title, title FROM book WHERE author_id = ${text} ORDER BY id DESC`, (random) => [key(random)]],
  [`SELECT id, title FROM book WHERE author_id = ${text} ORDER BY 2 DESC LIMIT 2`, (random) => [key(random)]],
  [`SELECT id, title FROM book WHERE author_id = ${text} ORDER BY id LIMIT 1, 2`, (random) => [key(random)]],
  [`SELECT place, id FROM book WHERE author_id = ${text} ORDER BY place DESC, id`, (random) => [key(random)]],
  [
    `SELECT a.name, b.title FROM author a LEFT JOIN book b ON b.author_id = a.id AND b.id > ${text} WHERE a.id = :[PARAM(b)] ORDER BY b.id`,
    (random) => [random.below(200), key(random)],
  ],
  [
    `SELECT id FROM author WHERE code = ${text} ORDER BY id`,
    (random) => [random.chance(20) ? 'C1 ' : `c${random.below(9)}`],
  ],
  [
    `SELECT id FROM author WHERE big = ${text}`,
    (random) => [random.chance(20) ? random.chance(50) : String(random.below(70) * 10_000_000_000)],
  ],
  [
    `SELECT id FROM author WHERE share = ${text} OR id = ${text}`,
    (random) => [random.below(60), key(random)],
  ],
  [
    `SELECT name FROM author WHERE EXISTS (SELECT 1 FROM book WHERE author_id = author.id AND book.id = ${text}) ORDER BY id`,
    (random) => [random.below(220)],
  ],
  [
    `SELECT id FROM book WHERE author_id = ${text} AND length(concat(title, now())) > 3 ORDER BY length(title) DESC, -id`,
    (random) => [key(random)],
  ],
  [
    `SELECT b.*, b.title AS again FROM book b WHERE b.author_id = ${text} ORDER BY b.id`,
    (random) => [key(random)],
  ],
  // The order of these rows depends only on how the server finds them.
  [`SELECT id FROM book WHERE author_id = ${text}`, (random) => [key(random)]],
  [`SELECT id, place FROM book WHERE author_id > ${text} ORDER BY place`, (random) => [key(random)]],
  [`SELECT id FROM book WHERE author_id > ${text} ORDER BY place LIMIT 3`, (random) => [key(random)]],
  [`SELECT id FROM book WHERE author_id > ${text} LIMIT 4`, (random) => [key(random)]],
  [`SELECT id FROM book WHERE id < ${text} ORDER BY author_id DESC LIMIT 2, 3`, (random) => [key(random)]],
  [
    `SELECT b.id, a.* FROM author a, book b WHERE b.author_id = a.id AND a.code = ${text} ORDER BY a.code LIMIT 5;`,
    (random) => [`c${random.below(9)}`],
  ],
  [
    `SELECT \`id\`, book.\`title\` FROM book WHERE title LIKE ${text} ORDER BY title`,
    (random) => [`%${random.below(90)}"`],
  ],
];

test.each(statements)(
  '%s',
  async (query, valuesOf) => {
    const random = new Random(36);
    const { statement, elements } = reads(query);
    for (let round = 0; round < runs(1, 60); round += 1) {
      const all = Array.from({ length: random.below(100) }, () => valuesOf(random));
      expect(await expectAlike(statement, all)).toBeUndefined();
    }
    expect(elements()).toBeGreaterThan(0);
  },
  longTime,
);

/** Whether values of the type pass through a UNION unchanged. */
function isStored(type: string): boolean {
  return !/^bit|^tinyint|^enum|^set|^year|^date|^time|^(?:float|double)\(|zerofill$|^all/.test(type);
}

describe('columns of all types', () => {
  const names = Object.keys(columns).map((_, index) => `c${index}`);

  test.each([
    ...Object.entries(columns).map(([type], index) => ({ type, list: names[index] ?? '' })),
    { type: 'all of them', list: names.join(', ') },
  ])(
    '$type',
    async ({ type, list }) => {
      const query = `SELECT ${list} FROM sample WHERE k = ${text} ORDER BY id LIMIT 3`;
      const { statement, elements } = reads(query);
      const all = Array.from({ length: 40 }, (_, index): Element => [index % 11]);
      expect(await expectAlike(statement, all)).toBeUndefined();
      expect(elements() > 0).toBe(isStored(type));
    },
    longTime,
  );
});

test(
  'a statement that fails for one element ends the loop there',
  async () => {
    const { statement, elements } = reads(
      `SELECT id FROM author a WHERE a.id = ${text} AND (SELECT b.id FROM book b WHERE b.author_id = a.id AND a.id = 40) IS NULL`,
    );
    const all = Array.from({ length: 60 }, (_, index): Element => [index + 1]);
    expect(await expectAlike(statement, all)).toBeDefined();
    expect(elements()).toBeGreaterThan(0);
    expect(elements()).toBeLessThan(40);
  },
  longTime,
);

test(
  'an invalid value ends the loop when it reaches it',
  async () => {
    const { statement, elements } = reads(`SELECT id FROM author WHERE name = ${text}`);
    const all = Array.from({ length: 60 }, (_, index): Element => [
      index === 40 ? '\ud800' : `Author ${index}`,
    ]);
    expect(await expectAlike(statement, all)).toBeDefined();
    expect(elements()).toBe(32);
  },
  longTime,
);

test.each([[[1, 2]], ['x'.repeat(5_000)], [{ a: 1 }]])(
  'large values, and documents, such as %j, are sent one by one',
  async (value) => {
    const { statement, elements } = reads(`SELECT id FROM author WHERE name = ${text}`);
    expect(await expectAlike(statement, Array<Element>(9).fill([value]))).toBeUndefined();
    expect(elements()).toBe(0);
  },
);

test('in a transaction nothing is read together', () => {
  const { statement } = reads(`SELECT name FROM author WHERE id = ${text}`);
  const call = { ...testCall(), transaction: {} as never };
  const all = Array<Element>(9).fill([1]);
  expect(statement.each?.start(call, all, 0, (element) => element)).toBeUndefined();
});

test(
  'a loop that is left is not a failure: the next one reads together',
  async () => {
    const { statement, elements } = reads(`SELECT name FROM author WHERE id = ${text}`);
    const all = Array.from({ length: 64 }, (_, index): Element => [index]);
    for await (const [[id]] of readEach(statement, testCall(), all, (element) => element))
      if (id === 3) break;
    expect(elements()).toBe(16);
    expect(await expectAlike(statement, all)).toBeUndefined();
    expect(elements()).toBe(80);
  },
  longTime,
);

test(
  'a connection that is lost is no failure',
  async () => {
    const { statement, elements } = reads(`SELECT name FROM author WHERE id = ${text}`);
    const all = Array.from({ length: 160 }, (_, index): Element => [index]);
    await expectAlike(statement, all);
    const lost = elements();
    const found: unknown[] = [];
    for await (const [[id], rows] of readEach(statement, testCall(60_000), all, (element) => element)) {
      found.push(rows);
      if (Number(id) % 40 === 15) await endSessions();
    }
    expect(found).toEqual((await loop(statement, all))[0].map(([, rows]) => rows));
    expect(elements()).toBe(lost + 320);
  },
  longTime,
);

/** Ends all sessions of the datasource on the server. */
async function endSessions(): Promise<void> {
  await execute(`begin not atomic
    for one in (select id from information_schema.processlist where db = 'each' and id <> connection_id()) do
      kill one.id;
    end for;
  end`);
}

const views = { merge: 'algorithm = merge', table: 'algorithm = temptable' };

test.each(
  Object.values(views).flatMap((algorithm) =>
    ['share', 'half', 'doubled', 'text', 'own', '*'].map((column) => [column, algorithm]),
  ),
)(
  'the column %s of a view (%s) is read one by one',
  async (column, algorithm) => {
    await execute(`create or replace ${algorithm} view author_view as
      select id, share, share / 3 as half, cast(big as double) * 1.1 as doubled, json_loose(concat('[', id, ',', id, ']')) as text, name as own from author`);
    const { statement, elements } = reads(`SELECT ${column} FROM author_view WHERE id = ${text}`);
    const all = Array.from({ length: 40 }, (_, index): Element => [index]);
    expect(await expectAlike(statement, all)).toBeUndefined();
    expect(elements()).toBe(0);
  },
  longTime,
);

test(
  'a table next to views is read together, and a view is read one by one whatever the tables are called',
  async () => {
    await execute(`create or replace view NAMED as select id, share / 3 as share from author;
    create or replace table named (id int, share decimal(9,2)); insert into named select id, share from author`);
    const all = Array.from({ length: 40 }, (_, index): Element => [index]);
    const table = reads(`SELECT share FROM named WHERE id = ${text}`);
    const view = reads(`SELECT share FROM NAMED WHERE id = ${text}`);
    expect(await expectAlike(table.statement, all)).toBeUndefined();
    expect(await expectAlike(view.statement, all)).toBeUndefined();
    expect([table.elements(), view.elements()]).toEqual([40, 0]);
  },
  longTime,
);

test(
  'columns that the server spells in another letter case have their names',
  async () => {
    await execute(
      'create table spelled (ID int primary key, PLACE int); insert into spelled values (1, 7), (2, 8)',
    );
    const { statement, elements } = reads(`SELECT * FROM spelled WHERE id = ${text}`, {
      columnNames: ['id', 'place'],
    });
    const all = Array.from({ length: 20 }, (_, index): Element => [index % 3]);
    expect(await expectAlike(statement, all)).toBeUndefined();
    expect(elements()).toBeGreaterThan(0);
  },
  longTime,
);

describe('on a server with other settings', () => {
  let own: DatabaseServer;
  let other: DatabaseDatasource;

  beforeAll(async () => {
    own = await startMariadb();
    await own.createDatabase('each');
    await own.exec(
      'each',
      `create table sample (id int primary key, k int, day date, at datetime, code char(9), note text, amount decimal(9,4), share float, index (k));
      set sql_mode = '';
      insert into sample select seq, seq % 30, if(seq % 4 = 0, '0000-00-00', '2020-01-00'), '0000-00-00 00:00:00', 'ab', 'x ', seq / 7, seq / 3 from seq_1_to_90`,
    );
  });

  afterAll(() => own.stop());
  afterEach(() => other.close(performance.now() + 1_000));

  async function expectAlikeWith(setting: string, columns: string, isAtOnce: boolean): Promise<void> {
    await own.exec('each', setting);
    other = open(mysql({ name: 'testdb' }), own, 'each');
    const query = `SELECT ${columns} FROM sample WHERE k = ${text} ORDER BY id DESC`;
    const { statement, elements } = reads(query, { on: other });
    const all = Array.from({ length: 40 }, (_, index): Element => [index % 31]);
    expect(await expectAlike(statement, all)).toBeUndefined();
    expect(elements() > 0).toBe(isAtOnce);
  }

  const strict = "set global sql_mode = 'TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH,ONLY_FULL_GROUP_BY'";

  test('values that its sql_mode rejects are those that are there', () =>
    expectAlikeWith(strict, '*', false));

  test('texts and numbers are the same with any sql_mode', () =>
    expectAlikeWith(strict, 'id, code, note, amount, share', true));

  test('each read has as many rows as sql_select_limit leaves', () =>
    expectAlikeWith('set global sql_select_limit = 2', 'id, code', false));

  test('a server that keeps one prepared statement has room for one after the other', () =>
    expectAlikeWith(
      'set global sql_select_limit = default, global max_prepared_stmt_count = 1',
      'id, code',
      true,
    ));
});

test.each([
  'SELECT :[PARAM(a)] AS a',
  'SELECT id FROM author WHERE id = abs(:[PARAM(a)])',
  'SELECT id FROM author LIMIT :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] LIMIT :[PARAM(b)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND rand() < 2',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND sleep(0) = 0',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND own(id) = 0',
  "SELECT id FROM author WHERE id = :[PARAM(a)] AND get_lock('a', 0) = 1",
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND nextval(s) > 0',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND NEXT VALUE FOR s > 0',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND last_insert_id() = 0',
  'SELECT id, uuid() AS k FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] FOR UPDATE',
  'SELECT id FROM author WHERE id = :[PARAM(a)] FOR UPDATE SKIP LOCKED',
  'SELECT id FROM author WHERE id = :[PARAM(a)] LOCK IN SHARE MODE',
  'SELECT id FROM author WHERE id = :[PARAM(a)] INTO @a',
  'SELECT id, @a := id AS b FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND @a = 1',
  'SELECT id FROM author WHERE id = :[PARAM(a)] AND @@sql_select_limit > 1',
  'SELECT id FROM author WHERE id = :[PARAM(a)] UNION ALL SELECT 1',
  '(SELECT id FROM author WHERE id = :[PARAM(a)] ORDER BY id)',
  'WITH one AS (SELECT id FROM author WHERE id = :[PARAM(a)]) SELECT * FROM one',
  'SELECT SQL_CALC_FOUND_ROWS id FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] -- all',
  'SELECT /*! HIGH_PRIORITY */ id FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author',
  'SELECT DISTINCT id FROM author WHERE id = :[PARAM(a)]',
  'SELECT count(*) FROM author WHERE id = :[PARAM(a)]',
  'SELECT id + 1 AS id FROM author WHERE id = :[PARAM(a)]',
  'SELECT id, (SELECT 1) AS one FROM author WHERE id = :[PARAM(a)]',
  "SELECT id, 'x' AS x FROM author WHERE id = :[PARAM(a)]",
  'SELECT id, NULL AS x FROM author WHERE id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] GROUP BY id',
  'SELECT own.id FROM (SELECT id / 3 AS id FROM author) AS own WHERE own.id = :[PARAM(a)]',
  'SELECT id FROM author WHERE id = :[PARAM(a)] LIMIT ROWS EXAMINED 10',
  'SELECT id FROM author WHERE id > :[PARAM(a)] AND rownum() < 3',
])('%s runs for each element by itself', (query) => {
  expect(textsOf('mysql', query).each).toBeUndefined();
});

test('the text for one of several elements', () => {
  expect(textsOf('mysql', 'SELECT a, b FROM t WHERE c = :[PARAM(a)] ORDER BY a').each).toBe(
    'SELECT a, b, CAST(? AS SIGNED) AS place FROM t WHERE c = ? ORDER BY a LIMIT 18446744073709551615',
  );
});
