/** Values are bound, whatever they contain: no string in a value becomes SQL. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { typed } from '../../../runtime/mysql/number.js';
import { mysqlParameter } from '../../../runtime/mysql/parameter.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { inList, more, notInList } from '../../../runtime/sql/in-lists.js';
import { BoundNumber, sql, type SqlTemplate } from '../../../runtime/sql/sql-template.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { open, openMariadb, openPostgres, read, update, type TestDatasource } from './open-datasource.js';

let postgres: TestDatasource;
let mariadb: TestDatasource;
/** A private server, because sql_mode applies to all databases. */
let own: DatabaseServer;

beforeAll(async () => {
  [postgres, mariadb, own] = await Promise.all([
    openPostgres('binding'),
    openMariadb('binding'),
    startMariadb(),
  ]);
  await own.createDatabase('binding');
  const table = `create table account (id int primary key, name varchar(100), secret varchar(100));
    insert into account values (1, 'admin', 's1'), (2, 'O''Brien', 's2'), (3, null, 's3')`;
  await Promise.all([postgres.server, mariadb.server, own].map((server) => server.exec('binding', table)));
});

afterAll(async () => {
  await Promise.all([postgres, mariadb].map(({ datasource }) => datasource.close(performance.now() + 1000)));
  await own.stop();
});

test('only null and strings ever reach the driver of MySQL, and JSON is returned unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const bound = mysqlParameter(value as Json);
      if (typeof value === 'string') expect(bound).toBe(value);
      else if (typeof value === 'number') expect(Number(bound)).toBe(value === 0 ? 0 : value);
      else if (typeof value === 'boolean') expect(bound).toBe(value ? '1' : '0');
      // JSON cannot represent -0.
      else
        expect(JSON.parse(typeof bound === 'string' ? bound : 'null')).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
    }),
  );
});

test.each([
  [1e21, '1000000000000000000000'],
  [-1.5e300, `-15${'0'.repeat(299)}`],
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [0.1, '0.1'],
  [-0, '0'],
  [2 ** 53, '9007199254740992'],
  [NaN, null],
])('the number %d is bound as %s', (value, text) => {
  expect(mysqlParameter(value)).toEqual(text);
  expect(typed(value)).toEqual(text === null ? null : new BoundNumber(text));
});

const hostile: readonly Json[] = [
  "' or 1=1 #",
  "' or 1=1 -- ",
  "\\' or 1=1 -- ",
  '" or "1"="1',
  "') or ('1'='1",
  "admin' /*",
  "%' or '%'='",
  "'; drop table account; -- ",
  '\u00bf\u0027 or 1=1 -- ',
  '\\',
  "'",
  '`',
  '$1',
  '?',
  '0',
  0,
  [0],
  [[0]],
  { name: 1 },
  { isRawInstance: true },
  { toSqlString: 'x' },
  true,
  false,
];

describe.each(['', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES'])("MariaDB with sql_mode '%s'", (mode) => {
  test('no hostile value finds a row that it does not name', async () => {
    await own.exec('mysql', `set global sql_mode = '${mode}'`);
    const datasource = open(mysql({ name: 'mode' }), own, 'binding');
    try {
      expect(await read(datasource, 'select @@sql_mode as mode')).toEqual([{ mode }]);
      for (const value of hostile) {
        const found = await read(datasource, 'select id from account where name = ? or secret = ?', [
          value,
          value,
        ]);
        expect([value, found]).toEqual([value, []]);
        expect(await read(datasource, 'select ? as v', [value])).toEqual([{ v: asText(value, '1', '0') }]);
      }
      expect(await read(datasource, 'select id from account where name = ?', ["O'Brien"])).toEqual([
        { id: 2 },
      ]);
      expect(await read(datasource, 'select count(*) as n from account')).toEqual([{ n: 3 }]);
    } finally {
      await datasource.close(performance.now() + 1000);
    }
  });
});

test('PostgreSQL: no hostile value finds a row that it does not name', async () => {
  for (const value of hostile) {
    const found = await read(postgres.datasource, 'select id from account where name = $1 or secret = $2', [
      value,
      value,
    ]);
    expect([value, found]).toEqual([value, []]);
    expect(await read(postgres.datasource, 'select $1 as v', [value])).toEqual([
      { v: asText(value, 'true', 'false') },
    ]);
  }
  expect(await read(postgres.datasource, 'select id from account where name = $1', ["O'Brien"])).toEqual([
    { id: 2 },
  ]);
  expect(await read(postgres.datasource, 'select count(*) as n from account')).toEqual([{ n: 3 }]);
});

/** The value as read by a server that treats it as a string. */
function asText(value: Json, yes: string, no: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? yes : no;
  return JSON.stringify(value);
}

test('question marks, dollar signs and comments in a text reach the server as they are', async () => {
  expect(await read(mariadb.datasource, `select "a?" as a, ? as b, 'c?' as c # ?\n -- ?`, ['x'])).toEqual([
    { a: 'a?', b: 'x', c: 'c?' },
  ]);
  const [row] = await read(
    postgres.datasource,
    `select 'a?' as a, $1::text as b, '{"k":1}'::jsonb ? 'k' as c, $q$?$1$q$ as d -- $2`,
    ['x'],
  );
  expect(row).toEqual({ a: 'a?', b: 'x', c: true, d: '?$1' });
});

/** Column type, value, and the stored value (PostgreSQL, MariaDB); undefined if the value is refused. */
const matrix: readonly (readonly [string, Json, Json | undefined, Json | undefined])[] = [
  ['int', 7, 7, 7],
  ['int', '7', 7, 7],
  ['int', null, null, null],
  ['int', 'x', undefined, undefined],
  ['bigint', 9007199254740991, 9007199254740991, 9007199254740991],
  ['bigint', '9223372036854775807', '9223372036854775807', '9223372036854775807'],
  ['decimal(10,2)', 1.25, 1.25, 1.25],
  ['decimal(30,2)', '1234567890123456.78', '1234567890123456.78', '1234567890123456.78'],
  ['double precision', 1e21, 1e21, 1e21],
  ['double precision', 1e-7, 1e-7, 1e-7],
  ['boolean', true, true, true],
  ['boolean', false, false, false],
  ['varchar(50)', 7, '7', '7'],
  ['varchar(50)', 'žluť 🐎', 'žluť 🐎', 'žluť 🐎'],
  ['varchar(50)', '', '', ''],
  ['varchar(50)', true, 'true', '1'],
  ['varchar(50)', { a: [1] }, '{"a":[1]}', '{"a":[1]}'],
  ['varchar(50)', [1, 'x'], '[1,"x"]', '[1,"x"]'],
  ['date', '2024-02-29', '2024-02-29', '2024-02-29'],
  ['date', '2023-02-29', undefined, undefined],
  ['timestamp', '2024-03-31T02:30:00', '2024-03-31T02:30:00', '2024-03-31T02:30:00Z'],
  ['json', { a: 1 }, { a: 1 }, { a: 1 }],
  ['json', '[1]', '[1]', [1]],
];

test.each(matrix.map((cell, index) => [...cell, `cell${index}`] as const))(
  'a column %s takes %j',
  async (type, value, inPostgres, inMariadb, table) => {
    for (const { source, expected, insert, columnType } of [
      {
        source: postgres,
        expected: inPostgres,
        insert: `insert into ${table} values ($1)`,
        columnType: type,
      },
      // MariaDB fills the first timestamp column automatically unless it is declared otherwise.
      {
        source: mariadb,
        expected: inMariadb,
        insert: `insert into ${table} values (?)`,
        columnType: `${type} null`,
      },
    ]) {
      await source.server.exec('binding', `create table ${table} (v ${columnType})`);
      if (expected === undefined) {
        await expect(update(source.datasource, insert, [value])).rejects.toMatchObject({ status: 400 });
      } else {
        await update(source.datasource, insert, [value]);
        expect(await read(source.datasource, `select v from ${table}`)).toEqual([{ v: expected }]);
      }
    }
  },
);

test('lists find the same on both databases', async () => {
  const cases: readonly (readonly [SqlTemplate, Json[], number[]])[] = [
    [sql`select id from account where id ${inList()} order by id`, [[]], []],
    [sql`select id from account where id ${inList()} order by id`, [[2]], [2]],
    [sql`select id from account where id ${inList()} order by id`, [['1', 3, 9]], [1, 3]],
    [sql`select id from account where id ${inList()} order by id`, [null], []],
    [sql`select id from account where id ${inList()} order by id`, [2], [2]],
    [sql`select id from account where id ${inList()} order by id`, [[1, null]], [1]],
    [sql`select id from account where id ${inList(2)} order by id`, [[1], [2]], [1, 2]],
    [sql`select id from account where id ${notInList()} order by id`, [[]], [1, 2, 3]],
    [sql`select id from account where id ${notInList()} order by id`, [[1, 2]], [3]],
    [sql`select id from account where id ${notInList()} order by id`, [[1, null]], []],
    [sql`select id from account where name ${inList()} order by id`, [[]], []],
    // NULL is not in any list, and not outside any list except the empty one.
    [sql`select id from account where name ${notInList()} order by id`, [[]], [1, 2, 3]],
    [sql`select id from account where name ${inList()} order by id`, [["O'Brien", "x' or 1=1"]], [2]],
    [sql`select id from account where id in (3${more.before}) order by id`, [[]], [3]],
    [sql`select id from account where id in (${more.after}3) order by id`, [[1, 2]], [1, 2, 3]],
  ];
  for (const [template, values, ids] of cases) {
    for (const { datasource } of [postgres, mariadb]) {
      const rows = await read(datasource, template, values);
      expect([template.holes, values, rows.map(({ id }) => id)]).toEqual([template.holes, values, ids]);
    }
  }
});
