/** Lists of PostgreSQL whose rows become JSON without objects: the same bytes as with them, whatever the columns, the texts and the network (decisions 2). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { jsonRows, type JsonRows } from '../../../runtime/responses/json-rows.js';
import type { Statement } from '../../../runtime/sql/database.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { PassedValue } from '../../../runtime/sql/sql.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

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

function wayOf({ content }: JsonRows): Way {
  return 'json' in content ? 'bytes' : 'values';
}

function textOf({ content }: JsonRows): string {
  if ('values' in content) return JSON.stringify(content.values);
  const { json } = content;
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}

/** Compares both ways, and returns how the rows were read. */
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
  return wayOf(rows);
}

/** Texts of values by their types, each with those that are written in another way than they arrive. */
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
  jsonb: ['null', '1.0', '12345678901234567890', '{"b":1,"a":{"c":[1.50]}}', '"\\u2028"'],
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
    // The types of its columns are known now.
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

  test('where a field has no column: it is left out', async () => {
    const fields = { id: 'id', other: 'other' };
    for (const sql of ['select 1 as id', "select 1 as id, 'sad'::mood as m"]) {
      const rows = await jsonRows(reading(sql), testCall(), [], fields);
      expect(textOf(rows)).toBe('[{"id":1}]');
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
    for (let round = 0; round < runs(20, 300); round += 1) {
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
  }, 120_000);

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
