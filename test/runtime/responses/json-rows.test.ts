/**
 * Lists of PostgreSQL rows that are converted to JSON without row objects: the same bytes as with objects, for all columns, strings and
 * network chunks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { packParts, sendCompressed } from '../../../runtime/http/compression.js';
import { reply } from '../../../runtime/responses/reply.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { textValue } from '../../../runtime/postgres/column-types.js';
import { rowFormat } from '../../../runtime/postgres/row-format.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { release } from '../../../runtime/responses/json-pieces.js';
import { RowBytes } from '../../../runtime/responses/row-bytes.js';
import { jsonRows } from '../../../runtime/responses/json-rows.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import { JsonRows, type JsonRowsOrValues } from '../../../runtime/handler/rows-as-json.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { PassedValue } from '../../../runtime/sql/sql-template.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';
import { quickRead, statusOf } from '../sql/shared-reads.js';

const tagged = { header: headerLines(['X-Own', 'a 1']), etag: true } as const;

let server: AttachedServer;
let proxy: Proxy;
let datasource: DatabaseDatasource;
let opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  server = await sharedPostgres();
  await server.createDatabase('json_rows');
  await server.exec('json_rows', "create domain word as text check (value <> '')");
  await server.exec('json_rows', 'create domain whole as bigint');
  await server.exec('json_rows', "create type mood as enum ('sad', 'say \"yes\"')");
  await server.exec('json_rows', 'create type pair as (a int, b text)');
  await server.exec('json_rows', 'create table note (id int, text text, at timestamptz)');
  proxy = await startProxy(server.port);
  datasource = connected();
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close(performance.now())));
  await proxy.close();
});

function connected(definition: Parameters<typeof postgres>[0] = { name: 'testdb' }): DatabaseDatasource {
  const made = postgres(definition);
  const url = server.jdbcUrl('json_rows').replace(/:\d+/, `:${proxy.port}`);
  made.open({ url, user: server.user, password: server.password });
  opened = [...opened, made];
  return made;
}

function reading(sql: string, of = datasource): Statement {
  return of.read({ operation: 'GET /rows', fulfillment: 'rows', sql });
}

type Way = 'bytes' | 'values';

function wayOf(rows: JsonRowsOrValues): Way {
  return rows instanceof JsonRows ? 'bytes' : 'values';
}

function textOf(rows: JsonRowsOrValues): string {
  if (!(rows instanceof JsonRows)) return JSON.stringify(rows);
  const { json } = rows;
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}

/** Compares both conversions, and returns how the rows were read. */
async function compare(
  sql: string,
  values: readonly PassedValue[] = [],
  fields?: Readonly<Record<string, string>>,
): Promise<Way> {
  const statement = reading(sql);
  const decoded = await statement(testCall(), values);
  const expected =
    fields === undefined
      ? decoded
      : decoded.map((row) =>
          Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, row[column] ?? null])),
        );
  const rows = await jsonRows(statement, testCall(), values, fields);
  expect(textOf(rows)).toBe(JSON.stringify(expected));
  if (fields === undefined)
    expect(await linesOf(statement, values)).toEqual(decoded.map((row) => JSON.stringify(row)));
  return wayOf(rows);
}

/** The rows as lines of JSON, written as they arrive. */
async function linesOf(statement: Statement, values: readonly PassedValue[]): Promise<string[]> {
  const arriving = await streamRows(statement, testCall(), values).source.beginLines?.();
  const pieces: Buffer[] = [];
  for await (const batch of arriving?.batches() ?? []) pieces.push(...batch);
  return Buffer.concat(pieces).toString().split('\n').slice(0, -1);
}

/** Literals by type, including values whose JSON differs from their string. */
const samples: Readonly<Record<string, readonly string[]>> = {
  int2: ['0', '-1', '32767', '-32768'],
  int4: ['0', '-1', '2147483647', '-2147483648'],
  int8: [
    ...['0', '-0', '100', '123456789012345', '1234567890123456', '9007199254740991'],
    ...['9007199254740992', '-9007199254740993', '9223372036854775807', '-9223372036854775808'],
  ],
  oid: ['0', '4294967295'],
  numeric: [
    ...['0', '0.0', '-0.00', '1', '1.0', '1.50', '100', '1000.0100', '0.5', '-0.5', '-12.30', '0.000001'],
    ...[
      '0.0000001',
      '0.00000150',
      '0.00000000000001',
      '123456789012345',
      '1234567890123456',
      '-12345678901234.5',
    ],
    ...['0.123456789012345', '12345678.90123456', '1e20', '1e400', '1e-400', 'NaN', 'Infinity', '-Infinity'],
    ...['99999999999999.9', '0.1000000000000', '5e-324', '000.10'],
  ],
  float4: [
    '0',
    '-0',
    '1.5',
    '0.1',
    '1e10',
    '1e-7',
    '3.4e38',
    'NaN',
    'Infinity',
    '-Infinity',
    '16777216',
    '0.00001',
  ],
  float8: [
    ...[
      '0',
      '-0',
      '1.5',
      '0.1',
      '0.30000000000000004',
      '1e15',
      '1e21',
      '1e22',
      '1e-5',
      '1e-6',
      '1e-7',
      '1e308',
    ],
    ...['NaN', 'Infinity', '-Infinity', '123456789012345680', '5e-324', '100', '-0.000012'],
  ],
  bool: ['t', 'f'],
  text: [
    ...[
      '',
      'plain',
      'a "quoted" word',
      'back\\slash',
      'line\nbreak\r\ttab',
      '\u0001\u001f\u007f\u0080',
      'ü€😀𝒳',
    ],
    ...['\u2028\u2029', '\ufffd\ufeff', 'null', '</script>', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33)],
    ...['é'.repeat(40), `${'y'.repeat(40)}"`, `${'z'.repeat(200_000)}\n`, '😀'.repeat(50_000)],
  ],
  varchar: ['', 'word', '"'],
  'char(5)': ['ab', '"'],
  name: ['name', '"'],
  '"char"': ['a', '"', '\\'],
  uuid: ['d0f5c4bc-3a53-4b5a-9c77-1f1d4a1d8a54'],
  date: ['2020-02-29', '0044-03-15 BC', 'infinity', '-infinity', '12020-01-01'],
  time: ['10:00:00', '10:00:00.120', '24:00:00'],
  timetz: ['10:00:00+02', '10:00:00.5-03:30'],
  interval: ['1 year 2 mons 3 days 04:05:06.7', '-1 day'],
  timestamp: [
    ...[
      '2020-01-01 10:00:00',
      '2020-01-01 10:00:00.100',
      '2020-01-01 10:00:00.123456',
      '0001-01-01 00:00:00',
    ],
    ...[
      'infinity',
      '-infinity',
      '0044-03-15 10:00:00.5 BC',
      '12020-01-01 10:00:00',
      '9999-12-31 23:59:59.999999',
    ],
  ],
  timestamptz: [
    ...[
      '2020-01-01 10:00:00+00',
      '2020-01-01 10:00:00.100+02',
      '2020-01-01 10:00:00.123456-11:30',
      'infinity',
    ],
    ...['-infinity', '0044-03-15 10:00:00.5+00 BC', '12020-01-01 10:00:00+00', '0001-01-01 00:00:00+00'],
  ],
  json: [
    ...[
      'null',
      '1',
      '1.0',
      '-0',
      '1e400',
      '12345678901234567890',
      '"text"',
      '" \\u00e9 \\/ "',
      '[1, 2]',
      '{"b":1, "a" : 2}',
    ],
    ...['{"a":1,"a":2}', '{"10":1,"2":2}', '{"__proto__":{"x":1}}', '[]', '{}', '"\\ud83d"'],
  ],
  jsonb: [
    ...[
      'null',
      '1.0',
      '12345678901234567890',
      '{"b":1,"a":{"c":[1.50]}}',
      '"\\u2028"',
      'true',
      '[]',
      '{}',
      '""',
    ],
    ...[
      '{"":0}',
      '{"b":1,"1":2,"a":3}',
      '{"12":1,"x":2}',
      '{"01":1}',
      '{"__proto__":1,"a":[]}',
      '[-0,0.0,-1.5e3]',
    ],
    ...[
      '["\\u0001\\u001f\\u007f\\b\\f\\n\\r\\t\\"\\\\\\/"]',
      '["é😀","\\ud83d\\ude00"]',
      '{"a b, c: d":", : {}"}',
    ],
    ...[
      '[1e400,0.0000001,1e21,123456789012345.6]',
      '{"a":"1","b":[[[{"c":null}]]]}',
      '"\\\\"',
      '"12"',
      '[1,2]',
    ],
  ],
  bytea: ['', '\\x00ff', '\\x22'],
  bit: ['1', '0'],
  'bit varying': ['', '101'],
  inet: ['10.0.0.1', '::1/64'],
  cidr: ['10.0.0.0/8'],
  money: ['12.50', '-1'],
  xml: ['<a b="c"/>'],
  point: ['(1,2.5)'],
  box: ['(1,2),(0,0)'],
  int4range: ['[1,5)', 'empty'],
  tsvector: ["'a':1 'b':2"],
  mood: ['sad', 'say "yes"'],
  pair: ['(1,"a b")', '(,)'],
  word: ['a', '"'],
  whole: ['1', '9007199254740993'],
  'int[]': ['{}', '{1,NULL,-3}', '{{1,2},{3,4}}', '[2:3]={5,6}'],
  'int8[]': ['{9007199254740993,1}'],
  'numeric[]': ['{1.50,NaN,0.0000001}'],
  'text[]': ['{}', '{a,"b c",NULL,"NULL","\\"","\\\\"}'],
  'timestamptz[]': ['{"2020-01-01 10:00:00+00",infinity}'],
  'jsonb[]': ['{"{\\"a\\": 1.0}",null}'],
  'bool[]': ['{t,f,NULL}'],
  'box[]': ['{(1,2),(0,0);(3,4),(2,2)}'],
  'mood[]': ['{sad,"say \\"yes\\""}'],
  'word[]': ['{a,b}'],
  int2vector: ['1 2 3'],
};

function literalOf(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A SELECT with a row for each value, and one for NULL. */
function selectOf(type: string, values: readonly string[]): string {
  const rows = [...values.map((value, id) => `(${id}, ${literalOf(value)}::${type})`), `(99, NULL::${type})`];
  return `select id, value from (values ${rows.join(', ')}) as v (id, value) order by id`;
}

describe('has the bytes that objects have', () => {
  test.each(Object.entries(samples))('of %s', async (type, values) => {
    const sql = selectOf(type, values);
    await compare(sql);
    // The column types are known after the first run.
    expect(await compare(sql)).toBe('bytes');
  });

  test('without rows', async () => {
    expect(await compare('select 1 as id where false')).toBe('bytes');
  });

  test.each([
    ['two columns with one name', 'select 1 as a, 2 as b, 3 as a'],
    ['names that are numbers', 'select 1 as b, 2 as "10", 3 as "2", 4 as a'],
    ['names that have to be escaped', 'select 1 as "a ""b"" \\ c", 2 as "ü\n"'],
    ['__proto__', 'select 1 as a, 2 as __proto__, 3 as "1"'],
    ['no columns', 'select from generate_series(1, 3)'],
    ['hundreds of columns', `select ${Array.from({ length: 600 }, (_, at) => `${at} as c${at}`).join(', ')}`],
  ])('with %s', async (_, sql) => {
    await compare(sql);
    expect(await compare(sql)).toBe('bytes');
  });

  test('with fields that are columns in another order and by other names', async () => {
    const sql = "select n as id, '\"' || n as name, n * 1.50 as price from generate_series(1, 1000) n";
    await compare(sql);
    expect(await compare(sql, [], { label: 'name', id: 'id' })).toBe('bytes');
    expect(await compare(sql, [], { a: 'name', b: 'name', 10: 'price', c: 'name' })).toBe('bytes');
    expect(await compare(sql)).toBe('bytes');
  });

  test('where a field has no column: it is null', async () => {
    const fields = { id: 'id', other: 'other' };
    for (const sql of ['select 1 as id', "select 1 as id, 'sad'::mood as m"]) {
      const rows = await jsonRows(reading(sql), testCall(), [], fields);
      expect(textOf(rows)).toBe('[{"id":1,"other":null}]');
    }
  });

  test('with values', async () => {
    const sql = 'select $1::int as id, $2::text as text';
    await compare(sql, [1, 'a']);
    expect(await compare(sql, [-5, '"ü"'])).toBe('bytes');
  });

  test('of random rows', async () => {
    const random = new Random(7);
    const types = Object.keys(samples);
    for (let round = 0; round < runs(5, 300); round += 1) {
      const columns = random.some(1 + random.below(8), (at) => ({
        name: random.pick([`c${at}`, `c${at}`, 'same', String(random.below(30))]),
        type: random.pick(types),
      }));
      const rows = random.some(1 + random.below(60), () =>
        columns.map(({ type }) => {
          if (random.chance(15)) return `NULL::${type}`;
          const text = type === 'text' ? randomText(random) : random.pick(samples[type] ?? []);
          return `${literalOf(text)}::${type}`;
        }),
      );
      const names = columns.map(({ name }) => `"${name}"`).join(', ');
      const sql = `select * from (values ${rows.map((row) => `(${row.join(', ')})`).join(', ')}) as v (${columns
        .map((_, at) => `v${at}`)
        .join(', ')})`;
      const named = `select ${columns.map((_, at) => `v${at} as ${names.split(', ')[at] ?? ''}`).join(', ')} from (${sql}) as w`;
      await compare(named);
      expect(await compare(named)).toBe('bytes');
    }
  });

  test.each(['json', 'jsonb'])(
    'of random documents as %s, without the white space around values',
    async (type) => {
      const random = new Random(11);
      const sql = `select unnest($1::text[])::${type} as value`;
      for (let round = 0; round < runs(5, 300); round += 1) {
        const documents = random.some(200, () => randomDocument(random, 3));
        await compare(sql, [documents]);
        expect(await compare(sql, [documents])).toBe('bytes');
      }
    },
  );

  test('of texts with every character', async () => {
    const all = Array.from({ length: 0x110000 }, (_, point) => point).filter(
      (point) => point > 0 && (point < 0xd800 || point > 0xdfff),
    );
    const texts: string[] = [];
    for (let at = 0; at < all.length; at += 997) texts.push(String.fromCodePoint(...all.slice(at, at + 997)));
    const sql = 'select unnest($1::text[]) as text';
    await compare(sql, [texts]);
    expect(await compare(sql, [texts])).toBe('bytes');
    const single = all.slice(0, 3000).map((point) => `a${String.fromCodePoint(point)}b`);
    expect(await compare(sql, [single])).toBe('bytes');
  });
});

/** JSON text with random values and white space. */
function randomDocument(random: Random, depth: number): string {
  const blank = (): string => random.pick(['', '', ' ', '\n\t']);
  const parts = (make: () => string): string =>
    random.some(random.below(4), make).join(`${blank()},${blank()}`);
  const text = (): string => JSON.stringify(random.chance(70) ? random.pick(words) : randomText(random));
  switch (random.below(depth === 0 ? 4 : 6)) {
    case 0:
      return text();
    case 1:
      return random.pick([
        'null',
        'true',
        'false',
        '0',
        '-0',
        '-0.0',
        '1.50',
        '1e3',
        '1E-9',
        '0.000001',
        '0.0000001',
      ]);
    case 2:
      return `${random.pick(['', '-'])}${1 + random.below(10 ** random.below(9))}${random.pick(['', '.0', '.05', '.123456789', 'e5'])}`;
    case 3:
      return random.pick([
        '12345678901234567890',
        '9007199254740993',
        '123456789012345',
        '1234567890123456',
        '"\\u00e9\\/\\u001F"',
      ]);
    case 4:
      return `[${blank()}${parts(() => randomDocument(random, depth - 1))}${blank()}]`;
    default:
      return `{${parts(() => `${text()}${blank()}:${blank()}${randomDocument(random, depth - 1)}`)}}`;
  }
}

const words = [
  '',
  'a',
  'b',
  '1',
  '01',
  '10',
  'a b',
  'a: b',
  ', ',
  '{"a": 1}',
  '[1, 2]',
  '\\',
  '\\"',
  '-1',
  '1.5',
  'é',
  '__proto__',
];

function randomText(random: Random): string {
  const ranges = [
    [1, 0x20],
    [0x20, 0x7f],
    [0x22, 0x23],
    [0x5c, 0x5d],
    [0x80, 0x800],
    [0x800, 0xd800],
    [0xe000, 0x10000],
    [0x10000, 0x110000],
  ] as const;
  return random
    .some(random.below(random.pick([4, 40, 400])), () => {
      const [from, to] = random.pick(ranges);
      return String.fromCodePoint(from + random.below(to - from));
    })
    .join('');
}

/** Reads the rows as bytes, after a first run that determines the column types. */
async function readBytes(statement: Statement, values: readonly PassedValue[] = []): Promise<string> {
  await jsonRows(statement, testCall(), values);
  const rows = await jsonRows(statement, testCall(), values);
  expect(wayOf(rows)).toBe('bytes');
  return textOf(rows);
}

const many =
  "select n as id, 'title ' || n as title, repeat('é', n % 50) as text from generate_series(1, $1::int) n";

describe('whatever else runs', () => {
  test('each of many reads at a time gets its own rows, as bytes or not, between some that fail', async () => {
    const [rows, one, division] = await Promise.all([
      quickRead(datasource, many, [50]),
      quickRead(datasource, "select $1::int as id, 'one' as name", [1]),
      quickRead(datasource, 'select 1 / (n - $1::int) as n from generate_series(1, 20) n', [50]),
    ]);
    const expected = new Map<number, string>();
    for (const count of [0, 1, 7, 50, 400])
      expected.set(count, JSON.stringify(await rows(testCall(), [count])));
    const random = new Random(11);
    for (let round = 0; round < runs(10, 400); round += 1) {
      await Promise.all(
        random.some(30, async (at) => {
          switch (random.below(4)) {
            case 0: {
              const count = random.pick([...expected.keys()]);
              expect(textOf(await jsonRows(rows, testCall(), [count]))).toBe(expected.get(count));
              return;
            }
            case 1:
              expect(await one(testCall(), [at])).toEqual([{ id: at, name: 'one' }]);
              return;
            case 2:
              expect(textOf(await jsonRows(one, testCall(), [at]))).toBe(`[{"id":${at},"name":"one"}]`);
              return;
            default:
              expect(await statusOf(jsonRows(division, testCall(), [10]))).toBe(400);
          }
        }),
      );
    }
  });

  test('an error after thousands of rows is an error, and the next read has all of its rows', async () => {
    const sql = 'select n as id, 10 / (5000 - n) as share from generate_series(1, $1::int) n';
    const statement = reading(sql);
    expect(JSON.parse(await readBytes(statement, [4999]))).toHaveLength(4999);
    expect(await statusOf(jsonRows(statement, testCall(), [5001]))).toBe(400);
    expect(JSON.parse(await readBytes(statement, [100]))).toHaveLength(100);
  });

  test('a value that cannot be read is an error, and the connection goes on', async () => {
    const of = connected({ name: 'testdb', pool: { max: 1 } });
    const nested =
      "case when n = 500 then (repeat('[', $1::int) || repeat(']', $1::int))::json end as nested";
    const statement = reading(`select n as id, ${nested} from generate_series(1, 1000) n`, of);
    expect(JSON.parse(await readBytes(statement, [10]))).toHaveLength(1000);
    expect(await statusOf(jsonRows(statement, testCall(), [2000]))).toBe(500);
    expect(JSON.parse(await readBytes(statement, [3]))).toHaveLength(1000);
  });

  test('more rows than ROW_LIMIT are an error, and so are more bytes than a body may have', async () => {
    const of = postgres({ name: 'testdb' });
    opened = [...opened, of];
    const { user, password } = server;
    of.open({
      url: server.jdbcUrl('json_rows'),
      user,
      password,
      rowLimit: 5000,
      resultLimit: 512 * 1024 * 1024,
    });
    const statement = reading(many, of);
    expect(JSON.parse(await readBytes(statement, [5000]))).toHaveLength(5000);
    expect(await statusOf(jsonRows(statement, testCall(), [50_000]))).toBe(500);
    const controls = reading(
      "select repeat(E'\u0001', 1000000) as text from generate_series(1, $1::int)",
      of,
    );
    expect(JSON.parse(await readBytes(controls, [3]))).toHaveLength(3);
    await expect(jsonRows(controls, testCall(30_000), [46])).rejects.toMatchObject({
      status: 500,
      message: 'The response is too large',
    });
  });

  test('a connection that is cut in the middle: the read runs again, and has each row once', async () => {
    const of = connected({ name: 'testdb', pool: { max: 2 } });
    const statement = reading(many, of);
    const expected = await readBytes(statement, [3000]);
    for (const bytes of [1, 5, 100, 5_000, 70_000, 150_000]) {
      const cuts = proxy.cuts();
      proxy.cutAfter(bytes, 'to client');
      const rows = await jsonRows(statement, testCall(), [3000]);
      expect(textOf(rows) === expected).toBe(true);
      expect(proxy.cuts()).toBe(cuts + 1);
    }
  });

  test('a client that goes away in the middle ends the statement', async () => {
    const of = connected({ name: 'testdb', pool: { max: 2 } });
    const slow = reading(
      'select n as id, pg_sleep($1::float8) is null as slept from generate_series(1, 2000) n',
      of,
    );
    expect(JSON.parse(await readBytes(slow, [0]))).toHaveLength(2000);
    const gone = new Error('gone');
    let isGone = false;
    const call = {
      ...testCall(),
      proceed: () => {
        if (isGone) throw gone;
      },
    };
    const rows = jsonRows(slow, call, [0.01]);
    setTimeout(() => {
      isGone = true;
    }, 100);
    await expect(rows).rejects.toBe(gone);
    expect(JSON.parse(await readBytes(slow, [0]))).toHaveLength(2000);
  });

  test('after the settings of a context, whose rows are not part of the result', async () => {
    const context = rowsOfCaller({ settings: { 'app.tenant': () => 'a "tenant"' } });
    const of = connected({ name: 'testdb', context });
    await server.exec(
      'json_rows',
      "do $$ begin if not exists (select from pg_roles where rolname = 'json_reader') then create role json_reader login password 'x'; end if; end $$",
    );
    const made = postgres({ name: 'testdb', context });
    opened = [...opened, made];
    made.open({ url: server.jdbcUrl('json_rows'), user: 'json_reader', password: 'x' });
    const statement = reading(
      "select current_setting('app.tenant') as tenant, n from generate_series(1, 2) n",
      made,
    );
    expect(await readBytes(statement)).toBe(
      '[{"tenant":"a \\"tenant\\"","n":1},{"tenant":"a \\"tenant\\"","n":2}]',
    );
    await of.close(performance.now());
  });

  test('bytes that are no UTF-8 are read as the driver reads them', () => {
    const texts = [
      [0x61, 0xff],
      [0xc3],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xc3, 0xa9],
      [0xf5, 0x80, 0x80, 0x80],
    ];
    for (const text of texts) {
      for (const times of [1, 50]) {
        const value = Buffer.from(Array.from({ length: times }, () => text).flat());
        const head = Buffer.from([0, 1, 0, 0, 0, value.length]);
        const rows = new RowBytes(undefined);
        rows.begin(rowFormat([{ name: 'text', type: 25 }], [textValue]));
        expect(rows.take(Buffer.concat([head, value]), 0, head.length + value.length)).toBe(true);
        expect(rows.finish()).toBe(JSON.stringify([{ text: value.toString() }]));
      }
    }
  });

  test('a row of other columns, or of another length, is left to the driver', () => {
    const row = Buffer.from([0, 2, 0, 0, 0, 1, 0x31, 0xff, 0xff, 0xff, 0xff]);
    const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 23 }));
    const takes = (count: number, bytes: Buffer, to = bytes.length): boolean => {
      const rows = new RowBytes(undefined);
      const own = columns.slice(0, count);
      rows.begin(
        rowFormat(
          own,
          own.map(() => textValue),
        ),
      );
      return rows.take(bytes, 0, to);
    };
    expect(takes(2, row)).toBe(true);
    for (const count of [0, 1, 3]) expect(takes(count, row)).toBe(false);
    for (let to = 0; to < row.length; to += 1) expect(takes(2, row, to)).toBe(false);
    expect(takes(2, Buffer.concat([row, Buffer.from([0])]))).toBe(false);
    const negative = Buffer.from(row);
    negative[10] = 0xfe;
    expect(takes(2, negative)).toBe(false);
  });
});

test('only memory of pieces is used again for pieces: other bytes of a response may share theirs with all of the process', () => {
  const shared = Buffer.from(new ArrayBuffer(64 * 1024));
  release([shared]);
  const rows = new RowBytes(undefined);
  for (let count = 0; count < 10_000; count += 1) rows.takeValues([], () => null);
  const pieces = rows.finish();
  expect(pieces).toBeInstanceOf(Array);
  for (const piece of pieces) if (typeof piece !== 'string') expect(piece.buffer).not.toBe(shared.buffer);
});

describe('a response', () => {
  test.each([
    { name: 'as it is', options: {} },
    { name: 'compressed', options: { sendCompressed, packParts } },
  ])('has the bytes and headers that one of values has, $name', async ({ options }) => {
    const statement = reading(many);
    await jsonRows(statement, testCall(), [1]);
    const served = await serve(
      {
        'GET /values/{count}': async (call) => reply(200, await statement(call, [call.param('count')])),
        'GET /json/{count}': async (call) =>
          reply(200, await jsonRows(statement, call, [call.param('count')])),
        'GET /values-in/{count}': async (call) =>
          reply(201, {
            a: 'é"',
            10: null,
            list: await statement(call, [call.param('count')]),
            b: [{ c: 1 }],
          }),
        'GET /json-in/{count}': async (call) =>
          reply(201, {
            a: 'é"',
            10: null,
            list: await jsonRows(statement, call, [call.param('count')]),
            b: [{ c: 1 }],
          }),
        'GET /values-tagged/{count}': async (call) =>
          reply(200, await statement(call, [call.param('count')]), tagged),
        'GET /json-tagged/{count}': async (call) =>
          reply(200, await jsonRows(statement, call, [call.param('count')]), tagged),
      },
      options,
    );
    try {
      for (const count of [0, 1, 10, 500, 5000, 50_000]) {
        for (const [one, other] of [
          ['values', 'json'],
          ['values-in', 'json-in'],
          ['values-tagged', 'json-tagged'],
        ] as const) {
          for (const method of ['GET', 'HEAD']) {
            const [expected, found] = await Promise.all(
              [one, other].map(async (path) => {
                const response = await fetch(`${served.url}/${path}/${count}`, { method });
                const headers = Object.fromEntries(response.headers);
                delete headers['x-request-id'];
                delete headers['date'];
                return {
                  status: response.status,
                  headers,
                  body: Buffer.from(await response.arrayBuffer()),
                };
              }),
            );
            expect(found?.status).toBe(expected?.status);
            expect(found?.headers).toEqual(expected?.headers);
            expect(found?.body.equals(expected?.body ?? Buffer.alloc(0))).toBe(true);
          }
        }
      }
    } finally {
      await served.stop();
    }
  });

  test('leaves out what is undefined, such as a column that a table has no more', async () => {
    const statement = reading(many);
    const row: { readonly value?: Json } = {};
    await jsonRows(statement, testCall(), [1]);
    const served = await serve({
      'GET /json': async (call) =>
        reply(200, { none: row.value, list: await jsonRows(statement, call, [0]), last: row.value }),
    });
    try {
      expect(await (await fetch(`${served.url}/json`)).text()).toBe('{"list":[]}');
    } finally {
      await served.stop();
    }
  });

  test('responds with 304 to a client that has the rows', async () => {
    const statement = reading('select 1 as a');
    await jsonRows(statement, testCall());
    const served = await serve({
      'GET /rows': async (call) => reply(200, { rows: await jsonRows(statement, call) }, tagged),
    });
    try {
      const url = `${served.url}/rows`;
      const tag = (await fetch(url)).headers.get('etag') ?? '';
      const response = await fetch(url, { headers: { 'If-None-Match': tag } });
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('x-own')).toBe('a 1');
    } finally {
      await served.stop();
    }
  });

  test('has a value as its body where rows had to be decoded', async () => {
    const mood = reading("select 'sad'::mood as mood");
    const rows = await jsonRows(mood, testCall(), [], { m: 'mood' });
    if (wayOf(rows) === 'values') expect(reply(200, { rows }).body).toEqual({ rows: [{ m: 'sad' }] });
    const traced = Object.assign((...passed: Parameters<Statement>) => mood(...passed), {
      runner: mood.runner,
      traceRows: () => undefined,
    });
    const values = await jsonRows(traced, testCall(), [], { m: 'mood', none: 'missing' });
    expect(reply(200, values)).toEqual({ status: 200, body: [{ m: 'sad', none: null }] });
    const row: { readonly value?: Json } = {};
    expect(reply(200, { none: row.value, values }).body).toEqual({ values: [{ m: 'sad', none: null }] });
  });

  test('has decoded rows, and a value written in turns, in addition to rows that are JSON', async () => {
    const statement = reading(many);
    await jsonRows(statement, testCall(), [1]);
    const traced = Object.assign((...passed: Parameters<Statement>) => statement(...passed), {
      runner: statement.runner,
      traceRows: () => undefined,
    });
    const large = 'x'.repeat(3 * 1024 * 1024);
    const served = await serve({
      'GET /both': async (call) =>
        reply(200, {
          json: await jsonRows(statement, call, [2]),
          values: await jsonRows(traced, call, [2]),
          large,
        }),
    });
    try {
      const rows = await statement(testCall(), [2]);
      const body = await (await fetch(`${served.url}/both`)).text();
      expect(body === JSON.stringify({ json: rows, values: rows, large })).toBe(true);
    } finally {
      await served.stop();
    }
  });
});
