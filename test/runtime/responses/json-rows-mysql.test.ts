/**
 * Lists of MySQL and MariaDB rows that are converted to JSON without row objects: the same bytes as with objects, for all columns, strings
 * and network chunks.
 */
import { createConnection } from 'mysql2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shortestFloat } from '../../../runtime/mysql/column-types.js';
import { forgetStatements, prepare, type Prepared } from '../../../runtime/mysql/driver-internals.js';
import { execute } from '../../../runtime/mysql/execution.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { MysqlRows } from '../../../runtime/mysql/row-format.js';
import { jsonRows } from '../../../runtime/responses/json-rows.js';
import { JsonRows, type JsonRowsOrValues } from '../../../runtime/handler/rows-as-json.js';
import { RowBytes } from '../../../runtime/responses/row-bytes.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { PassedValue } from '../../../runtime/sql/sql-template.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { sharedMariadb } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { quickRead, statusOf } from '../sql/shared-reads.js';

let server: AttachedServer;
let proxy: Proxy;
let datasource: DatabaseDatasource;
let opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  server = await sharedMariadb();
  await server.createDatabase('json_rows');
  proxy = await startProxy(server.port);
  datasource = connected();
  await server.exec('json_rows', tableOfSamples());
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close(performance.now())));
  await proxy.close();
});

function connected(
  definition: Parameters<typeof mysql>[0] = { name: 'testdb' },
  limits: Partial<Parameters<DatabaseDatasource['open']>[0]> = {},
): DatabaseDatasource {
  const made = mysql(definition);
  const url = server.jdbcUrl('json_rows').replace(/:\d+/, `:${proxy.port}`);
  made.open({ url, user: server.user, password: server.password, ...limits });
  opened = [...opened, made];
  return made;
}

function reading(sql: string, of = datasource): Statement {
  return of.read({ operation: 'GET /rows', fulfillment: 'rows', sql });
}

function textOf(rows: JsonRowsOrValues): string {
  // Decoded rows would make the comparison meaningless.
  if (!(rows instanceof JsonRows)) throw new Error('the rows were decoded');
  const { json } = rows;
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}

async function readBytes(
  statement: Statement,
  values: readonly PassedValue[] = [],
  fields?: Readonly<Record<string, string>>,
): Promise<string> {
  return textOf(await jsonRows(statement, testCall(60_000), values, fields));
}

/** Compares both conversions, and returns the JSON. */
async function compare(
  sql: string,
  values: readonly PassedValue[] = [],
  fields?: Readonly<Record<string, string>>,
  of = datasource,
): Promise<string> {
  const statement = reading(sql, of);
  const found = await readBytes(statement, values, fields);
  const decoded = await statement(testCall(60_000), values);
  const expected =
    fields === undefined
      ? decoded
      : decoded.map((row) =>
          Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, row[column] ?? null])),
        );
  expect(found).toBe(JSON.stringify(expected));
  return found;
}

const integers = (...limits: readonly string[]): string[] => ['0', '1', '-1', '9', '10', '-100', ...limits];
const timestamps = [
  ...["'2020-01-01 10:00:00'", "'2024-02-29 23:59:59.999999'", "'2020-01-01 00:00:00'"],
  ...["'2020-12-31 01:02:03.1'", "'2020-12-31 01:02:03.120'", "'2020-12-31 01:02:03.000001'"],
];
const texts = [
  ...["''", "'plain'", `'a "quoted" word'`, "'back\\\\slash'", "'line\\nbreak\\r\\ttab'", "'ü€😀𝒳'"],
  ...["'null'", "'</script>'", "'\u0001\u001f\u007f\u0080'", "'\u2028\u2029'", "'\ufffd\ufeff'", "'\ufeff'"],
  ...[31, 32, 33, 250, 251, 252].map((length) => `'${'x'.repeat(length)}'`),
];
const longTexts = [
  ...[`concat(repeat('y', 40), '"')`, "repeat('é', 40)", "repeat('z', 65534)", "repeat('a', 65535)"],
];

/** Literals by column type. */
const samples: Readonly<Record<string, readonly string[]>> = {
  'tinyint(1)': ['0', '1', '-1', '127'],
  'tinyint(4)': integers('127', '-128'),
  'tinyint unsigned': ['0', '255'],
  smallint: integers('32767', '-32768'),
  'smallint unsigned': ['0', '65535'],
  mediumint: integers('8388607', '-8388608'),
  'mediumint unsigned': ['0', '16777215'],
  int: integers('2147483647', '-2147483648'),
  'int unsigned': ['0', '4294967295', '2147483648'],
  'int(8) zerofill': ['0', '42'],
  bigint: integers(
    ...['123456789012345', '9007199254740991', '9007199254740992', '-9007199254740991'],
    ...['-9007199254740992', '9223372036854775807', '-9223372036854775808', '4294967296', '-4294967297'],
  ),
  'bigint unsigned': ['0', '9007199254740991', '9007199254740993', '18446744073709551615'],
  float: [
    ...[
      '0',
      '-0.0',
      '1.1',
      '0.1',
      '1e10',
      '3.4e38',
      '1e-30',
      '16777216',
      '16777217',
      '-16777215',
      '123456.7',
    ],
    ...['1e-45', '0.000001', '0.0000001', '33554432', '99999990'],
  ],
  'float(7,3)': ['1.25', '1000.125'],
  double: [
    ...[
      '0',
      '-0.0',
      '1.5',
      '0.1',
      '0.30000000000000004',
      '1e15',
      '1e16',
      '1e21',
      '1e22',
      '1e-5',
      '1e-6',
      '1e-7',
    ],
    ...['1e308', '5e-324', '123456789012345680', '9007199254740993', '-0.000012', '1234.5678', '100.25'],
  ],
  'decimal(30,10)': [
    ...[
      '0',
      '1',
      '1.50',
      '-0.5',
      '-12.30',
      '0.0000010',
      '0.0000001',
      '12345678901234567890.1234567891',
      '100',
    ],
    ...['12345.6789', '99999999999999.9'],
  ],
  'decimal(10,0)': ['0', '-5', '9999999999'],
  'decimal(10,2) unsigned zerofill': ['0', '7.50'],
  year: ['0', '1901', '2155', '2024'],
  date: ["'2020-02-29'", "'0000-00-00'", "'2020-00-00'", "'9999-12-31'", "'0001-01-01'"],
  time: ["'10:00:00'", "'-838:59:59'", "'00:00:00'", "'100:00:01'"],
  'time(6)': ["'10:00:00.120000'", "'-01:00:00.000001'"],
  datetime: [...timestamps, "'0000-00-00 00:00:00'", "'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'"],
  'datetime(3)': timestamps,
  'datetime(6)': [...timestamps, "'0000-00-00 00:00:00'"],
  timestamp: [...timestamps, "'0000-00-00 00:00:00'"],
  'timestamp(2)': timestamps,
  'timestamp(6)': timestamps,
  'varchar(300)': texts,
  'char(10)': ["'ab'", `'"'`, "'é'"],
  text: [...texts, ...longTexts],
  mediumtext: ["repeat('😀', 50000)", `concat(repeat('m', 70000), '"')`, "''"],
  longtext: ["repeat('w', 100000)", "'x'"],
  tinytext: ["'tiny'", "'\\\\'"],
  'varchar(20) character set latin1': ["'é'", "'a'"],
  'varchar(20) character set utf16': ["'é😀'", "'a'"],
  'varchar(20) character set ascii': ["'a'"],
  'varchar(20) collate utf8mb4_bin': ["'é'", `'"'`],
  'binary(3)': ["'abc'", "x'00ff22'"],
  'varbinary(300)': ["''", "x'00ff'", "'plain'", "repeat('b', 300)"],
  blob: ["''", "x'c328'", "repeat('b', 1000)"],
  'bit(1)': ["b'0'", "b'1'"],
  'bit(12)': ["b'101'", "b'0'"],
  "enum('sad', 'say \"yes\"')": ["'sad'", `'say "yes"'`],
  "set('a', 'b', 'ü')": ["''", "'a,b'", "'ü'"],
  json: [
    ...["'null'", "'1'", "'1.0'", "'-0'", "'12345678901234567890'", '\'"text"\'', "'[1, 2]'"],
    ...[
      `'{"b":1, "a" : 2}'`,
      `'{"a":1,"a":2}'`,
      "'not a document'",
      `'{"10":1,"2":2}'`,
      `'{"__proto__":{"x":1}}'`,
      `'"\\\\ud83d"'`,
    ],
  ],
  point: ['point(1, 2.5)'],
  geometry: ["st_geomfromtext('LINESTRING(0 0,1 1)')"],
  uuid: ["'d0f5c4bc-3a53-4b5a-9c77-1f1d4a1d8a54'"],
  inet4: ["'10.0.0.1'"],
  inet6: ["'::1'", "'2001:db8::ff00:42:8329'"],
};

const types = Object.keys(samples);
/** The column of the type. */
function of(type: string): string {
  return `c${types.indexOf(type)}`;
}

/** The number of rows in the table. */
const rows = 60;

/** A table with a column for each type; each sample value occurs in some row. */
function tableOfSamples(): string {
  const random = new Random(3);
  const lists = types.map((type) => samples[type] ?? []);
  const tuples = Array.from({ length: rows }, (_, row) => {
    const values = lists.map((list) => list[row] ?? (random.chance(25) ? 'NULL' : random.pick(list)));
    return `(${[row, ...values].join(', ')})`;
  });
  return [
    "set names utf8mb4, sql_mode = '', time_zone = '+00:00', check_constraint_checks = 0",
    'drop table if exists sample',
    `create table sample (id int primary key, ${types.map((type, index) => `c${index} ${type} null`).join(', ')})`,
    ...tuples.map((tuple) => `insert into sample values ${tuple}`),
    'create or replace view ids as select seq as id from seq_1_to_20000',
  ].join(';\n');
}

describe('has the bytes that objects have', () => {
  test.each(types.map((type, index) => [type, `c${index}`] as const))('of %s', async (type, column) => {
    const json = await compare(`select id, ${column} as value from sample order by id`);
    const found = new Set(
      (JSON.parse(json) as { readonly value: unknown }[]).map(({ value }) => JSON.stringify(value)),
    );
    // Columns with fewer digits make some values equal.
    expect(found.size).toBeGreaterThan(type.includes('timestamp') ? 2 : 1);
  });

  test('of all columns', async () => {
    await compare('select * from sample');
    await compare('select * from sample order by id desc limit 5');
  });

  test.each([
    ['no rows', 'select 1 as id from dual where false'],
    ['two columns with one name', 'select 1 as a, 2 as b, 3 as a'],
    ['names that are numbers', 'select 1 as b, 2 as `10`, 3 as `2`, 4 as a'],
    [
      'names that have to be escaped',
      'select 1 as "a ""b"" \\\\ c", 2 as `ü\n`'.replace('"a ""b"" \\\\ c"', '`a "b" \\ c`'),
    ],
    [
      'hundreds of columns',
      `select ${Array.from({ length: 600 }, (_, at) => `${at % 7 === 0 ? 'null' : at} as c${at}`).join(', ')}`,
    ],
    ['NULL without a type', 'select null as nothing, 1 as id'],
    [
      'sorted bits',
      `select distinct ${of('bit(1)')} as bit, ${of('bit(12)')} as bits from sample order by bits`,
    ],
    [
      'results of functions',
      `select count(*), sum(${of('int')}), avg(${of('int')}), max(${of('double')}), min(${of('text')}), now() is null, if(true, ${of('int')}, ${of('bigint')}), concat(${of('text')}, '"') from sample`,
    ],
    ['unions', `select id as value from sample union select ${of('text')} from sample union select 1.5`],
    ['what SHOW reports', "show variables like 'character\\_set\\_client'"],
  ])('with %s', async (_, sql) => {
    await compare(sql);
    await compare(sql);
  });

  test('with fields that are columns in another order and by other names', async () => {
    const sql = "select seq as id, concat('\"', seq) as name, seq * 1.50 as price from seq_1_to_1000";
    await compare(sql);
    await compare(sql, [], { label: 'name', id: 'id' });
    await compare(sql, [], { a: 'name', b: 'name', 10: 'price', c: 'name' });
    await compare(sql);
    expect(await readBytes(reading('select 1 as id'), [], { id: 'id', other: 'other' })).toBe(
      '[{"id":1,"other":null}]',
    );
  });

  test('of random rows', async () => {
    const random = new Random(7);
    for (let round = 0; round < runs(10, 600); round += 1) {
      const columns = random.some(1 + random.below(12), (at) => {
        const name = random.pick([`n${at}`, `n${at}`, 'same', String(random.below(30))]);
        const column = `c${random.below(types.length)}`;
        const expression = random.chance(15) ? `nullif(${column}, ${column})` : column;
        return `${random.chance(15) ? 'null' : expression} as \`${name}\``;
      });
      const from = random.chance(20)
        ? 'sample as one join (select id as other from sample) as two on true'
        : 'sample';
      await compare(`select ${columns.join(', ')} from ${from} limit ${random.below(200)}`);
    }
  });

  test('of texts with every character, and of random ones', async () => {
    const all = Array.from({ length: 0x110000 }, (_, point) => point).filter(
      (point) => point > 0 && (point < 0xd800 || point > 0xdfff),
    );
    await server.exec(
      'json_rows',
      'drop table if exists texts; create table texts (id int primary key, text longtext)',
    );
    const insert = datasource.update({
      operation: 'POST /texts',
      fulfillment: 'texts',
      sql: 'insert into texts values (?, ?)',
    });
    let id = 0;
    const add = async (text: string): Promise<void> => {
      await insert(testCall(), [(id += 1), text]);
    };
    for (let at = 0; at < all.length; at += 4999)
      await add(String.fromCodePoint(...all.slice(at, at + 4999)));
    for (const point of all.slice(0, 300)) await add(`a${String.fromCodePoint(point)}b`);
    const random = new Random(5);
    for (let round = 0; round < 300; round += 1)
      await add(String.fromCodePoint(...random.some(random.below(40), () => random.pick(all))));
    const json = await compare('select text from texts order by id');
    expect((JSON.parse(json) as { readonly text: string }[])[0]?.text).toBe(
      String.fromCodePoint(...all.slice(0, 4999)),
    );
  });

  test('of every float and double that is drawn', () => {
    // Integers are converted by a shorter code path.
    const random = new Random(9);
    const bits = Buffer.alloc(4);
    for (let round = 0; round < 20_000; round += 1) {
      bits.writeUInt32LE(random.below(2 ** 32));
      const drawn = random.chance(50) ? bits.readFloatLE() : random.below(2 ** 25) - 2 ** 24;
      const value = Math.fround(drawn);
      if (!Number.isFinite(value)) continue;
      const shortest = [6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits)));
      expect(shortestFloat(value)).toBe(shortest.find((number) => Math.fround(number) === value));
    }
  });
});

test('doubles are written as JavaScript writes them', () => {
  const random = new Random(13);
  const column = { name: 'n', columnType: 5, columnLength: 22, flags: 0 };
  const row = Buffer.alloc(10);
  for (let round = 0; round < runs(12_500, 1_000_000); round += 1) {
    const digits = random.below(10 ** random.below(10)) * 10 ** random.below(7) + random.below(100);
    const drawn = random.chance(50) ? digits / 10 ** random.below(8) : digits / (1 + random.below(1_000_000));
    row.writeDoubleLE(random.chance(50) ? -drawn : drawn, 2);
    const rows = new RowBytes(undefined);
    const parser = { next: () => [row.readDoubleLE(2)] };
    rows.begin(new MysqlRows(['n'], [column], [column], [(value) => value as number], parser));
    expect(rows.take(row, 0, row.length)).toBe(true);
    expect(rows.finish()).toBe(JSON.stringify([{ n: row.readDoubleLE(2) }]));
  }
});

describe('whatever the network does', () => {
  test('a result that is cut anywhere', async () => {
    const { host, port, user, password } = server;
    const connection = createConnection({
      host,
      port,
      user,
      password,
      database: 'json_rows',
      dateStrings: true,
      jsonStrings: true,
      supportBigNumbers: true,
    });
    forgetStatements(connection);
    try {
      const sql = `select id, ${['tinyint(1)', 'double', 'int', 'text', 'datetime(6)', 'json', 'decimal(30,10)'].map(of).join(', ')} from sample limit 12`;
      const statement = await new Promise<Prepared>((resolve, reject) => {
        prepare(connection, sql, (error, prepared) => {
          if (prepared === undefined) reject(error ?? new Error('nothing'));
          else resolve(prepared);
        });
      });
      const inside = connection as unknown as { packetParser: { execute(chunk: Buffer): void } };
      const own = inside.packetParser;
      let length = 0;
      let cut: readonly number[] = [];
      inside.packetParser = {
        execute: (chunk) => {
          length = chunk.length;
          const ends = [0, ...cut.filter((at) => at < length), length];
          // A copy, so that data kept from a chunk is not overwritten by the next chunk.
          for (let at = 1; at < ends.length; at += 1)
            own.execute(Buffer.from(chunk.subarray(ends[at - 1], ends[at])));
        },
      };
      const run = (): Promise<string> =>
        new Promise((resolve, reject) => {
          const sink = new RowBytes(undefined);
          execute(connection, statement, { text: sql, sink }, [], (error, result) => {
            const json = sink.finish();
            if (result === undefined) reject(error instanceof Error ? error : new Error(String(error)));
            else resolve(typeof json === 'string' ? json : Buffer.concat(json).toString());
          });
        });
      const expected = await run();
      expect(JSON.parse(expected)).toHaveLength(12);
      expect(length).toBeGreaterThan(1000);
      const whole = length;
      for (let at = 1; at < whole; at += 1) {
        cut = [at];
        expect(await run()).toBe(expected);
      }
      cut = Array.from({ length: whole }, (_, at) => at + 1);
      expect(await run()).toBe(expected);
    } finally {
      connection.destroy();
    }
  });

  test('rows that are larger than a packet can be', async () => {
    const [{ Value: before } = {}] = await server.exec(
      'json_rows',
      "show global variables like 'max_allowed_packet'",
    );
    await server.exec('json_rows', 'set global max_allowed_packet = 67108864');
    try {
      const of = connected({ name: 'testdb', pool: { max: 1 } }, { resultLimit: 512 * 1024 * 1024 });
      const packet = 2 ** 24 - 1;
      for (const bytes of [
        packet - 20,
        packet - 5,
        packet - 4,
        packet,
        packet + 1,
        2 * packet,
        2 * packet + 7,
      ]) {
        const sql = `select 1 as id, repeat('x', ${bytes}) as text, 2 as last union all select 3, 'y', 4`;
        const json = await readBytes(reading(sql, of));
        expect(json).toBe(`[{"id":1,"text":"${'x'.repeat(bytes)}","last":2},{"id":3,"text":"y","last":4}]`);
      }
      const many = await readBytes(reading("select seq, repeat('é', 100000) as text from seq_1_to_200", of));
      expect(JSON.parse(many)).toHaveLength(200);
    } finally {
      await server.exec('json_rows', `set global max_allowed_packet = ${String(before)}`);
    }
  });

  test('a connection that is cut in the middle: the read runs again, and has each row once', async () => {
    const of = connected({ name: 'testdb', pool: { max: 2 } });
    const statement = reading("select id, repeat('é', id % 50) as text from ids where id <= ?", of);
    const expected = await readBytes(statement, [3000]);
    expect(JSON.parse(expected)).toHaveLength(3000);
    for (const bytes of [1, 5, 100, 5_000, 70_000, 150_000]) {
      const cuts = proxy.cuts();
      proxy.cutAfter(bytes, 'to client');
      expect((await readBytes(statement, [3000])) === expected).toBe(true);
      expect(proxy.cuts()).toBe(cuts + 1);
    }
  });
});

describe('whatever else runs', () => {
  test('each of many reads at a time gets its own rows, as bytes or not, between some that fail', async () => {
    const failing = 'select id, cast(if(id = 10, exp(id * ?), 1) as signed) as n from ids limit 20';
    const [list, one, overflow] = await Promise.all([
      quickRead(
        datasource,
        `select id, ${of('varchar(300)')} as text, ${of('double')} as price from sample where id < ?`,
        [50],
      ),
      quickRead(datasource, "select ? as id, 'one' as name", [1]),
      quickRead(datasource, failing, [0]),
    ]);
    const expected = new Map<number, string>();
    for (const count of [0, 1, 7, 50]) expected.set(count, JSON.stringify(await list(testCall(), [count])));
    const random = new Random(11);
    for (let round = 0; round < runs(10, 400); round += 1) {
      await Promise.all(
        random.some(30, async (at) => {
          switch (random.below(4)) {
            case 0: {
              const count = random.pick([...expected.keys()]);
              expect(await readBytes(list, [count])).toBe(expected.get(count));
              return;
            }
            case 1:
              expect(await one(testCall(), [`${at}`])).toEqual([{ id: `${at}`, name: 'one' }]);
              return;
            case 2:
              expect(await readBytes(one, [`${at}`])).toBe(`[{"id":"${at}","name":"one"}]`);
              return;
            default:
              expect(await statusOf(jsonRows(overflow, testCall(), [1000]))).not.toBe(200);
          }
        }),
      );
    }
  });

  test('an error after thousands of rows is an error, and the next read has all of its rows', async () => {
    const statement = reading('select id, exp(if(id = 15000, ?, 1)) as n from ids');
    expect(JSON.parse(await readBytes(statement, [1]))).toHaveLength(20_000);
    expect(await statusOf(jsonRows(statement, testCall(), [1000]))).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(await readBytes(statement, [2]))).toHaveLength(20_000);
  });

  test('a value that cannot be read is an error, and the connection goes on', async () => {
    const of = connected({ name: 'testdb', pool: { max: 1 } });
    const nested =
      "if(id = 500, json_compact(concat(repeat('[', ?), repeat(']', ?))), json_compact('[]')) as nested";
    const statement = reading(`select id, ${nested} from ids limit 1000`, of);
    expect(JSON.parse(await readBytes(statement, [10, 10]))).toHaveLength(1000);
    const broken =
      "select id, if(id = 500, st_geomfromtext('POINT(1 1)'), null) as place from ids limit 1000";
    expect(JSON.parse(await readBytes(reading(broken, of)))).toHaveLength(1000);
  });

  test('more rows than ROW_LIMIT are an error, and so are more bytes than a result may have', async () => {
    const of = connected({ name: 'testdb' }, { rowLimit: 5000, resultLimit: 1024 * 1024 });
    const list = reading("select id, repeat('é', ?) as text from ids where id <= ?", of);
    expect(JSON.parse(await readBytes(list, [1, 5000]))).toHaveLength(5000);
    expect(await statusOf(jsonRows(list, testCall(), [1, 20_000]))).toBe(500);
    expect(await statusOf(jsonRows(list, testCall(), [1000, 4000]))).toBe(500);
    expect(JSON.parse(await readBytes(list, [1, 5000]))).toHaveLength(5000);
  });

  test('a client that goes away in the middle ends the statement', async () => {
    const of = connected({ name: 'testdb', pool: { max: 2 } });
    const slow = reading('select id, sleep(?) as slept from ids limit 2000', of);
    expect(JSON.parse(await readBytes(slow, [0]))).toHaveLength(2000);
    const gone = new Error('gone');
    let isGone = false;
    const call = {
      ...testCall(),
      proceed: () => {
        if (isGone) throw gone;
      },
    };
    const list = jsonRows(slow, call, [0.01]);
    setTimeout(() => {
      isGone = true;
    }, 100);
    await expect(list).rejects.toBe(gone);
    expect(JSON.parse(await readBytes(slow, [0]))).toHaveLength(2000);
  });

  test('a procedure with several results: the first one with rows is its result', async () => {
    await server.exec(
      'json_rows',
      "create or replace procedure several() begin select 1 as id, 'one' as name; select 2 as id; end",
    );
    const statement = reading('call several()');
    expect(await readBytes(statement)).toBe('[{"id":1,"name":"one"}]');
    expect(await readBytes(statement)).toBe('[{"id":1,"name":"one"}]');
  });

  test('a table whose columns change', async () => {
    await server.exec(
      'json_rows',
      'create or replace table changing (id int); insert into changing values (1)',
    );
    const statement = reading('select * from changing');
    expect(await readBytes(statement)).toBe('[{"id":1}]');
    await server.exec('json_rows', "alter table changing add text varchar(9) default '\"'");
    expect(await readBytes(statement)).toBe('[{"id":1,"text":"\\""}]');
    await server.exec('json_rows', 'alter table changing modify id varchar(9)');
    expect(await readBytes(statement)).toBe('[{"id":"1","text":"\\""}]');
  });
});
