/** Columns as JSON values, regardless of the time zones of this process and of the server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { open, openMariadb, openPostgres, read, update, type TestDatasource } from './open-datasource.js';
import { postgres as postgresDatasource } from '../../../runtime/postgres/postgres.js';

const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'];
const ownZone = process.env['TZ'];

let postgres: TestDatasource;
let mariadb: TestDatasource;

beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([openPostgres('column_types'), openMariadb('column_types')]);
  await postgres.server.exec(
    'column_types',
    `create type mood as enum ('sad', 'so so', 'happy'); create domain percent as int check (value <= 100);
     create type pair as (a int, b text)`,
  );
});

afterAll(async () => {
  if (ownZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ownZone;
  await Promise.all([postgres, mariadb].map(({ datasource }) => datasource.close(performance.now() + 1000)));
});

/** SQL expressions and their JSON. */
const postgresCells: readonly (readonly [string, Json])[] = [
  ['1::smallint', 1],
  ['(-2147483648)::int', -2147483648],
  ['9007199254740991::bigint', 9007199254740991],
  ['9007199254740992::bigint', '9007199254740992'],
  ['(-9223372036854775808)::bigint', '-9223372036854775808'],
  ['count(*)', 1],
  ['123456789012345::numeric', 123456789012345],
  ['1234567890123456::numeric', '1234567890123456'],
  ['1.50::numeric(10,2)', 1.5],
  ['0.10000000000000000000::numeric', 0.1],
  ['0.00000000000000000001::numeric', 1e-20],
  ['0.12345678901234567::numeric', '0.12345678901234567'],
  ['-0.00::numeric', 0],
  ["'NaN'::numeric", null],
  ['1.1::real', 1.1],
  ['0.1::float8 + 0.2::float8', 0.30000000000000004],
  ["'NaN'::float8", null],
  ["'-Infinity'::real", null],
  ['true', true],
  ['false', false],
  ["'2024-03-31'::date", '2024-03-31'],
  ["'02:30:00.120'::time", '02:30:00.12'],
  ["'2024-03-31 02:30:00'::timestamp", '2024-03-31T02:30:00'],
  ["'2024-03-31 02:30:00.123400'::timestamp", '2024-03-31T02:30:00.1234'],
  ["'2024-03-31 02:30:00+02'::timestamptz", '2024-03-31T00:30:00Z'],
  ["'2024-03-31 02:30:00.5-03:30'::timestamptz", '2024-03-31T06:00:00.5Z'],
  ["'infinity'::timestamptz", 'infinity'],
  ["'1 day 02:03:04'::interval", '1 day 02:03:04'],
  [`'{"a": [1, 12345678901234567890], "__proto__": 1}'::json -> 'a'`, [1, '12345678901234567890']],
  [`'[1.5, null, "x"]'::jsonb`, [1.5, null, 'x']],
  ["'null'::jsonb", null],
  ["'\\x00ff10'::bytea", 'AP8Q'],
  ['array[1,2,null]::int[]', [1, 2, null]],
  [
    'array[[1,2],[3,4]]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["'{}'::text[]", []],
  [`array['a,b', 'c"d', 'e\\f', 'NULL', '', null]`, ['a,b', 'c"d', 'e\\f', 'NULL', '', null]],
  ["'[0:1]={5,6}'::int[]", [5, 6]],
  ["array['2024-03-31 02:30:00+02'::timestamptz]", ['2024-03-31T00:30:00Z']],
  ["array['sad', 'so so']::mood[]", ['sad', 'so so']],
  ['array[7]::percent[]', [7]],
  ["array['(1,2),(0,0)'::box, '(3,4),(0,0)'::box]", ['(1,2),(0,0)', '(3,4),(0,0)']],
  [`array['{"a":1}'::jsonb]`, [{ a: 1 }]],
  ["'1 2'::int2vector", '1 2'],
  ["'happy'::mood", 'happy'],
  ['7::percent', 7],
  ["row(1, 'x y')::pair", '(1,"x y")'],
  ["'[1,5)'::int4range", '[1,5)'],
  ["'0b1e8a2e-1111-4222-8333-444455556666'::uuid", '0b1e8a2e-1111-4222-8333-444455556666'],
  ["'10.0.0.1/8'::inet", '10.0.0.1/8'],
  ["B'0101'", '0101'],
  ["'a'::char(3)", 'a  '],
  ["'žluť 🐎'::text", 'žluť 🐎'],
  ['null::int', null],
];

const columns = `b boolean, t1 tinyint(1), t4 tinyint, tu tinyint unsigned, s smallint, m mediumint, i int, l bigint, lu bigint unsigned,
  d decimal(10,2), d30 decimal(30,20), f float, g double, b1 bit(1), b9 bit(9), y year, da date, ti time(3), dt datetime(6), ts timestamp(6) null,
  c char(3), vc varchar(20), tx text, e enum('sad','so so'), st set('a','b'), bi binary(3), vb varbinary(9), bl blob, j json, u uuid, i6 inet6`;

const mariadbRow = `(true, 5, 5, 255, -32768, 8388607, -2147483648, 9007199254740993, 18446744073709551615,
  1.50, 0.12345678901234567, 1.1, 0.30000000000000004, b'1', b'000000101', 2024, '2024-03-31', '-838:59:59.120', '2024-03-31 02:30:00.123400', '2024-03-31 02:30:00',
  'a', 'žluť 🐎', 'x', 'so so', 'a,b', x'00ff10', x'00ff10', x'00ff10', '{"a": 1}', '0b1e8a2e-1111-4222-8333-444455556666', '::1')`;

const mariadbExpected: Readonly<Record<string, Json>> = {
  ...{ b: true, t1: true, t4: 5, tu: 255, s: -32768, m: 8388607, i: -2147483648 },
  ...{ l: '9007199254740993', lu: '18446744073709551615', d: 1.5, d30: '0.12345678901234567000', f: 1.1 },
  ...{ g: 0.30000000000000004, b1: true, b9: '000000101', y: 2024, da: '2024-03-31', ti: '-838:59:59.12' },
  // The timestamp was sent in UTC, although the server's time zone is different.
  ...{
    dt: '2024-03-31T02:30:00.1234',
    ts: '2024-03-31T02:30:00Z',
    c: 'a',
    vc: 'žluť 🐎',
    tx: 'x',
    e: 'so so',
  },
  ...{ st: 'a,b', bi: 'AP8Q', vb: 'AP8Q', bl: 'AP8Q', j: { a: 1 } },
  ...{ u: '0b1e8a2e-1111-4222-8333-444455556666', i6: '::1' },
};

describe.each(zones)('TZ=%s', (zone) => {
  beforeAll(() => {
    process.env['TZ'] = zone;
  });

  test('PostgreSQL', async () => {
    const list = postgresCells.map(([expression], index) => `${expression} as c${index}`);
    const [row] = await read(postgres.datasource, `select ${list.join(', ')}`);
    const got = postgresCells.map(([expression], index) => [expression, row?.[`c${index}`]]);
    expect(got).toEqual(postgresCells);
  });

  test('PostgreSQL behind a pooler, which passes on nothing but the time zone and the form of dates', async () => {
    await postgres.server.exec(
      'column_types',
      "alter database column_types set timezone = 'America/St_Johns'",
    );
    await postgres.server.exec('column_types', 'alter database column_types set bytea_output = escape');
    const pooled = open(
      postgresDatasource({ name: 'pooled' }),
      postgres.server,
      'column_types',
      '?prepareThreshold=0',
    );
    try {
      const list = postgresCells.map(([expression], index) => `${expression} as c${index}`);
      const [row] = await read(pooled, `select ${list.join(', ')}`);
      for (const [index, [expression, expected]] of postgresCells.entries()) {
        expect([expression, row?.[`c${index}`]]).toEqual([expression, expected]);
      }
      expect(await read(pooled, "select current_setting('TimeZone') as zone")).toEqual([{ zone: 'UTC' }]);
    } finally {
      await pooled.close(performance.now() + 1000);
    }
  });

  test('MariaDB', async () => {
    await update(mariadb.datasource, 'drop table if exists types');
    await update(mariadb.datasource, `create table types (${columns})`);
    await update(mariadb.datasource, `insert into types values ${mariadbRow}`);
    expect(await read(mariadb.datasource, 'select * from types')).toEqual([mariadbExpected]);
  });

  test('a date-time is the same from both databases', async () => {
    const sql = "select cast('2024-07-01 12:00:00' as ";
    expect(await read(postgres.datasource, `${sql}timestamp) as at`)).toEqual([
      { at: '2024-07-01T12:00:00' },
    ]);
    expect(await read(mariadb.datasource, `${sql}datetime) as at`)).toEqual([{ at: '2024-07-01T12:00:00' }]);
  });
});

test('rows keep the order of the columns, of two with one name the last wins, and __proto__ is a name like others', async () => {
  const [row] = await read(postgres.datasource, `select 1 as b, 2 as a, 3 as b, 4 as "__proto__"`);
  expect(JSON.stringify(row)).toBe('{"b":3,"a":2,"__proto__":4}');
  expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
});

test('MariaDB: bits are bits, also sorted and as results of functions, which the server sends as numbers and digits', async () => {
  const run = (sql: string) => update(mariadb.datasource, sql);
  await run('create table bits (id int primary key, b1 bit(1), b8 bit(8), b64 bit(64))');
  await run(
    "insert into bits values (1, b'1', b'00110101', ~0), (2, b'0', b'101', 5), (3, null, null, null)",
  );
  const [one, five] = ['1'.repeat(64), '101'.padStart(64, '0')];
  const cases: readonly [string, Json][] = [
    ['select distinct b1 as v from bits order by b1', [null, false, true]],
    ['select distinct b8 as v from bits order by b8', [null, '00000101', '00110101']],
    ['select distinct b64 as v from bits order by b64', [null, five, one]],
    ['select max(b8) as v from bits', ['00110101']],
    ['select min(b8) as v from bits', ['00000101']],
    ['select max(b8) as v from bits group by id order by id', ['00110101', '00000101', null]],
    ['select max(b64) as v from bits', [one]],
    ['select if(id > 1, b8, b1) as v from bits order by id', ['00000001', '00000101', null]],
    ['select coalesce(b1, b8) as v from bits where id < 3 order by id', ['00000001', '00000000']],
    ['select first_value(b8) over (order by id) as v from bits limit 1', ['00110101']],
    [
      'select b8 as v from bits where id = 1 union all select b8 from bits where id = 2',
      ['00110101', '00000101'],
    ],
  ];
  for (const [sql, expected] of cases) {
    const rows = await read(mariadb.datasource, sql);
    expect([sql, rows.map(({ v }) => v)]).toEqual([sql, expected]);
  }
});

test('MariaDB: geometries are their bytes, the first time and every time', async () => {
  const select = "select st_geomfromtext('POINT(1 2)') as p";
  const point = [{ p: 'AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==' }];
  expect(await read(mariadb.datasource, select)).toEqual(point);
  expect(await read(mariadb.datasource, select)).toEqual(point);
});

test('UPDATE on MariaDB returns insert_id and affected_rows', async () => {
  const run = (sql: string) => update(mariadb.datasource, sql);
  await run('create table numbered (id bigint unsigned primary key auto_increment, n int)');
  expect(await run('insert into numbered (n) values (1)')).toEqual([{ insert_id: 1, affected_rows: 1 }]);
  expect(await run('update numbered set n = 1')).toEqual([{ insert_id: null, affected_rows: 1 }]);
  expect(await run('delete from numbered where id = 99')).toEqual([{ insert_id: null, affected_rows: 0 }]);
  expect(await run('insert into numbered (n) values (2), (3) returning id, n')).toEqual([
    { id: 2, n: 2 },
    { id: 3, n: 3 },
  ]);
  await run('alter table numbered auto_increment = 9007199254740993');
  expect(await run('insert into numbered (n) values (4)')).toEqual([
    { insert_id: '9007199254740993', affected_rows: 1 },
  ]);
  await run('alter table numbered auto_increment = 18446744073709551610');
  expect(await run('insert into numbered (n) values (5)')).toEqual([
    { insert_id: '18446744073709551610', affected_rows: 1 },
  ]);
});

test('UPDATE on PostgreSQL returns the rows of RETURNING, or none', async () => {
  await update(postgres.datasource, 'create table numbered (id int generated always as identity, n int)');
  const insert = 'insert into numbered (n) values ($1)';
  expect(await update(postgres.datasource, `${insert} returning *`, [5])).toEqual([{ id: 1, n: 5 }]);
  expect(await update(postgres.datasource, insert, [5])).toEqual([]);
});

test('a table that changes under a prepared statement does not break it', async () => {
  for (const { datasource } of [postgres, mariadb]) {
    await update(datasource, 'create table changing (a int)');
    await update(datasource, 'insert into changing values (1)');
    expect(await read(datasource, 'select * from changing')).toEqual([{ a: 1 }]);
    await update(datasource, 'alter table changing add b text');
    expect(await read(datasource, 'select * from changing')).toEqual([{ a: 1, b: null }]);
  }
});

test('PostgreSQL: a column that gets a wider type accepts wider values immediately', async () => {
  const { datasource } = postgres;
  const insert = 'insert into widening values ($1) returning n';
  await update(datasource, 'create table widening (n int)');
  await expect(update(datasource, insert, ['99999999999'])).rejects.toMatchObject({ status: 400 });
  await update(datasource, 'alter table widening alter n type bigint');
  expect(await update(datasource, insert, ['99999999999'])).toEqual([{ n: 99999999999 }]);
  expect(await read(datasource, 'select * from widening')).toEqual([{ n: 99999999999 }]);
});
