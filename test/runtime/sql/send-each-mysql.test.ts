/** Changes of a loop that MariaDB runs as a block: the same errors, values and tables as one by one. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import { MysqlConnection } from '../../../runtime/mysql/connection.js';
import { sendEach } from '../../../runtime/sql/send-each.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { describedError } from './described-error.js';
import { openMariadb, type TestDatasource } from './open-datasource.js';

interface Line {
  readonly id: Json;
  readonly amount: Json;
  readonly code: Json;
  readonly at: Json;
}

const site = { operation: 'POST /lines', fulfillment: 'line' };

const line = ['id', 'amount', 'code', 'at'];
const definitions = {
  insert: {
    sql: 'INSERT INTO line (id, amount, code, at) VALUES (?, ?, ?, ?)',
    columns: [{ text: 'SELECT id, amount, code, at FROM line', use: 'written' }],
    valueNames: line.map((name) => `body[].${name}`),
  },
  // The result depends on the order of execution, and the comment on the line break after it.
  add: { sql: 'UPDATE total SET sum = (sum * 3 + ?) % 1000003 WHERE id = 1 -- in order' },
  upsert: {
    sql: 'INSERT INTO log (line, text) VALUES (?, ?) ON DUPLICATE KEY UPDATE text = CONCAT(text, VALUES(text))',
  },
  returning: { sql: 'INSERT INTO log (line, text) VALUES (-?, ?) RETURNING line' },
  remove: { sql: 'DELETE FROM log WHERE line = ? - 3' },
} as const;

type Name = keyof typeof definitions;

const valuesFor: Readonly<Record<Name, (line: Line) => Json[]>> = {
  insert: ({ id, amount, code, at }) => [id, amount, code, at],
  add: ({ amount }) => [amount],
  upsert: ({ id, code }) => [id, code],
  returning: ({ id, code }) => [id, code],
  remove: ({ id }) => [id],
};

const schema = `
  create table line (id int primary key, amount int, code varchar(5), at datetime(3), check (amount < 900));
  create table log (number int auto_increment primary key, line int unique, text varchar(200));
  create table plain (id int, text varchar(20)) engine = MyISAM;
  create table total (id int primary key, sum int);
  insert into total values (1, 1);
  create trigger refuse before insert on line for each row begin
    if new.amount = 777 then signal sqlstate '45000' set message_text = 'amount is refused'; end if;
    if new.amount = 775 then signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Deadlock found'; end if;
    if new.amount = 774 then kill connection connection_id(); end if;
  end;`;

interface Side extends TestDatasource {
  readonly statements: Readonly<Record<Name, Statement>>;
}

const sides: Side[] = [];

beforeAll(async () => {
  for (const name of ['together', 'apart']) {
    const opened = await openMariadb(`send_block_${name}`);
    await opened.server.exec(opened.database, schema);
    const statements = Object.fromEntries(
      Object.entries(definitions).map(([key, definition]) => [
        key,
        opened.datasource.update({ ...site, ...definition }),
      ]),
    ) as Side['statements'];
    sides.push({ ...opened, statements });
  }
});

afterAll(async () => {
  for (const { datasource } of sides) await datasource.close(performance.now());
});

function side(index: number): Side {
  const found = sides[index];
  if (found === undefined) throw new Error('no side');
  return found;
}

interface Choices {
  readonly names: readonly Name[];
  /** Whether an exception ends the loop after the last statement of an element. */
  readonly ends?: (line: Line) => boolean;
}

type Run = (call: Call, list: readonly Line[], choices: Choices, seen: unknown[]) => Promise<void>;

const together =
  ({ statements }: Side): Run =>
  async (call, list, { names, ends }, seen) => {
    const links = names.map((name) => [statements[name], valuesFor[name]] as const);
    for (const [element, ...sent] of sendEach(call, list, ...links)) {
      for (const [index, name] of names.entries()) {
        await sent[index];
        seen.push([element.id, name]);
      }
      if (ends?.(element) === true) throw new Error('an exception');
    }
  };

const oneByOne =
  ({ statements }: Side): Run =>
  async (call, list, { names, ends }, seen) => {
    for (const element of list) {
      for (const name of names) {
        await statements[name](call, valuesFor[name](element));
        seen.push([element.id, name]);
      }
      if (ends?.(element) === true) throw new Error('an exception');
    }
  };

async function outcome(
  own: Side,
  run: Run,
  list: readonly Line[],
  choices: Choices,
  retryOnConflict: boolean,
) {
  const { server, database } = own;
  await server.exec(database, 'delete from line; delete from log; update total set sum = 1');
  const attempts: unknown[][] = [];
  let error: unknown;
  try {
    await inTransaction(
      testCall(60_000),
      (call) => {
        const seen: unknown[] = [];
        attempts.push(seen);
        return run(call, list, choices, seen);
      },
      { retryOnConflict },
    );
  } catch (thrown) {
    error = describedError(thrown);
  }
  const tables = [];
  for (const sql of [
    'select * from line order by id',
    'select line, text from log order by line, text',
    'select sum from total',
  ])
    tables.push(await server.exec(database, sql));
  return { attempts, error, tables };
}

async function compare(list: readonly Line[], choices: Choices, isAgain = false, why = '') {
  const [left, right] = [side(0), side(1)];
  const expected = await outcome(right, oneByOne(right), list, choices, isAgain);
  expect(await outcome(left, together(left), list, choices, isAgain), why).toEqual(expected);
  return expected;
}

function lines(count: number, change: (index: number) => Partial<Line> = () => ({})): Line[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: index + 1, amount: index % 700, code: `c${index % 9}`, at: null },
    ...change(index),
  }));
}

/** The numbers of statements of the blocks that the run sends. */
async function blocksOf(run: () => Promise<unknown>): Promise<number[]> {
  const block = vi.spyOn(MysqlConnection.prototype, 'block');
  await run();
  const counts = block.mock.results.flatMap(({ value }) => {
    const made = value as ReturnType<MysqlConnection['block']>;
    return made === undefined ? [] : [made.count];
  });
  block.mockRestore();
  return counts;
}

test('loops at random', async () => {
  const random = new Random(60);
  const odd = (index: number): Partial<Line> =>
    random.pick<() => Partial<Line>>([
      () => ({ amount: 777 }),
      () => ({ amount: 775 }),
      () => ({ amount: 950 }),
      () => ({ id: Math.max(1, index - random.below(40)) }),
      () => ({ id: null }),
      () => ({ id: 'x' }),
      () => ({ id: 99_999_999_999 }),
      () => ({ code: 'too long' }),
      () => ({ at: 'yesterday evening' }),
      () => ({ amount: true }),
    ])();
  const ended = { well: 0, badly: 0 };
  const counts = await blocksOf(async () => {
    for (let round = 0; round < runs(40, 1_500); round += 1) {
      const names = random.some(random.below(3), () =>
        random.pick(['add', 'upsert', 'returning', 'remove'] as const),
      );
      const count = random.pick([0, 1, 2, 5, 40, 150]);
      const wrong = random.chance(60) ? random.below(Math.max(1, count)) : -1;
      const list = lines(count, (index) => ({
        at: random.chance(50) ? '2026-01-31T12:00:00Z' : null,
        ...(index === wrong ? odd(index) : {}),
      }));
      const last = random.chance(25) ? random.below(count + 1) : -1;
      const result = await compare(
        list,
        { names: ['insert', ...new Set(names)], ends: ({ id }) => id === last },
        random.chance(15),
        `round ${round}`,
      );
      ended[result.error === undefined ? 'well' : 'badly'] += 1;
    }
  });
  expect(ended.well).toBeGreaterThan(5);
  expect(ended.badly).toBeGreaterThan(5);
  expect(new Set(counts)).toContain(32);
}, 300_000);

test.each([
  [['insert'], 1_000, [...Array.from({ length: 31 }, () => 32)]],
  [['insert'], 10, [8]],
  [['insert'], 8, []],
  [['insert', 'add', 'upsert'], 14, [30, 6]],
] as const)('%j for %i elements', async (names, count, expected) => {
  const own = side(0);
  expect(await blocksOf(() => outcome(own, together(own), lines(count), { names }, false))).toEqual(expected);
});

test('an exception of an element before the one that fails comes first', async () => {
  const list = lines(100, (index) => (index === 60 ? { amount: 777 } : {}));
  const { error, attempts } = await compare(list, { names: ['insert'], ends: ({ id }) => id === 40 });
  expect(error).toBe('Error: an exception');
  expect(attempts[0]).toHaveLength(40);
});

test('the error is that of the statement that fails', async () => {
  const list = lines(100, (index) => (index === 60 ? { id: 3 } : {}));
  const { error, attempts } = await compare(list, { names: ['insert', 'add'] });
  expect(error).toMatchObject({ status: 409 });
  expect(attempts[0]).toHaveLength(120);
});

test('a conflict runs the transaction again', async () => {
  const list = lines(60, (index) => (index === 30 ? { amount: 775 } : {}));
  const { error, attempts } = await compare(list, { names: ['insert'] }, true);
  expect(error).toMatchObject({ status: 503 });
  expect(attempts.map(({ length }) => length)).toEqual([30, 30, 30, 30]);
}, 30_000);

test('no statement runs after a deadlock', async () => {
  const own = side(0);
  const { server, database, datasource } = own;
  await server.exec(database, 'delete from line');
  await server.exec(database, 'insert into line (id, amount) values (1001, 1), (1002, 1)');
  const touch = datasource.update({ ...site, sql: 'UPDATE line SET amount = amount + 1 WHERE id = ?' });
  const insert = own.statements.insert;
  const attempts: number[] = [];
  const moving = (order: readonly number[], ready: Promise<void>, begun: () => void) =>
    inTransaction(
      testCall(60_000),
      async (call) => {
        attempts.push(order[0] ?? 0);
        await touch(call, [order[0] ?? 0]);
        begun();
        await ready;
        // The statement that waits for the other transaction is within a block.
        const elements = [2000, 2001, 2002, 2003, order[1] ?? 0, 2004, 2005, 2006, 2007, 2008].map((id) => ({
          id,
        }));
        for (const [, sent] of sendEach(call, elements, [touch, ({ id }) => [id]])) await sent;
        await insert(
          call,
          [order[0] ?? 0, 5, 'x', null].map((value, index) => (index === 0 ? Number(value) + 2000 : value)),
        );
      },
      { retryOnConflict: true },
    );
  let release = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = 0;
  const begin = (): void => {
    begun += 1;
    if (begun === 2) release();
  };
  await Promise.all([moving([1001, 1002], ready, begin), moving([1002, 1001], ready, begin)]);
  expect(attempts.length).toBe(3);
  expect(await server.exec(database, 'select id, amount from line order by id')).toEqual([
    { id: 1001, amount: 3 },
    { id: 1002, amount: 3 },
    { id: 3001, amount: 5 },
    { id: 3002, amount: 5 },
  ]);
}, 30_000);

test('a connection that is ended in the middle', async () => {
  const list = lines(60, (index) => (index === 30 ? { amount: 774 } : {}));
  for (const [own, run] of [
    [side(0), together(side(0))],
    [side(1), oneByOne(side(1))],
  ] as const) {
    const { error, tables } = await outcome(own, run, list, { names: ['insert'] }, false);
    expect(error).toMatchObject({ status: 503 });
    expect(tables[0]).toEqual([]);
  }
});

test('a block that outlasts the call ends the transaction, and its statements do not run again', async () => {
  const { server, database, datasource } = side(0);
  await server.exec(database, 'delete from line');
  await server.exec(database, 'insert into line (id, amount) values (1015, 1)');
  const touch = datasource.update({ ...site, sql: 'UPDATE line SET amount = amount + 1 WHERE id = ?' });
  let error: unknown;
  const counts = await blocksOf(() =>
    inTransaction(testCall(60_000), async (holding) => {
      await touch(holding, [1015]);
      const waiting = inTransaction(testCall(700), async (call) => {
        const elements = lines(40, (index) => ({ id: index + 1000 }));
        for (const [, sent] of sendEach(call, elements, [touch, ({ id }) => [id]])) await sent;
      });
      error = await waiting.catch((thrown: unknown) => thrown);
    }),
  );
  expect(counts).toEqual([32]);
  expect(error).toMatchObject({ status: 504 });
});

test('a table without transactions has each row once after a failure', async () => {
  const { datasource, server, database } = side(0);
  await server.exec(database, 'delete from plain');
  const insert = datasource.update({
    ...site,
    sql: 'INSERT INTO plain (id, text) VALUES (?, IF(? = 20, (SELECT 1 UNION SELECT 2), 1))',
  });
  const run = inTransaction(testCall(60_000), async (call) => {
    for (const [, sent] of sendEach(call, lines(40), [insert, ({ id }) => [id, id]])) await sent;
  });
  await expect(run).rejects.toThrow();
  expect(await server.exec(database, 'select count(*) as n, count(distinct id) as ids from plain')).toEqual([
    { n: 19, ids: 19 },
  ]);
});

test('a server that refuses blocks runs the statements one by one', async () => {
  const own = side(0);
  const { datasource } = own;
  // Alone, the semicolon is allowed.
  const insert = datasource.update({ ...site, sql: 'INSERT INTO log (line, text) VALUES (?, ?);' });
  await own.server.exec(own.database, 'delete from log');
  const counts = await blocksOf(() =>
    inTransaction(testCall(60_000), async (call) => {
      for (const [, sent] of sendEach(call, lines(40), [insert, ({ id, code }) => [id, code]])) await sent;
    }),
  );
  expect(counts).toEqual([32, 8]);
  expect(await own.server.exec(own.database, 'select count(*) as n from log')).toEqual([{ n: 40 }]);
});
