/** Reads lists page by page in random orders, while others insert and delete rows. */
import { listOf } from '../../../runtime/lists/list-of.js';
import type { OrderColumn } from '../../../runtime/lists/ordered-sql.js';
import type { Row } from '../../../runtime/handler/json.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import type { Random } from '../../helpers/random.js';
import { testCall } from '../../helpers/test-call.js';

/** A server with a table `t`, whose rows contain many ties and nulls. */
export interface Walked {
  readonly datasource: DatabaseDatasource;
  readonly server: AttachedServer;
  readonly database: string;
}

const postgresTypes = {
  n: 'integer',
  big: 'bigint',
  price: 'numeric',
  f: 'double precision',
  r: 'real',
  s: 'text',
  c: 'text COLLATE "C"',
  padded: 'char(3)',
  at: 'timestamptz',
  local: 'timestamp',
  day: 'date',
  clock: 'time',
  ok: 'boolean',
  u: 'uuid',
  b: 'bytea',
  mood: 'mood',
  span: 'interval',
  net: 'inet',
} as const;

const mariadbTypes = {
  n: 'integer',
  big: 'bigint unsigned',
  price: 'decimal(30, 10)',
  f: 'double',
  r: 'float',
  s: 'varchar(20)',
  c: 'varchar(20) COLLATE utf8mb4_bin',
  padded: 'char(3)',
  at: 'timestamp(6) NULL',
  local: 'datetime(6)',
  day: 'date',
  clock: 'time(6)',
  ok: 'boolean',
  count: 'tinyint(1)',
  u: 'uuid',
  b: 'varbinary(5)',
  bits: 'bit(9)',
  bit: 'bit(1)',
  y: 'year',
} as const;

const uuids = ["'00000000-0000-0000-0000-000000000001'", "'ffffffff-0000-4000-8000-000000000000'"];

const values: Readonly<Record<string, readonly string[]>> = {
  n: ['0', '1', '-1', '2147483647'],
  big: ['0', '9007199254740992', '9007199254740993', '9007199254740994', '9223372036854775807'],
  price: ['0', '1.10', '12345678901234567890.0000000001', '12345678901234567890.0000000002', '-0.5'],
  f: ['0', '0.1', '-1e300', '1e-300', '0.30000000000000004'],
  r: ['0', '1.1', '16777216', '-3.4e38'],
  s: ["'a'", "'A'", "'ä'", "'b '", "''", "'%'"],
  c: ["'a'", "'A'", "'ä'", "'b'", "'😀'"],
  padded: ["'a'", "'ab'", "'abc'"],
  at: [
    "'2026-01-01 00:00:00.000001+00:00'",
    "'2026-01-01 00:00:00.000002+00:00'",
    "'2026-06-01 12:00:00+00:00'",
  ],
  local: ["'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'", "'2026-06-01 12:00:00'"],
  day: ["'2026-01-01'", "'2026-01-02'"],
  clock: ["'10:00:00.000001'", "'10:00:00'"],
  ok: ['true', 'false'],
  count: ['0', '1', '2', '-1'],
  u: uuids,
  b: ["'a'", "'b'", "''"],
  mood: ["'sad'", "'ok'", "'happy'"],
  span: ["'1 day'", "'24 hours'", "'1 mon'"],
  net: ["'10.0.0.1'", "'10.0.0.0/8'", "'::1'"],
  bits: ["b'1'", "b'100000000'", "b'0'"],
  bit: ["b'1'", "b'0'"],
  y: ['2001', '1999'],
};

/** PostgreSQL values that JSON cannot represent. */
const special: Readonly<Record<string, readonly string[]>> = {
  price: ["'NaN'", "'Infinity'", "'-Infinity'"],
  f: ["'NaN'", "'Infinity'", "'-Infinity'"],
  r: ["'NaN'", "'Infinity'"],
  at: ["'infinity'", "'-infinity'", "'0044-03-15 12:00:00+00 BC'"],
  day: ["'infinity'", "'0044-03-15 BC'"],
};

function typesOf({ datasource }: Walked): Readonly<Record<string, string>> {
  return datasource.kind === 'postgresql' ? postgresTypes : mariadbTypes;
}

export async function createTable(walked: Walked): Promise<void> {
  const { server, database, datasource } = walked;
  const columns = Object.entries(typesOf(walked)).map(([name, type]) => `${name} ${type}`);
  const isPostgres = datasource.kind === 'postgresql';
  if (isPostgres) await server.exec(database, "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')");
  const id = isPostgres ? 'bigint GENERATED ALWAYS AS IDENTITY' : 'bigint AUTO_INCREMENT';
  await server.exec(database, `CREATE TABLE t (id ${id} PRIMARY KEY, ${columns.join(', ')})`);
}

/** SQL that inserts `count` rows; a third of the values are null. */
export function insertOf(walked: Walked, random: Random, count: number): string {
  const names = Object.keys(typesOf(walked));
  const isPostgres = walked.datasource.kind === 'postgresql';
  const rows = Array.from({ length: count }, () =>
    names.map((name) => {
      const own = [...(values[name] ?? []), ...(isPostgres ? (special[name] ?? []) : [])];
      const written = random.chance(30) ? 'NULL' : random.pick(own);
      return !isPostgres && name === 'at' ? written.replace('+00:00', '') : written;
    }),
  );
  return `INSERT INTO t (${names.join(', ')}) VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')}`;
}

/** One to three columns in random directions, on PostgreSQL with nulls first or last; followed by the key. */
export function randomOrder(walked: Walked, random: Random): readonly OrderColumn[] {
  const isPostgres = walked.datasource.kind === 'postgresql';
  const all = Object.keys(typesOf(walked));
  const names = [...new Set(random.some(1 + random.below(3), () => random.pick(all)))];
  const columns = names.map((column): OrderColumn => {
    const isDescending = random.chance(50);
    const usual = isDescending === isPostgres ? 'first' : 'last';
    const nulls = isPostgres && random.chance(30) ? (usual === 'first' ? 'last' : 'first') : usual;
    return {
      column,
      ...(isDescending ? { descending: true } : {}),
      nulls,
      ...(nulls === usual ? {} : { isMoved: true }),
    };
  });
  const isDescending = columns.at(-1)?.descending === true;
  return [...columns, { column: 'id', ...(isDescending ? { descending: true as const } : {}) }];
}

/** The ids of each page; `between` is called after each page. */
export async function walk(
  { datasource }: Walked,
  columns: readonly OrderColumn[],
  limit: number,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<Row[]> {
  const read = listOf(datasource, {
    ...{ operation: 'GET /t', fulfillment: 't', sql: 'SELECT * FROM t' },
    order: { allow: { any: columns }, default: 'any' },
    page: { max: 1000, after: 'query.after' },
  });
  const rows: Row[] = [];
  let after: string | null = null;
  do {
    const page = await read(testCall(), [], { limit, after });
    rows.push(...page.rows);
    after = page.next;
    await between();
  } while (after !== null);
  return rows;
}
