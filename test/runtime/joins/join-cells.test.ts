/** Joins whose response is written of bytes: the same bytes as of rows, for keys and values of all types, on both databases (decisions 8). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { equal } from '../../../runtime/compare/compare.js';
import { noteChange, type Call } from '../../../runtime/handler/call.js';
import { loopLimit } from '../../../runtime/handler/memory.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Json, JsonObject, Row } from '../../../runtime/handler/json.js';
import { cellsBy } from '../../../runtime/joins/cell-groups.js';
import { readCells, startCells, type Cells } from '../../../runtime/joins/cells.js';
import { joinCells } from '../../../runtime/joins/join-cells.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { JsonRows } from '../../../runtime/responses/json-rows.js';
import { startRead } from '../../../runtime/sql/reads-ahead.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { PassedValue } from '../../../runtime/sql/sql-template.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

/** Of values by their types, as SQL. */
type Samples = Readonly<Record<string, readonly string[]>>;

const longText = 'é"x'.repeat(30_000);

const ofPostgres: Samples = {
  int: ['0', '7', '-7', '70', '2147483647'],
  bigint: ['7', '70', '9007199254740993', '-9007199254740993', '123456789012345', '1234567890123456'],
  numeric: ['7', '7.0', '0.7', '70', "'NaN'", '9007199254740993'],
  'double precision': ['7', '0.5', "'-0'", "'Infinity'", '1e21'],
  text: ["'7'", "'7.0'", "'07'", "'-7'", "'70'", "'true'", "''", "'null'", "'a\"b\\ü'", "'9007199254740993'"],
  boolean: ['true', 'false'],
  uuid: ["'00000000-0000-0000-0000-000000000007'", "'10000000-0000-0000-0000-000000000007'"],
  json: ["'7'", '\'"7"\'', "'null'", `'{"a":[1,"2"]}'`, `'{"a":[1,2]}'`],
  'int[]': ["'{1,2}'", "'{}'", "'{7}'"],
  timestamptz: ["'2020-01-01 10:00:00+00'", "'infinity'"],
  bytea: ["'\\x3037'"],
};

const ofMariadb: Samples = {
  int: ['0', '7', '-7', '70', '2147483647'],
  'tinyint(1)': ['0', '1'],
  bigint: ['7', '70', '9007199254740993', '-9007199254740993', '123456789012345', '1234567890123456'],
  'bigint unsigned': ['7', '18446744073709551615'],
  'decimal(20,2)': ['7', '0.7', '70', '900719925474099.31'],
  double: ['7', '0.5', '-0', '1e21'],
  'varchar(100)': [
    "'7'",
    "'7.0'",
    "'07'",
    "'-7'",
    "'true'",
    "''",
    "'null'",
    "'a\"b\\\\ü'",
    "'9007199254740993'",
  ],
  json: ["'7'", '\'"7"\'', "'null'", `'{"a":[1,"2"]}'`, `'{"a":[1,2]}'`],
  datetime: ["'2020-01-01 10:00:00'", "'0000-00-00 00:00:00'"],
  'varbinary(10)': ["'07'"],
};

interface Database {
  readonly samples: Samples;
  readonly connected: () => Promise<DatabaseDatasource>;
  readonly textType: string;
  readonly series: string;
}

const databases: Readonly<Record<string, Database>> = {
  PostgreSQL: {
    samples: ofPostgres,
    connected: async () => {
      const server = await sharedPostgres();
      await server.createDatabase('join_cells');
      const made = postgres({ name: 'testdb' });
      made.open({ url: server.jdbcUrl('join_cells'), user: server.user, password: server.password });
      return made;
    },
    textType: 'text',
    series: 'generate_series(1, $1::int) s(n)',
  },
  MariaDB: {
    samples: ofMariadb,
    connected: async () => {
      const server = await sharedMariadb();
      await server.createDatabase('join_cells');
      const made = mysql({ name: 'testdb' });
      made.open({ url: server.jdbcUrl('join_cells'), user: server.user, password: server.password });
      return made;
    },
    textType: 'longtext',
    series: '(select seq as n from seq_1_to_100000 where seq <= ?) s',
  },
};

function textOf({ content }: JsonRows): string {
  if ('values' in content) return JSON.stringify(content.values);
  const { json } = content;
  return typeof json === 'string' ? json : Buffer.concat(json).toString();
}

function matching(key: Json, rows: readonly Row[], field: string): Row[] {
  return rows.filter((row) => key !== null && row[field] !== null && equal(key, row[field] ?? null));
}

/** What a handler without bytes writes. */
function expected(outer: readonly Row[], inner: readonly Row[]): JsonObject[] {
  return outer.map((row) => {
    const found = matching(row['k'] ?? null, inner, 'k');
    return {
      'the "id"': row['id'] ?? null,
      inner: found.map((one) => ({
        k: one['k'] ?? null,
        deep: { v: one['v'] ?? null, none: null },
        back: matching(one['id'] ?? null, outer, 'id').map((again) => ({ id: again['id'] ?? null })),
      })),
      first: found[0] === undefined ? null : { v: found[0]['v'] ?? null },
      both: found
        .filter((one) => equal(one['id'] ?? null, row['id'] ?? null))
        .map((one) => ({ id: one['id'] ?? null })),
      v: row['v'] ?? null,
      ...{ nobody: null, nothing: [], empty: {} },
    };
  });
}

async function joined(outer: Cells, inner: Cells, again: Cells): Promise<JsonRows> {
  const innerByK = cellsBy(inner, 'k');
  const outerById = cellsBy(again, 'id');
  const innerByBoth = cellsBy(inner, 'k', 'id');
  return joinCells(testCall(30_000), outer, {
    'the "id"': 'id',
    inner: innerByK.every('k', {
      k: 'k',
      deep: { v: 'v', none: 'missing' },
      back: outerById.every('id', { id: 'id' }),
    }),
    first: innerByK.first('k', { v: 'v' }),
    both: innerByBoth.every(['k', 'id'], { id: 'id' }),
    v: 'v',
    nobody: innerByK.first('missing', { v: 'v' }),
    nothing: cellsBy(inner, 'missing').every('k', { v: 'v' }),
    empty: {},
  });
}

describe.each(Object.entries(databases))('%s', (_name, { samples, connected, textType, series }) => {
  let datasource: DatabaseDatasource;

  beforeAll(async () => {
    datasource = await connected();
  });

  afterAll(() => datasource.close(performance.now()));

  function reading(sql: string): Statement {
    return datasource.read({ operation: 'GET /rows', fulfillment: 'rows', sql });
  }

  /** Rows of an id, a key and a value. */
  function rowsOf(keyType: string, valueType: string, random: Random): Statement {
    const cast = (type: string, literal: string): string =>
      type === 'json' && textType !== 'text' ? literal : `cast(${literal} as ${castType(type)})`;
    const keys = [...(samples[keyType] ?? []), 'null'];
    const values = [...(samples[valueType] ?? []), 'null'];
    const rows = Array.from(
      { length: 1 + random.below(20) },
      (_, index) =>
        `select ${index} as id, ${cast(keyType, random.pick(keys))} as k, ${cast(valueType, random.pick(values))} as v`,
    );
    return reading(rows.join(' union all '));
  }

  /** MariaDB casts to fewer types than columns can have. */
  function castType(type: string): string {
    if (textType === 'text') return type;
    if (type.startsWith('bigint u')) return 'unsigned';
    if (/^(?:big|tiny)?int/.test(type)) return 'signed';
    if (type.startsWith('varchar')) return 'char(100)';
    return type.startsWith('varbinary') ? 'binary' : type;
  }

  async function compare(
    outer: Statement,
    inner: Statement,
    values: readonly PassedValue[] = [],
  ): Promise<boolean> {
    const wanted = JSON.stringify(expected(await outer(testCall(), values), await inner(testCall(), values)));
    const call = testCall();
    const started = [startCells(outer, call, values), startCells(inner, call, values)] as const;
    const again = startCells(outer, call, values);
    const ahead = await joined(await started[0], await started[1], await again);
    expect(textOf(ahead)).toBe(wanted);
    const alone = await joined(
      await readCells(outer, testCall(), values),
      await readCells(inner, testCall(), values),
      await readCells(outer, testCall(), values),
    );
    expect(textOf(alone)).toBe(wanted);
    return 'json' in ahead.content && 'json' in alone.content;
  }

  test('keys and values of all types, on both sides', async () => {
    const random = new Random(36);
    const types = Object.keys(samples);
    let ofBytes = 0;
    for (const outer of types)
      for (const inner of types) {
        const value = random.pick(types);
        const isOfBytes = await compare(rowsOf(outer, value, random), rowsOf(inner, value, random));
        if (isOfBytes) ofBytes += 1;
      }
    expect(ofBytes).toBeGreaterThan((types.length * types.length * 9) / 10);
  });

  test('random rows of all lengths', async () => {
    const random = new Random(37);
    const sql = (factor: number): string =>
      `select n as id, n % 7 * ${factor} as k, cast(repeat('ü"', n * ${1 + random.below(300)} % 9973) as ${castType(textType === 'text' ? 'text' : 'varchar').replace('(100)', '')}) as v from ${series} order by n`;
    for (let run = 0; run < runs(4, 40); run += 1) {
      const count = 1 + random.below(60);
      expect(await compare(reading(sql(1)), reading(sql(1 + random.below(2))), [count])).toBe(true);
    }
  });

  test('values that have to be decoded, at the ends of pieces', async () => {
    const type =
      textType === 'text'
        ? "array[repeat('x', n * 997 % 20000)]"
        : "json_array(repeat('x', n * 997 % 20000))";
    const statement = reading(
      `select n as id, ${type} as v, n % 5 as k, repeat('y', n * 7 % 100) as rest from ${series} order by n`,
    );
    expect(await compare(statement, statement, [60])).toBe(true);
  });

  test('no rows, and one value that is larger than a piece', async () => {
    const statement = reading(`select n as id, n as k, repeat('é"x', 30000) as v from ${series}`);
    for (const count of [0, 1, 2]) {
      const isOfBytes = await compare(statement, statement, [count]);
      expect(isOfBytes).toBe(true);
    }
    const [row] = await statement(testCall(), [1]);
    expect(row?.['v']).toBe(longText);
  });

  test('rows that are traced, or that own code reads, are values', async () => {
    const statement = reading(`select n as id, n % 3 as k, n as v from ${series}`);
    await compare(statement, statement, [10]);
    const rows = await statement(testCall(), [10]);
    const traced = Object.assign((...passed: Parameters<Statement>) => statement(...passed), {
      runner: statement.runner,
      traceRows: () => undefined,
    });
    const own = { ...testCall(), isReadHere: true };
    const decoded = [
      await readCells(traced, testCall(), [10]),
      await readCells(statement, own, [10]),
      await startCells(statement, own, [10]),
    ];
    for (const cells of decoded) {
      const bytes = (): Promise<Cells> => readCells(statement, testCall(), [10]);
      for (const sides of [
        [cells, await bytes(), await bytes()],
        [await bytes(), cells, await bytes()],
      ] as const) {
        const { content } = await joined(...sides);
        expect('values' in content ? content.values : undefined).toEqual(expected(rows, rows));
      }
    }
  });

  test('a large join pauses for others, ends at the deadline, and has a limit', async () => {
    const statement = reading(`select n as id, n % 20 as k, repeat('z', 20) as v from ${series}`);
    const sides = async (): Promise<readonly [Cells, Cells]> => [
      await readCells(statement, testCall(), [3000]),
      await readCells(statement, testCall(), [3000]),
    ];
    await sides();
    const join = async (call = testCall()): Promise<JsonRows> => {
      const [outer, inner] = await sides();
      return joinCells(call, outer, { id: 'id', inner: cellsBy(inner, 'k').every('k', { v: 'v' }) });
    };
    const rows = await statement(testCall(), [3000]);
    const wanted = rows.map((row) => ({
      id: row['id'] ?? null,
      inner: matching(row['k'] ?? null, rows, 'k').map((one) => ({ v: one['v'] ?? null })),
    }));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = textOf(await join());
    isOver = true;
    expect(text === JSON.stringify(wanted)).toBe(true);
    expect(turns).toBeGreaterThan(1);
    const gone = new Error('gone');
    const ended = {
      ...testCall(),
      proceed: () => {
        throw gone;
      },
    };
    await expect(join(ended)).rejects.toBe(gone);
    const { memory } = loopLimit;
    loopLimit.memory = 1024 * 1024;
    try {
      await expect(join()).rejects.toMatchObject({ status: 500, message: 'The response is too large' });
    } finally {
      loopLimit.memory = memory;
    }
  });

  test('a process that holds too much refuses them: 503, and after a change no promise that a retry is safe', async () => {
    const statement = reading(`select n as id, repeat('z', 100) as v from ${series}`);
    await readCells(statement, testCall(), [3000]);
    const full = new ServiceError(503, 'Too many large results at a time', { retryAfter: 1 });
    const ways = [
      (call: Call) => readCells(statement, call, [3000]),
      async (call: Call) => startCells(statement, call, [3000]),
      async (call: Call) => startRead(statement, call, [3000]),
    ];
    for (const read of ways)
      for (const [hasChanged, status] of [
        [false, 503],
        [true, 500],
      ] as const) {
        const call: Call = {
          ...testCall(),
          hold: () => {
            throw full;
          },
        };
        if (hasChanged) noteChange(call);
        const error: unknown = await read(call).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ status });
        expect(error instanceof ServiceError ? error.details.retryAfter : 0).toBe(hasChanged ? undefined : 1);
      }
  });

  test('rows are joined once: their memory is used again', async () => {
    const statement = reading(`select n as id, repeat('z', 100) as v from ${series}`);
    await readCells(statement, testCall(), [3000]);
    const cells = await readCells(statement, testCall(), [3000]);
    expect(cells.bytes).toBeDefined();
    const first = textOf(await joinCells(testCall(), cells, { v: 'v' }));
    expect(JSON.parse(first)).toHaveLength(3000);
    await expect(joinCells(testCall(), cells, { v: 'v' })).rejects.toThrow('not there any more');
  });
});
