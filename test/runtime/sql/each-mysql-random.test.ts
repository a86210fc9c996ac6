/**
 * Random tables, queries and settings of MariaDB: a loop with batched reads returns the same bytes as one by one, even while tables change.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { eachInUnion } from '../../../runtime/sql/each.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { expectAlike, readsAtOnce, textsOf, type Element } from './each-reads.js';
import { open } from './open-datasource.js';

let server: DatabaseServer;

beforeAll(async () => {
  // A refresh of statistics could change a plan, and with it the order of rows in a query without ORDER BY.
  server = await startMariadb(['--innodb-stats-auto-recalc=0']);
  await server.createDatabase('each');
});

afterAll(() => server.stop());

/** A column type, and a function that writes a random literal. */
type Kind = readonly [type: string, valueOf: (random: Random) => string];

/** An integer of `bits` bits. */
function integer(random: Random, bits: number, isUnsigned: boolean): string {
  const range = 1n << BigInt(bits);
  const number = random.chance(20)
    ? random.pick([0n, 1n, range - 1n, range / 2n - 1n, range / 2n])
    : (BigInt(random.below(2 ** 32)) * 2n ** 32n + BigInt(random.below(2 ** 32))) % range;
  return String(isUnsigned ? number : number - range / 2n);
}

function digits(random: Random, whole: number, fraction: number): string {
  const some = (count: number) => random.some(random.below(count + 1), () => random.below(10)).join('');
  return `${random.pick(['', '-'])}0${some(whole)}.${some(fraction)}0`;
}

function double(random: Random): string {
  return random.chance(20)
    ? random.pick(['-0e0', '1e300', '5e-324', '1.7976931348623157e308', '0.1e0', '16777217e0'])
    : `${digits(random, 17, 17)}e${random.below(40) - 20}`;
}

function time(random: Random): string {
  const two = (below: number) => String(random.below(below)).padStart(2, '0');
  return `${two(24)}:${two(60)}:${two(60)}.${random.below(1_000_000)}`;
}

function date(random: Random): string {
  if (random.chance(30))
    return random.pick(['0000-00-00', '2020-00-00', '2020-01-00', '2020-02-31', '0001-01-01']);
  return `${1970 + random.below(60)}-${1 + random.below(12)}-${1 + random.below(28)}`;
}

function text(random: Random, length: number): string {
  const letters = random.some(random.below(length + 1), () =>
    random.pick(['a', 'B', ' ', 'é', 'ß', '€', '😀', "''", '"', '\\\\', '%', '\\n', '0']),
  );
  return `'${letters.join('')}'`;
}

const sets = [
  ...['', ' character set latin1', ' character set ascii', ' character set utf8mb3', ' character set ucs2'],
  ...[' character set utf16', ' character set binary', ' collate utf8mb4_bin', ' collate utf8mb4_nopad_bin'],
  ...[' character set sjis', ' character set cp1251', ' collate utf8mb4_german2_ci'],
];

function anyKind(random: Random): Kind {
  const isUnsigned = random.chance(40);
  const sign = isUnsigned ? random.pick([' unsigned', ' unsigned', ' unsigned zerofill']) : '';
  const number = (type: string, bits: number): Kind => [
    `${type}${sign}`,
    (own) => integer(own, bits, isUnsigned),
  ];
  const length = random.pick([0, 1, 9, 64, 255]);
  const long = random.pick([0, 3, 127, 128, 171, 512, 513, 700]);
  const set = random.pick(sets);
  const fraction = random.below(7);
  const scale = random.below(39);
  const precision = Math.max(1, scale + random.below(66 - scale));
  const bits = 1 + random.below(64);
  return random.pick<() => Kind>([
    () => number('tinyint(1)', 8),
    () => number('tinyint', 8),
    () => number('smallint', 16),
    () => number('mediumint(5)', 24),
    () => number('int', 32),
    () => number('bigint', 64),
    () => [`float${sign}`, double],
    () => [`double${sign}`, double],
    () => [`float(7,${random.below(5)})`, (own) => digits(own, 3, 9)],
    () => [`double(20,${random.below(9)})`, (own) => digits(own, 12, 12)],
    () => [`decimal(${precision},${scale})${sign}`, (own) => digits(own, precision - scale, scale + 1)],
    () => ['year', (own) => String(own.pick([0, 1901, 2024, 2155]))],
    () => ['date', (own) => `'${date(own)}'`],
    () => [`time(${fraction})`, (own) => `'${own.pick(['', '-', '8'])}${time(own)}'`],
    () => [`datetime(${fraction})`, (own) => `'${date(own)} ${time(own)}'`],
    () => [`timestamp(${fraction}) null`, (own) => `'${date(own)} ${time(own)}'`],
    () => [`char(${length})${set}`, (own) => text(own, length)],
    () => [`varchar(${long})${set}`, (own) => text(own, long)],
    () => [`${random.pick(['tinytext', 'text', 'mediumtext', 'longtext'])}${set}`, (own) => text(own, 90)],
    () => [`varchar(${long}) compressed`, (own) => text(own, long)],
    () => ['text', (own) => `repeat(${text(own, 9)}, ${own.below(3_000)})`],
    () => [`binary(${length})`, (own) => text(own, length)],
    () => [`varbinary(${long})`, (own) => text(own, long)],
    () => [
      random.pick(['tinyblob', 'blob', 'longblob']),
      (own) =>
        `x'${own
          .below(2 ** 32)
          .toString(16)
          .padStart(8, '0')}'`,
    ],
    () => [
      `bit(${bits})`,
      (own) =>
        `b'${own
          .below(2 ** 32)
          .toString(2)
          .slice(-bits)}'`,
    ],
    () => ["enum('', 'sad', 'glad')", (own) => own.pick(["''", "'sad'", "'glad'", '0'])],
    () => ["set('a', 'b', 'c')", (own) => own.pick(["''", "'a,b'", "'c'"])],
    () => ['json', (own) => own.pick(['\'{"a": 1.0}\'', "'[]'", "'null'", '\'"é"\'', "'1e400'"])],
    () => ['inet4', (own) => `'10.0.0.${own.below(256)}'`],
    () => ['inet6', (own) => `'::${own.below(9_999)}'`],
    () => ['uuid', (own) => `'00000000-0000-4000-8000-${String(own.below(2 ** 32)).padStart(12, '0')}'`],
    () => ['point', (own) => `point(${own.below(9)}, ${own.below(9)})`],
  ])();
}

/** Types whose reads are not batched. */
const other = /^(?:tinyint|year|date|time|bit|enum|set|point)|zerofill|^(?:float|double)\(/;

function mostlyStored(random: Random): Kind {
  const kind = anyKind(random);
  return other.test(kind[0]) && random.chance(80) ? mostlyStored(random) : kind;
}

const modes = [
  ...['', 'TRADITIONAL', 'TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH', 'PAD_CHAR_TO_FULL_LENGTH', 'NO_ZERO_DATE'],
  ...['ANSI', 'NO_ZERO_IN_DATE,STRICT_ALL_TABLES', 'TIME_ROUND_FRACTIONAL', 'ORACLE', 'ALLOW_INVALID_DATES'],
  ...[
    'EMPTY_STRING_IS_NULL',
    'NO_BACKSLASH_ESCAPES',
    'MSSQL',
    'NO_UNSIGNED_SUBTRACTION',
    'HIGH_NOT_PRECEDENCE',
  ],
];

const rows = 40;

/** A query of columns c0, c1 … of the table, and of another table. */
function anyQuery(random: Random, count: number): string {
  const column = () => `c${random.below(count)}`;
  const list = random.pick([
    () => '*',
    () => 't.*',
    () => `t.*, id AS again`,
    () =>
      random
        .some(1 + random.below(4), () => `${column()}${random.pick(['', '', ` AS x${random.below(3)}`])}`)
        .join(', '),
  ])();
  const from = random.pick(['t', 't', 't LEFT JOIN other ON t.k = other.own']);
  const compared = random.pick([
    'k =',
    'k =',
    'k <',
    'k >=',
    'k <>',
    `${column()} =`,
    `${column()} >`,
    'k <=>',
  ]);
  const more = random.pick([
    '',
    '',
    ` AND ${column()} IS NOT NULL`,
    ` OR id < 3`,
    ` AND k IN (SELECT own FROM other)`,
  ]);
  const order = random.pick([
    '',
    ` ORDER BY ${column()}`,
    ` ORDER BY k DESC, ${column()} DESC`,
    ' ORDER BY 1',
    ' ORDER BY id',
  ]);
  const limit = random.pick(['', '', ' LIMIT 3', ' LIMIT 1, 2', ' LIMIT 0']);
  return `SELECT ${list} FROM ${from} WHERE ${compared} :[PARAM(a)]${more}${order}${limit}`;
}

function anyElements(random: Random): Element[] {
  return random.some(17 + random.below(20), () => [
    random.chance(10) ? random.pick([null, '', 'a', '1.5', true]) : random.below(10),
  ]);
}

async function exec(sql: string): Promise<unknown> {
  return server.exec('each', sql);
}

/** The number of elements read in batches, which must not be 0. */
let atOnce = 0;

const seeds = Array.from({ length: runs(15, 2_000) }, (_, index) => index);

test.each(seeds)('%i', async (seed) => {
  const random = new Random(seed);
  const kinds = random.some(1 + random.below(4), () => mostlyStored(random));
  const valueOf = ([, own]: Kind) => (random.chance(15) ? 'null' : own(random));
  const own = Array.from(
    { length: rows },
    (_, id) => `(${[id, random.below(9), ...kinds.map(valueOf)].join(', ')})`,
  );
  const definitions = kinds.map(([type], index) => `c${index} ${type}`);
  await exec(`set sql_mode = ''; drop table if exists t, other; drop view if exists t;
    create table t (id int primary key, k int, ${definitions.join(', ')}${random.pick(['', ', index (k)'])});
    create table other (own int); insert into other values (1), (1), (3), (null);
    insert ignore into t values ${own.join(', ')};
    analyze table t, other; set global sql_mode = '${random.pick(modes)}'`);
  const datasource = open(mysql({ name: 'testdb' }), server, 'each');
  try {
    const texts = textsOf('mysql', anyQuery(random, kinds.length));
    const compare = async (): Promise<void> => {
      // A new statement each time, because batching pauses after a failure, while the connection keeps its knowledge of the table.
      const { statement, elements } = readsAtOnce(eachInUnion, datasource, texts);
      await expectAlike(statement, anyElements(random));
      atOnce += elements();
    };
    await compare();
    // A value may be invalid for the new type.
    await exec(`set sql_mode = ''; alter ignore table t modify c0 ${anyKind(random)[0]}`).catch(
      () => undefined,
    );
    await exec('analyze table t');
    await compare();
    await exec('rename table t to kept; create view t as select * from kept');
    await compare();
  } finally {
    await exec('drop view if exists t; drop table if exists kept');
    await datasource.close(performance.now() + 1_000);
  }
});

test('some of them are read together', () => {
  expect(atOnce).toBeGreaterThan(0);
});
