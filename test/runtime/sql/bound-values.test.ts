/** Values in PostgreSQL statements are bound with the types of their parameters. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { decimalValue } from '../../../runtime/sql/column-values.js';
import { more } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { RecentMap } from '../../../runtime/sql/rows.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { openPostgres, read, update, type TestDatasource } from './open-datasource.js';
import { testCall } from '../../helpers/test-call.js';
import { growth, superlinear } from '../../helpers/growth.js';
import { runs } from '../../helpers/runs.js';

let postgres: TestDatasource;
/** A datasource with one connection, so that tests can query its prepared statements. */
let single: TestDatasource;

beforeAll(async () => {
  [postgres, single] = await Promise.all([
    openPostgres('bound'),
    openPostgres('bound_single', { pool: { min: 1, max: 1 } }),
  ]);
  await postgres.server.exec(
    'bound',
    `create type mood as enum ('calm', 'wild'); create domain price as numeric;
    create domain mail as text check (value like '%@%')`,
  );
});

afterAll(async () => {
  await Promise.all([postgres, single].map(({ datasource }) => datasource.close(performance.now() + 1000)));
});

/** Reads the value through a parameter of the type; undefined if the status is 400. */
async function through(type: string, value: Json): Promise<{ v: Json } | undefined> {
  try {
    const [row] = await read(postgres.datasource, `select $1::${type} as v`, [value]);
    return { v: row?.['v'] ?? null };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return undefined;
    throw error;
  }
}

/** The stored value for an accepted value, by type. Numeric strings become their digits: see `asNumber`. */
const meaning: Readonly<Record<string, (value: Json) => Json>> = {
  text: asString,
  jsonb: (value) => value,
  json: (value) => value,
  int: Number,
  bigint: Number,
  numeric: Number,
  price: Number,
  boolean: (value) =>
    typeof value === 'boolean' ? value : /^\s*(?:t|y|on|1)/i.test(JSON.stringify(value).replace('"', '')),
  bytea: (value) => value,
  uuid: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  mood: (value) => value,
  'jsonb[]': (value) => listed(value),
  'text[]': (value) => strings(listed(value)),
  'int[]': (value) => numbers(listed(value)),
};

function listed(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

function asString(value: Json): Json {
  return typeof value === 'string' || value === null ? value : JSON.stringify(value);
}

/** Nested arrays become several dimensions; otherwise an array is an element. */
function strings(values: readonly Json[]): Json[] {
  return values.map((value) => (Array.isArray(value) ? strings(value) : asString(value)));
}

function numbers(values: readonly Json[]): Json[] {
  return values.map((value) =>
    Array.isArray(value) ? numbers(value) : value === null ? null : Number(value),
  );
}

/** Normalizes numbers and numeric strings to their digits. */
function asNumber(value: Json): Json {
  if (Array.isArray(value)) return value.map(asNumber);
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/.test(value)) return value;
  return Number(value);
}

/** JSON cannot represent -0. */
const anyJson = fc
  .oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.constant(null)), { maxLength: 4 }),
    fc.constantFrom<Json>(
      '{}',
      '{1,2}',
      '{NULL}',
      'NULL',
      'null',
      '"',
      '\\',
      "'); drop table x; --",
      '$1',
      '{"a":1}',
    ),
    fc.constantFrom<Json>(
      'calm',
      'true',
      'on',
      'AAE=',
      '1',
      '-0.50',
      '0x1F',
      '1_000',
      'infinity',
      '\ud800',
      'a\0',
    ),
    fc.constantFrom<Json>(
      { ['__proto__']: 1 },
      { constructor: { prototype: 1 } },
      [[]],
      [[], []],
      [[1], [2]],
      [[1], 2],
    ),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

test.each(Object.keys(meaning))('any JSON value as %s is returned unchanged, or is 400', async (type) => {
  await fc.assert(
    fc.asyncProperty(anyJson, async (value) => {
      const given = await through(type, value);
      if (given === undefined) return;
      const { v } = given;
      if (value === null) expect(v).toBeNull();
      // NaN and infinities become null.
      else if (v === null) expect(JSON.stringify(value)).toMatch(/nan|inf|null/i);
      else if (Array.isArray(v) && v.length === 0) expect(JSON.stringify(value)).toMatch(/^\[[[\],]*\]$/);
      else expect(asNumber(v)).toEqual(asNumber(meaning[type]?.(value) ?? null));
    }),
    { numRuns: runs(10, 150) },
  );
  // Null is valid for every type, so not every value is a 400.
  expect(await through(type, null)).toEqual({ v: null });
});

test('arrays are bounded by what the server takes', async () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
  expect(await through('int[]', nested(6))).toEqual({ v: nested(6) });
  expect(await through('int[]', nested(7))).toBeUndefined();
  const long = Array.from({ length: 100_000 }, (_, index) => index);
  const [row] = await read(postgres.datasource, 'select cardinality($1::int[]) as n', [long]);
  expect(row).toEqual({ n: 100_000 });
});

test('a list next to another item has as many values as the driver can count, and more are 400', async () => {
  const beside = sql`select 7 as v where 5 in (1${more.before})`;
  const run = (length: number) =>
    read(postgres.datasource, beside, [Array.from({ length }, (_, index) => index)]);
  expect(await run(32_767)).toEqual([{ v: 7 }]);
  for (const length of [32_768, 40_000, 65_535, 70_000])
    await expect(run(length)).rejects.toMatchObject({ status: 400, message: 'Too many values' });
  expect(await run(20_000)).toEqual([{ v: 7 }]);
});

test('bytes are padded base64', async () => {
  expect(await through('bytea', 'YWI=')).toEqual({ v: 'YWI=' });
  for (const wrong of ['YWI', 'abc', 'YWJ=', 'YW I=', true, 1])
    expect(await through('bytea', wrong)).toBeUndefined();
});

test('JSON as deep as a service reads it is stored and returned', async () => {
  const deep = (depth: number): Json => (depth === 0 ? 1 : [deep(depth - 1)]);
  expect(await through('jsonb', deep(900))).toEqual({ v: deep(900) });
});

describe('the message names what does not match', () => {
  const run = async (sql: string, values: readonly Json[], valueNames: Readonly<Record<number, string>>) => {
    const definition = { operation: 'GET /x', fulfillment: 'x', sql, valueNames };
    try {
      await postgres.datasource.read(definition)(testCall(), values);
    } catch (error) {
      if (error instanceof ServiceError) return `${error.status} ${error.message}`;
    }
    return 'fits';
  };

  test.each<readonly [string, readonly Json[], Readonly<Record<number, string>>, string]>([
    [
      'select $1::int',
      [1.5],
      ['param.id'],
      "400 The value of parameter 'id' does not fit: expected an integer",
    ],
    [
      'select $1::int',
      ['3000000000'],
      ['param.id'],
      "400 The value of parameter 'id' does not fit: expected an integer from -2147483648 to 2147483647",
    ],
    [
      'select $1::int, $2::date',
      [1, '2023-02-29'],
      { 1: 'body.days[0]' },
      "400 The value of body field 'days[0]' does not fit: expected a date",
    ],
    ['select $1::mood', ['angry'], ['body'], '400 The value of the body does not fit'],
    ['select $1::text::varchar(2)::int', ['x'], ['body.x'], "400 The value of body field 'x' does not fit"],
    ['select $1::mail', ['x'], ['body.mail'], "400 The value of body field 'mail' does not fit"],
    ['select $1::int', ['x'], [], '400 The database does not accept a value of the request'],
    ['select 1 / $1::int', [0], ['param.n'], '400 The database does not accept a value of the request'],
    ['select $1::int', [7], ['param.id'], 'fits'],
    [
      'select $1::int[]',
      [[1, 2 ** 31]],
      ['body.lines[].count'],
      "400 The value of body field 'lines[1].count' does not fit: expected an integer from -2147483648 to 2147483647",
    ],
    [
      'select $1::int[]',
      [[[1], ['x']]],
      ['param.id'],
      "400 The value of parameter 'id[1][0]' does not fit: expected an integer",
    ],
    [
      'select $1::int[]',
      [[[1], [2, 3]]],
      ['body.m'],
      "400 The value of body field 'm' does not fit: expected a list of single values, or of lists of one length, 6 levels deep at most",
    ],
    [
      'select $1::text[]',
      [['a', ['b']]],
      ['body.tags'],
      "400 The value of body field 'tags' does not fit: expected a list of single values, or of lists of one length, 6 levels deep at most",
    ],
    [
      'select $1::text[]',
      [[[[[[[['a']]]]]]]],
      ['body.tags'],
      "400 The value of body field 'tags' does not fit: expected a list of single values, or of lists of one length, 6 levels deep at most",
    ],
    [
      'select $1::text[]',
      [['a', 'b\0']],
      ['body.tags'],
      "400 The value of body field 'tags[1]' does not fit: expected a string without U+0000 and lone surrogates",
    ],
    [
      'select * from jsonb_to_recordset($1) as line (book int, count int)',
      [
        [
          { book: 1, count: 1 },
          { book: 0, count: 2 ** 31 },
        ],
      ],
      ['body.lines'],
      "400 The value of body field 'lines[1].count' does not fit: expected an integer from -2147483648 to 2147483647",
    ],
    [
      'select * from jsonb_to_recordset($1) as line (day date), (select $2::text) as other',
      [[{ day: '2026-01-01' }, { day: '2026-02-30' }], 'x'],
      ['body', 'param.name'],
      "400 The value of body field '[1].day' does not fit",
    ],
    // The column that caused the error is not certain.
    [
      'select * from jsonb_to_recordset($1) as line (a text, count int)',
      [[{ a: 'x', count: 'x' }]],
      ['body.lines'],
      "400 The value of body field 'lines' does not fit",
    ],
  ])('%s with %j of %j', async (sql, values, valueNames, logged) => {
    expect(await run(sql, values, valueNames)).toBe(logged);
  });

  test('a string that is too long', async () => {
    await postgres.server.exec('bound', 'create table short (name varchar(2))');
    expect(await run('insert into short values ($1)', ['abc'], ['param.name'])).toBe(
      "400 The value of parameter 'name' is too long",
    );
  });
});

test('a column that gets another type takes the values of the new one', async () => {
  const { datasource, server } = single;
  const execute = (sql: string) => server.exec('bound_single', sql);
  await execute('create table changing (v int)');
  const insert = 'insert into changing values ($1)';
  await update(datasource, insert, [1]);
  await execute('alter table changing alter v type text');
  await update(datasource, insert, ['abc']);
  await execute(`alter table changing alter v type jsonb using to_jsonb(v)`);
  await update(datasource, insert, ['"quoted"']);
  await execute('alter table changing alter v type int[] using array[length(v::text)]');
  await update(datasource, insert, [[1, 2]]);
  expect(await read(datasource, 'select v from changing')).toEqual([
    { v: [3] },
    { v: [5] },
    { v: [12] },
    { v: [1, 2] },
  ]);
});

test('types that take the values of the old one, too, are asked for again after a minute', async () => {
  const { datasource, server } = single;
  await server.exec(
    'bound_single',
    `create table widened (d date, n real); insert into widened values ('2026-01-01', 0.1)`,
  );
  const reads = (): Promise<readonly unknown[]> =>
    Promise.all([
      read(datasource, 'select d from widened where d <= $1', ['2026-01-01T10:00:00']),
      read(datasource, 'select n from widened where n = $1', [0.1]),
    ]);
  const insert = (): Promise<unknown> =>
    update(datasource, 'insert into widened (d, n) values ($1, $2)', ['2026-01-01T09:00:00', 0.1]);
  for (let run = 0; run < 5; run += 1) expect(await reads()).toEqual([[{ d: '2026-01-01' }], [{ n: 0.1 }]]);
  await insert();
  await server.exec(
    'bound_single',
    'delete from widened; alter table widened alter d type timestamp, alter n type double precision',
  );
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
  try {
    await insert();
    expect(await reads()).toEqual([[{ d: '2026-01-01T09:00:00' }], [{ n: 0.1 }]]);
    expect(await reads()).toEqual([[{ d: '2026-01-01T09:00:00' }], [{ n: 0.1 }]]);
  } finally {
    clock.mockRestore();
  }
});

test('a procedure that commits and then meets a bad value is called once', async () => {
  const { datasource, server } = single;
  await server.exec(
    'bound_single',
    `create table half (id int);
     create procedure half_done(x text) language plpgsql as
       $$ begin insert into half values (1); commit; perform x::int; end $$`,
  );
  for (const attempt of ['first', 'second']) {
    await expect(update(datasource, 'call half_done($1)', ['x'])).rejects.toMatchObject({ status: 400 });
    const rows = await read(datasource, 'select count(*) as n from half');
    expect([attempt, rows]).toEqual([attempt, [{ n: attempt === 'first' ? 1 : 2 }]]);
  }
});

test.each([
  { max: 50, kept: 256 },
  { max: 20, kept: 409 },
  { max: 8, kept: 1024 },
])(
  'one of $max connections keeps $kept prepared statements, here and in the server',
  async ({ max, kept }) => {
    const options = '?pipelining=false';
    const { datasource } = await openPostgres(`bound_kept_${max}`, { pool: { min: 1, max } }, options);
    const count = async (since: Json = '-infinity'): Promise<Json | undefined> => {
      const [row] = await read(
        datasource,
        'select count(*) as n from pg_prepared_statements where prepare_time > $1::timestamptz',
        [since],
      );
      return row?.['n'];
    };
    const use = async (numbers: number): Promise<void> => {
      for (let number = 0; number < numbers; number += 1)
        expect(await read(datasource, `select ${number} + $1::int as v`, [1])).toEqual([{ v: number + 1 }]);
    };
    try {
      await count();
      // The count itself is one of the prepared statements.
      await use(kept - 2);
      const [{ now } = { now: null }] = await read(datasource, 'select clock_timestamp()::text as now');
      await use(kept - 2);
      expect([await count(), await count(now ?? null)]).toEqual([kept, 0]);
      await use(kept + 100);
      expect(await count()).toBe(kept);
      // A statement that was evicted long ago.
      expect(await read(datasource, 'select 3 + $1::int as v', [1])).toEqual([{ v: 4 }]);
    } finally {
      await datasource.close(performance.now() + 1000);
    }
  },
);

test('a text with very many values is not kept', async () => {
  const { datasource } = single;
  const markers = Array.from({ length: 2000 }, (_, index) => `$${index + 1}::int`).join(', ');
  const values = Array.from({ length: 2000 }, (_, index) => index);
  expect(await read(datasource, `select 7 as v where 5 in (${markers})`, values)).toEqual([{ v: 7 }]);
  const [row] = await read(
    datasource,
    `select count(*) as n from pg_prepared_statements where statement like 'select 7 as v where%'`,
  );
  expect(row).toEqual({ n: 0 });
});

test('the name of a prepared statement identifies its text', async () => {
  const other = await openPostgres('bound_other', { pool: { min: 1, max: 1 } });
  const name = async ({ datasource }: TestDatasource): Promise<Json | undefined> => {
    await read(datasource, 'select $1::int as named', [1]);
    const rows = await read(
      datasource,
      `select name from pg_prepared_statements where statement = 'select $1::int as named'`,
    );
    return rows[0]?.['name'];
  };
  try {
    // Another statement is prepared first, so that a sequence number would differ.
    await read(other.datasource, 'select $1::int as first', [1]);
    expect(await name(single)).toMatch(/^q[\w-]{22}$/);
    expect(await name(other)).toBe(await name(single));
  } finally {
    await other.datasource.close(performance.now() + 1000);
  }
});

test('a map of recent entries forgets those that were not used', () => {
  const forgotten: number[] = [];
  const map = new RecentMap<string, number>(8, (value) => forgotten.push(value));
  map.set('used', -1);
  for (let number = 0; number < 100; number += 1) {
    map.set(`k${number}`, number);
    expect(map.get('used')).toBe(-1);
    expect(map.size).toBeLessThanOrEqual(8);
  }
  expect(map.get('k99')).toBe(99);
  expect(map.get('k1')).toBeUndefined();
  expect(forgotten.length + map.size).toBe(101);
});

test('a map of recent entries keeps as many as its limit, whatever the order of their use', () => {
  const forgotten: number[] = [];
  const map = new RecentMap<number, number>(8, (value) => forgotten.push(value));
  for (let use = 0; use < 1000; use += 1) {
    const key = (use * 5) % 8;
    if (map.get(key) === undefined) map.set(key, key);
  }
  expect([map.size, forgotten]).toEqual([8, []]);
  for (let key = 8; key < 12; key += 1) map.set(key, key);
  expect([map.size, forgotten.length]).toEqual([8, 4]);
  // At least half of the limit is kept.
  for (let key = 8; key < 12; key += 1) expect(map.get(key)).toBe(key);
});

test('the time to read a numeric grows with its length, and no faster', () => {
  const work = (length: number): void => {
    const texts = [
      `0.${'0'.repeat(length)}1`,
      '0'.repeat(length),
      `1${'0'.repeat(length)}x`,
      `${'10'.repeat(length / 2)}.5`,
    ];
    for (const text of texts) decimalValue(text);
  };
  expect(growth(work, 131_072)).toBeLessThan(superlinear);
});
