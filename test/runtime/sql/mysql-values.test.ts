/** MySQL and MariaDB: numbers with all their digits in arithmetic with other numbers, and columns that accept the values they return. */
import fc from 'fast-check';
import mysql2 from 'mysql2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { jsonText, numeric, typed } from '../../../runtime/mysql/number.js';
import type { SqlTemplate, SqlValue } from '../../../runtime/sql/sql-template.js';
import { limit } from '../../../runtime/mysql/limit-offset.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { startProxy } from '../../helpers/proxy.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, read, update, type TestDatasource } from './open-datasource.js';
import { runs } from '../../helpers/runs.js';

let mariadb: TestDatasource;

beforeAll(async () => {
  mariadb = await openMariadb('mysql_values');
  await update(
    mariadb.datasource,
    'create table number (id int, large bigint, exact decimal(65, 30), name varchar(20))',
  );
  await update(mariadb.datasource, "insert into number values (1, 9007199254740993, 0.1, 'one')");
});

afterAll(() => mariadb.datasource.close(performance.now() + 1000));

function select(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
  return mariadb.datasource.read({ operation: 'GET /test', fulfillment: 'rows', sql })(testCall(), values);
}

test('the server reports no types of parameters, which is why this is needed', async () => {
  const { host, port, user, password } = mariadb.server;
  const connection = mysql2.createConnection({ host, port, user, password, database: 'mysql_values' });
  const types = await new Promise((resolve, reject) => {
    connection.prepare('insert into number (id, name) values (?, ?)', (error, statement) => {
      if (error === null)
        resolve(
          (statement as unknown as { parameters: { columnType: number }[] }).parameters.map(
            ({ columnType }) => columnType,
          ),
        );
      else reject(error);
    });
  }).finally(() => {
    connection.destroy();
  });
  // MYSQL_TYPE_NULL
  expect(types).toEqual([6, 6]);
});

describe('a calculation returns what it returns with the literal', () => {
  test.each([
    '7',
    '-7',
    '0',
    '9223372036854775807',
    '18446744073709551615',
    '0.1',
    '-1234567890.12345678901234567890',
    '12345678901234567890123456789012345.5',
    '1e300',
    '1e-300',
    '.5',
    '5.',
  ])('%s', async (digits) => {
    const columns = (value: string): string =>
      `${value} * 1 as a, ${value} / 3 as b, concat('No. ', ${value} + 0) as c, -${value} as d, 0 + ${value} as e`;
    const [bound] = await select(
      `select ${columns('?')}`,
      Array.from({ length: 5 }, () => numeric(digits)),
    );
    const [literal] = await read(mariadb.datasource, `select ${columns(`(${digits})`)}`);
    expect(bound).toEqual(literal);
  });

  test('any number of a body', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.maxSafeInteger()),
        async (number) => {
          const [row] = await select('select ? + 0 as v', [numeric(number)]);
          expect(Number(row?.['v'])).toBe(number === 0 ? 0 : number);
        },
      ),
      { numRuns: runs(13, 200) },
    );
  });

  test('any integer of 64 bits, and any decimal, keeps its digits', () => {
    const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).map(String);
    const decimals = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.bigInt({ min: 10n ** 19n, max: 10n ** 20n - 1n }))
      .map(([whole, fraction]) => `${whole}.${fraction}`);
    return fc.assert(
      fc.asyncProperty(fc.oneof(integers, decimals), async (digits) => {
        const [row] = await select('select concat(? + 0) as v', [numeric(digits)]);
        expect(row?.['v']).toBe(digits);
      }),
      { numRuns: runs(13, 200) },
    );
  });
});

test.each([
  '',
  'abc',
  '1x',
  '0x10',
  '1,5',
  'NaN',
  'Infinity',
  '--1',
  ' ',
  '1'.repeat(2000),
  [1],
  { a: 1 },
] as Json[])('%j is not a number', async (value) => {
  await expect(select('select 1 + ? as v', [numeric(value)])).rejects.toMatchObject({ status: 400 });
});

test('null stays null, and booleans are 1 and 0', async () => {
  expect(await select('select ? + 1 as a, ? + 1 as b, ? + 1 as c', [null, true, false].map(numeric))).toEqual(
    [{ a: null, b: 2, c: 1 }],
  );
});

test('a number is a number among alternatives, and a string a string', async () => {
  await update(mariadb.datasource, 'create table item (id int)');
  await update(mariadb.datasource, 'insert into item values (1), (2), (10)');
  expect(await select('select max(coalesce(id, ?)) as m from item', [typed(0)])).toEqual([{ m: 10 }]);
  expect(await select('select id from item order by coalesce(id, ?) desc', [typed(0)])).toEqual([
    { id: 10 },
    { id: 2 },
    { id: 1 },
  ]);
  expect(await select('select greatest(?, ?) as m', [numeric(9), numeric('10')])).toEqual([{ m: 10 }]);
  expect(await select('select coalesce(?, ?) as m', [null, typed('07')])).toEqual([{ m: '07' }]);
});

test('a document that is nested more deeply than MariaDB reads is refused, and nothing is stored instead', async () => {
  const nested = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as Json;
  const [row] = await select("select json_set('{}', '$.v', json_extract(?, '$')) as v", [
    jsonText(nested(30)),
  ]);
  expect(row).toEqual({ v: { v: nested(30) } });
  expect(() => jsonText(nested(31))).toThrow(ServiceError);
});

test('a number of rows is one that the server can count', () => {
  expect(limit('18446744073709551615')).toBe('18446744073709551615');
  expect(limit('00018446744073709551615')).toBe('00018446744073709551615');
  for (const value of ['18446744073709551616', '99999999999999999999', '1e3', 1e21])
    expect(() => limit(value)).toThrow(ServiceError);
});

test('a string with characters that the column does not have is refused, and columns that do not go together are not an error of a value', async () => {
  await update(
    mariadb.datasource,
    'create table western (name varchar(20) character set latin1, other varchar(20) character set utf8mb4 collate utf8mb4_bin)',
  );
  for (const text of ['縗', '\ufeff', '\u2028', '١']) {
    await expect(
      read(mariadb.datasource, 'select name from western where name = ?', [text]),
    ).rejects.toMatchObject({ status: 400 });
  }
  await expect(
    read(
      mariadb.datasource,
      'select name from western where concat(other collate utf8mb4_bin) = concat(other collate utf8mb4_general_ci) and name = ?',
      ['x'],
    ),
  ).rejects.toMatchObject({ status: 500 });
});

/** Column types, and the values read after writing; undefined if a value must be refused. */
const scalarText = (value: Json): Json | undefined =>
  typeof value === 'string'
    ? value
    : value === null
      ? null
      : typeof value === 'object'
        ? JSON.stringify(value)
        : undefined;

describe('any JSON value that is written to a column is read as it is, or rejected', () => {
  const columns: Readonly<Record<string, (value: Json) => Json | undefined>> = {
    json: (value) => value,
    'bit(1)': (value) => (typeof value === 'boolean' || value === null ? value : undefined),
    'bit(5)': (value) =>
      value === null || (typeof value === 'string' && /^[01]{5}$/.test(value)) ? value : undefined,
    blob: (value) =>
      value === null ||
      (typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value)
        ? value
        : undefined,
    boolean: (value) => (typeof value === 'boolean' || value === null ? value : undefined),
    longtext: scalarText,
  };
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>,
    fc.constantFrom<Json>(
      '0',
      '1',
      '10101',
      true,
      false,
      null,
      'AAEC',
      '',
      'true',
      'null',
      'YWI',
      'YWI=',
      'YWJ=',
      '{"a":1}',
      0,
      7,
      -0.5,
      1e300,
    ),
    fc.base64String(),
  );

  test.each(Object.entries(columns))('%s', async (type, expected) => {
    const table = `any_${type.replace(/\W/g, '')}`;
    const { datasource } = mariadb;
    await update(datasource, `create table ${table} (v ${type}) character set utf8mb4`);
    const insert = datasource.update({
      operation: 'POST /test',
      fulfillment: 'change',
      sql: `insert into ${table} (v) values (?) returning v`,
      parameterTypes: `SELECT v FROM ${table}`,
    });
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        let stored: Json | undefined;
        try {
          stored = (await insert(testCall(), [value]))[0]?.['v'];
        } catch (error) {
          expect(error).toMatchObject({ status: expect.toBeOneOf([400, 409]) as number });
        }
        const right = expected(value);
        // A form that the column never returns may be accepted; a form that it returns is unchanged.
        if (right !== undefined) expect(stored).toEqual(JSON.parse(JSON.stringify(right)));
      }),
      { numRuns: runs(10, 150) },
    );
  });
});

test('a parameter that nothing declares is JSON text for a document where it parses, a field of the body never', async () => {
  const { datasource } = mariadb;
  await update(datasource, 'create table paper (v json)');
  const insert = (parameters: { parameters?: string[] }) =>
    datasource.update({
      ...{
        operation: 'POST /test',
        fulfillment: 'change',
        sql: 'insert into paper (v) values (?) returning v',
      },
      ...{ parameterTypes: 'SELECT v FROM paper', ...parameters },
    });
  for (const [text, parsed] of [
    ['{"a":[1]}', { a: [1] }],
    ['7', 7],
    ['text', 'text'],
    ['', ''],
    ['"x"', 'x'],
  ] as const) {
    expect(await insert({ parameters: ['v'] })(testCall(), [text])).toEqual([{ v: parsed }]);
    expect(await insert({})(testCall(), [text])).toEqual([{ v: text }]);
  }
});

test('a parameter that nothing declares may be true or false for a boolean column, and a number', async () => {
  const { datasource } = mariadb;
  await update(datasource, 'create table mark (v boolean)');
  const insert = datasource.update({
    ...{ operation: 'POST /test', fulfillment: 'change', sql: 'insert into mark (v) values (?) returning v' },
    parameterTypes: 'SELECT v FROM mark',
  });
  for (const [text, stored] of [
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    [false, false],
  ] as const)
    expect(await insert(testCall(), [text])).toEqual([{ v: stored }]);
});

test('a connection that is cut while the columns of the values are asked for: what is acknowledged is there, and nothing else', async () => {
  const { datasource, server } = mariadb;
  const proxy = await startProxy(server.port);
  const { mysql } = await import('../../../runtime/mysql/mysql.js');
  const cut = mysql({ name: 'cut', pool: { max: 1 } });
  const url = server.jdbcUrl('mysql_values').replace(/:\d+/, `:${proxy.port}`);
  cut.open({ url, user: server.user, password: server.password });
  try {
    await update(datasource, 'create table sign (id int, v boolean)');
    let stored = 0;
    for (const [id, bytes] of [1, 10, 40, 100].entries()) {
      await update(cut, 'update sign set v = v');
      proxy.cutAfter(bytes, 'to client');
      const insert = cut.update({
        ...{
          operation: 'POST /test',
          fulfillment: 'change',
          sql: `insert into sign (id, v) values (${id}, ?)`,
        },
        parameterTypes: `SELECT v FROM sign AS sign_${id}`,
      });
      const isStored = await insert(testCall(), ['true']).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ status: 503 });
          return false;
        },
      );
      if (isStored) stored += 1;
      expect(proxy.cuts()).toBe(id + 1);
      expect(await read(datasource, 'select count(*) as n, sum(v) as sum from sign')).toEqual([
        { n: stored, sum: stored === 0 ? null : stored },
      ]);
    }
  } finally {
    await cut.close(performance.now() + 1000);
    await proxy.close();
  }
});

test('a table that may not be read still takes values', async () => {
  const { datasource, server } = mariadb;
  await update(datasource, 'create table secret (id int, flag boolean)');
  await server.exec(
    'mysql_values',
    "create user 'writer'@'%' identified by 'w'; grant insert on mysql_values.secret to 'writer'@'%'",
  );
  const { mysql } = await import('../../../runtime/mysql/mysql.js');
  const writer = mysql({ name: 'writer' });
  writer.open({ url: server.jdbcUrl('mysql_values'), user: 'writer', password: 'w' });
  try {
    const insert = writer.update({
      operation: 'POST /test',
      fulfillment: 'change',
      sql: 'insert into secret (id, flag) values (?, ?)',
      parameterTypes: 'SELECT id, flag FROM secret',
    });
    await insert(testCall(), [1, true]);
    expect(await read(datasource, 'select * from secret')).toEqual([{ id: 1, flag: true }]);
  } finally {
    await writer.close(performance.now() + 1000);
  }
});

describe('what the server refuses names the field of the only value that is written to the column', () => {
  beforeAll(async () => {
    await update(
      mariadb.datasource,
      `create table kiln (id int primary key, name varchar(3) not null, heat tinyint, kind enum('gas', 'wood'), lit date,
        fuel decimal(4, 1))`,
    );
    await update(mariadb.datasource, "insert into kiln values (1, 'one', 1, 'gas', '2026-01-01', 1)");
  });

  /** The message and the fields of the 400; each value comes from the body field of that name. */
  async function refused(
    sql: string | SqlTemplate,
    values: readonly [string, Json][],
    parameterTypes: string,
  ): Promise<unknown> {
    const definition = { operation: 'POST /test', fulfillment: 'change', sql, parameterTypes };
    const run = mariadb.datasource.update({
      ...definition,
      valueNames: values.map(([name]) => `body.${name}`),
    });
    const error = await run(
      testCall(),
      values.map(([, value]) => value),
    ).catch((caught: unknown) => caught);
    if (!(error instanceof ServiceError)) throw new Error('it is accepted', { cause: error });
    expect(error.status).toBe(400);
    return [error.message, error.details.faults?.map(({ pointer }) => pointer)];
  }

  const row = { id: 2, name: 'two', heat: 2, kind: 'gas', lit: '2026-01-01', fuel: 2 };

  test.each([
    ['name', 'three', 'is too long'],
    ['name', null, 'does not fit: expected a value that is not null'],
    ['heat', 300, 'does not fit'],
    ['heat', "a' for column 'name' at row 1", 'does not fit'],
    ['kind', 'coal', 'does not fit'],
    ['lit', '2026-02-30', 'does not fit'],
    ['lit', "x' for column `mysql_values`.`kiln`.`name` at row 1", 'does not fit'],
    ['fuel', 12345, 'does not fit'],
    ['fuel', 'much', 'does not fit'],
  ] as const)('%s of %j', async (name, value, problem) => {
    const values = Object.entries<Json>({ ...row, [name]: value });
    const named = [`The value of body field '${name}' ${problem}`, [`/${name}`]];
    const columns = Object.keys(row).join(', ');
    const types = `SELECT ${columns} FROM kiln`;
    expect(
      await refused(
        `insert into kiln (${columns}) values (?, ?, ?, ?, ?, ?) returning ${columns}`,
        values,
        types,
      ),
    ).toEqual(named);
    expect(
      await refused(
        `insert into kiln (${columns}) values (?, ?, ?, ?, ?, ?) on duplicate key update ${name} = values(${name})`,
        values,
        types,
      ),
    ).toEqual(named);
    expect(
      await refused(
        `update kiln set ${name.toUpperCase()} = ? where id = ?`,
        [
          [name, value],
          ['id', 1],
        ],
        `SELECT ${name.toUpperCase()}, NULL FROM kiln`,
      ),
    ).toEqual(named);
  });

  const unnamed = ['The database does not accept a value of the request', undefined];

  test('not where another value or the statement itself may be what it refuses', async () => {
    const types = 'SELECT id, name, id, name FROM kiln';
    const two = [
      ['id', 3],
      ['name', 'six'],
      ['other', 4],
      ['last', 'seven'],
    ] as [string, Json][];
    expect(await refused('insert into kiln (id, name) values (?, ?), (?, ?)', two, types)).toEqual(unnamed);
    expect(
      await refused("insert into kiln (id, name) values (?, 'eight')", [['id', 3]], 'SELECT id FROM kiln'),
    ).toEqual(unnamed);
    expect(
      await refused(
        'insert into kiln (id, name, heat) values (?, ?, ?) on duplicate key update heat = heat + 127',
        [
          ['id', 1],
          ['name', 'one'],
          ['heat', 1],
        ],
        'SELECT id, name, heat FROM kiln',
      ),
    ).toEqual(unnamed);
    expect(
      await refused(
        'update kiln set lit = ? where lit < ?',
        [
          ['lit', '2026-01-01'],
          ['before', 'never'],
        ],
        'SELECT lit, NULL FROM kiln',
      ),
    ).toEqual(unnamed);
    expect(
      await refused('update kiln set heat = ?, fuel = heat * 1000', [['heat', 100]], 'SELECT heat FROM kiln'),
    ).toEqual(unnamed);
  });
});
