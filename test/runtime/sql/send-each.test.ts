/** Loop statements sent together in a transaction: the same rows, errors, values and tables as one by one. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { sendEach } from '../../../runtime/sql/send-each.js';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import { DatasourceTransaction } from '../../../runtime/transactions/datasource-transaction.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { Random } from '../../helpers/random.js';
import { runs } from '../../helpers/runs.js';
import { testCall } from '../../helpers/test-call.js';
import { describedError } from './described-error.js';
import { openPostgres, type TestDatasource } from './open-datasource.js';

interface Line {
  readonly id: Json;
  readonly amount: Json;
  readonly code: Json;
  readonly at: Json;
  readonly note: Json;
}

/** The behaviour of the loop for each element. */
interface Choices {
  /** The statements run for each element, in order. */
  readonly names: readonly (keyof typeof definitions)[];
  readonly skips: (line: Line, name: string) => boolean;
  /** Whether an exception ends the loop after a statement. */
  readonly ends: (line: Line, name: string, rows: readonly Row[]) => boolean;
}

const site = { operation: 'POST /lines', fulfillment: 'line' };

const definitions = {
  insert: {
    ...site,
    sql: 'INSERT INTO line (id, amount, code, at, note) VALUES ($1, $2, $3, $4, $5) RETURNING id, amount',
    valueNames: ['body[].id', 'body[].amount', 'body[].code', 'body[].at', 'body[].note'],
  },
  // The result depends on the order of execution.
  add: { ...site, sql: 'UPDATE total SET sum = sum * 3 % 1000003 + $1 WHERE id = 1 RETURNING sum' },
  returning: { ...site, sql: 'UPDATE line SET amount = amount + $1 WHERE id = $2', returning: 'RETURNING *' },
  silent: { ...site, sql: 'INSERT INTO log (line, text) VALUES ($1, $2)' },
  constant: { ...site, sql: 'INSERT INTO log (text) SELECT count(*)::text FROM log' },
  many: { ...site, sql: 'UPDATE line SET code = code WHERE id % 7 = $1 RETURNING id' },
  count: { ...site, sql: 'SELECT count(*)::int AS lines, max(id) AS last FROM line WHERE amount > $1' },
} satisfies Record<string, StatementDefinition & { readonly sql: string }>;

const valuesFor: Readonly<Record<keyof typeof definitions, (line: Line) => Json[]>> = {
  insert: (line) => [line.id, line.amount, line.code, line.at, line.note],
  add: (line) => [line.amount],
  returning: (line) => [3, line.id],
  silent: (line) => [line.id, line.code],
  constant: () => [],
  many: (line) => [Number(line.id) % 7],
  count: () => [5],
};

const reading: ReadonlySet<string> = new Set(['count']);

const schema = `
  create table line (
    id int primary key, amount int check (amount < 900), code varchar(5), at timestamptz, note jsonb
  );
  create table log (line int references line deferrable initially deferred, text text);
  create table total (id int primary key, sum int);
  insert into total values (1, 1);
  create function refuse() returns trigger language plpgsql as $$ begin
    if new.amount = 777 then raise exception 'amount % of % is refused', new.amount, new.code; end if;
    if new.amount = 776 then raise sqlstate 'PT409' using message = 'taken'; end if;
    if new.amount = 775 then raise serialization_failure; end if;
    return new;
  end $$;
  create trigger refuse before insert or update on line for each row execute function refuse();`;

type Statements = Readonly<Record<keyof typeof definitions, Statement>>;

/** One of the two compared runs, with a separate database. */
interface Side extends TestDatasource {
  readonly statements: Statements;
}

function sideOf(opened: TestDatasource): Side {
  const { datasource } = opened;
  const statements = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [
      name,
      reading.has(name) ? datasource.read(definition) : datasource.update(definition),
    ]),
  ) as unknown as Statements;
  return { ...opened, statements };
}

type Run = (call: Call, lines: readonly Line[], choices: Choices, seen: unknown[]) => Promise<void>;

/** Executes the statements like a handler with `sendEach`. */
const together =
  ({ statements }: Side): Run =>
  async (call, lines, { names, skips, ends }, seen) => {
    const links = names.map(
      (name) =>
        [statements[name], (line: Line) => (skips(line, name) ? undefined : valuesFor[name](line))] as const,
    );
    for (const [line, ...sent] of sendEach(call, lines, ...links)) {
      for (const [index, name] of names.entries()) {
        if (skips(line, name)) continue;
        const rows = (await sent[index]) ?? [];
        seen.push([line.id, name, rows]);
        if (ends(line, name, rows)) throw new Error('an exception');
      }
    }
  };

const oneByOne =
  ({ statements }: Side): Run =>
  async (call, lines, { names, skips, ends }, seen) => {
    for (const line of lines) {
      for (const name of names) {
        if (skips(line, name)) continue;
        const rows = await statements[name](call, valuesFor[name](line));
        seen.push([line.id, name, rows]);
        if (ends(line, name, rows)) throw new Error('an exception');
      }
    }
  };

/** The rows seen by each attempt of the transaction, its error, and the tables afterwards. */
async function outcome(
  side: Side,
  run: Run,
  lines: readonly Line[],
  choices: Choices,
  retryOnConflict: boolean,
) {
  const attempts: unknown[][] = [];
  const steps = (call: Call) => {
    const seen: unknown[] = [];
    attempts.push(seen);
    return run(call, lines, choices, seen);
  };
  let error: unknown;
  try {
    await inTransaction(testCall(60_000), steps, { retryOnConflict });
  } catch (thrown) {
    error = describedError(thrown);
  }
  const tables = await side.server.exec(
    side.database,
    `select (select json_agg(line order by id) from line) as lines, (select sum from total) as total,
       (select json_agg(log order by line, text) from log) as logs`,
  );
  return { attempts, error, tables };
}

async function clean({ server, database }: Side): Promise<void> {
  await server.exec(database, 'truncate line, log; update total set sum = 1');
}

const usual: Choices = { names: ['insert'], skips: () => false, ends: () => false };

function lines(count: number, change: (index: number) => Partial<Line> = () => ({})): Line[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: index + 1, amount: index % 700, code: `c${index % 9}`, at: null, note: null },
    ...change(index),
  }));
}

/** An element that makes a statement fail in some way. */
function odd(random: Random, index: number): Partial<Line> {
  return random.pick<() => Partial<Line>>([
    () => ({ amount: 777 }),
    () => ({ amount: 776 }),
    () => ({ amount: 775 }),
    () => ({ amount: 950 }),
    () => ({ id: Math.max(1, index - random.below(40)) }),
    () => ({ id: null }),
    () => ({ id: 'x' }),
    () => ({ id: 99_999_999_999 }),
    () => ({ code: 'too long' }),
    () => ({ code: 'a\u0000' }),
    () => ({ at: 'yesterday evening' }),
    () => ({ at: '2026-02-30T00:00:00Z' }),
    () => ({ amount: true }),
    () => ({ note: { a: ['\u0000'] } }),
  ])();
}

describe.each(['', '?prepareThreshold=0'])('PostgreSQL%s', (options) => {
  const sides: Side[] = [];

  beforeAll(async () => {
    for (const name of ['together', 'apart']) {
      const opened = await openPostgres(`send_${name}${options === '' ? '' : '_unnamed'}`, {}, options);
      await opened.server.exec(opened.database, schema);
      sides.push(sideOf(opened));
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

  async function compare(list: readonly Line[], choices: Choices, isAgain = false, why = '') {
    const [left, right] = [side(0), side(1)];
    await clean(left);
    await clean(right);
    const expected = await outcome(right, oneByOne(right), list, choices, isAgain);
    expect(await outcome(left, together(left), list, choices, isAgain), why).toEqual(expected);
    return expected;
  }

  test('loops at random', async () => {
    const random = new Random(59);
    const ended = { well: 0, badly: 0 };
    for (let round = 0; round < runs(40, 1_500); round += 1) {
      const names = random.some(1 + random.below(3), () =>
        random.pick(['insert', 'add', 'returning', 'silent', 'constant', 'many', 'count'] as const),
      );
      const count = random.pick([0, 1, 2, 5, 40, 150]);
      const wrong = random.chance(60) ? random.below(Math.max(1, count)) : -1;
      const isOften = random.chance(10);
      const note = { text: 'x'.repeat(random.pick([1, 1, 1, 3_000, 90_000])) };
      const list = lines(count, (index) => ({
        note: random.chance(10) ? note : null,
        at: random.chance(50) ? '2026-01-31T12:00:00Z' : null,
        ...(index === wrong || (isOften && random.chance(10)) ? odd(random, index) : {}),
      }));
      const modulus = random.pick([1_000, 1_000, 2, 3]);
      const last = random.chance(25) ? random.below(count + 1) : -1;
      const result = await compare(
        list,
        {
          names: ['insert', ...names],
          skips: (line, name) => name !== 'insert' && Number(line.id) % modulus === 1,
          ends: (line, name) => line.id === last && name === names.at(-1),
        },
        random.chance(15),
        `round ${round}`,
      );
      ended[result.error === undefined ? 'well' : 'badly'] += 1;
    }
    expect(ended.well).toBeGreaterThan(5);
    expect(ended.badly).toBeGreaterThan(5);
  }, 300_000);

  test('statements are sent together', async () => {
    const left = side(0);
    const sent: number[] = [];
    const runAhead = vi.spyOn(DatasourceTransaction.prototype, 'runAhead');
    const count = async (choices: Choices, list: readonly Line[]) => {
      runAhead.mockClear();
      await clean(left);
      const { error } = await outcome(left, together(left), list, choices, false);
      const results = await Promise.all(
        runAhead.mock.results.map(
          ({ value }) => value as ReturnType<typeof DatasourceTransaction.prototype.runAhead>,
        ),
      );
      sent.splice(0, sent.length, ...results.map(({ length }) => length).filter((length) => length > 0));
      return error;
    };
    expect(await count(usual, lines(300))).toBe(undefined);
    expect(sent).toEqual([128, 128, 43]);
    expect(await count({ ...usual, names: ['insert', 'add', 'count'] }, lines(100))).toBe(undefined);
    expect(sent).toEqual([128, 128, 41]);
    // Statements to which the runtime adds RETURNING are also sent ahead.
    expect(await count({ ...usual, names: ['insert', 'returning'] }, lines(20))).toBe(undefined);
    expect(sent).toEqual([38]);
    // A statement that returns many rows is not sent ahead.
    await count({ ...usual, names: ['insert', 'many'] }, lines(300));
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.reduce((sum, length) => sum + length)).toBeLessThan(300);
    // The memory for values sent ahead is limited.
    const note = { text: 'x'.repeat(60_000) };
    expect(
      await count(
        usual,
        lines(12, () => ({ note })),
      ),
    ).toBe(undefined);
    expect(Math.max(...sent)).toBeLessThan(6);
    runAhead.mockRestore();
  });

  test.each([
    [{ at: 'yesterday evening' }, 'The database does not accept a value of the request'],
    [{ code: 'too long' }, 'The database does not accept a value of the request'],
    [{ id: 'x' }, "The value of body field '[].id' does not fit: expected an integer"],
  ])('a value that is refused: %j', async (change, message) => {
    const list = lines(180, (index) => (index === 150 ? change : {}));
    const { error, attempts } = await compare(list, usual);
    expect(error).toMatchObject({ status: 400, message });
    expect(attempts[0]).toHaveLength(150);
  });

  test('an exception of an element before the one that fails comes first', async () => {
    const list = lines(100, (index) => (index === 60 ? { amount: 777 } : {}));
    const ends = ({ id }: Line) => id === 40;
    const { error, attempts } = await compare(list, { ...usual, ends });
    expect(error).toBe('Error: an exception');
    expect(attempts[0]).toHaveLength(40);
  });

  test('a conflict runs the transaction again', async () => {
    const list = lines(60, (index) => (index === 30 ? { amount: 775 } : {}));
    const { error, attempts } = await compare(list, usual, true);
    expect(error).toMatchObject({ status: 503 });
    expect(attempts.map(({ length }) => length)).toEqual([30, 30, 30, 30]);
  }, 30_000);

  test('the time of a statement is its own', async () => {
    const left = side(0);
    await clean(left);
    const { datasource } = left;
    const sleep = datasource.update({ ...site, sql: 'INSERT INTO log (text) SELECT pg_sleep($1)::text' });
    const opened = datasource.use();
    const limit = vi.spyOn(opened, 'timeout', 'get').mockReturnValue(800);
    const run = async (seconds: readonly number[]) => {
      let ended = 0;
      try {
        await inTransaction(testCall(60_000), async (inner) => {
          for (const [, sent] of sendEach(inner, seconds, [sleep, (one) => [one]])) {
            await sent;
            ended += 1;
          }
        });
        return ended;
      } catch (error) {
        return [ended, describedError(error)];
      }
    };
    expect(await run([0, 0.3, 0.3, 0.3, 0.3])).toBe(5);
    expect(await run([0, 0.1, 0.1, 4, 0.1])).toEqual([3, expect.objectContaining({ status: 504 })]);
    limit.mockRestore();
  });

  test('a caller that leaves ends the statement that runs', async () => {
    const left = side(0);
    await clean(left);
    const sleep = left.datasource.update({
      ...site,
      sql: 'INSERT INTO log (text) SELECT $1::text || pg_sleep(0.3)',
    });
    let isGone = false;
    const call: Call = {
      ...testCall(60_000),
      proceed: () => {
        if (isGone) throw new Error('the client has gone');
      },
    };
    const start = performance.now();
    const run = inTransaction(call, async (inner) => {
      for (const [, sent] of sendEach(inner, lines(100), [sleep, ({ code }) => [code]])) await sent;
    });
    const ended = run.then(
      () => 'done',
      (error: unknown) => String(error),
    );
    await delay(700);
    isGone = true;
    expect(await ended).toBe('Error: the client has gone');
    expect(performance.now() - start).toBeLessThan(10_000);
    await expect
      .poll(() =>
        left.server.exec(
          left.database,
          `select count(*)::int as n from pg_stat_activity where datname = '${left.database}' and state <> 'idle' and query like '%pg_sleep(0.3)%' and pid <> pg_backend_pid()`,
        ),
      )
      .toEqual([{ n: 0 }]);
    expect(await left.server.exec(left.database, 'select count(*)::int as n from log')).toEqual([{ n: 0 }]);
  }, 20_000);

  test('a caller that leaves after the statements have run ends the loop', async () => {
    const left = side(0);
    await clean(left);
    const insert = left.datasource.update({ ...site, sql: 'INSERT INTO log (text) VALUES ($1)' });
    let isGone = false;
    const call: Call = {
      ...testCall(60_000),
      proceed: () => {
        if (isGone) throw new Error('the client has gone');
      },
    };
    const ended: number[] = [];
    const run = inTransaction(call, async (inner) => {
      for (const [index, sent] of sendEach(inner, [1, 2, 3, 4, 5, 6], [insert, (one) => [String(one)]])) {
        await sent;
        ended.push(index);
        isGone = index === 3;
      }
    });
    await expect(run).rejects.toThrow('the client has gone');
    expect(ended).toEqual([1, 2, 3]);
    expect(await left.server.exec(left.database, 'select count(*)::int as n from log')).toEqual([{ n: 0 }]);
  });

  test('a connection that is ended in the middle', async () => {
    for (const index of [0, 1]) {
      const own = side(index);
      await clean(own);
      const end = own.datasource.update({
        ...site,
        sql: 'INSERT INTO log (text) SELECT CASE WHEN $1 = 50 THEN pg_terminate_backend(pg_backend_pid())::text END',
      });
      const run = inTransaction(testCall(60_000), async (inner) => {
        for (const [, sent] of sendEach(inner, lines(100), [end, ({ id }) => [id]])) await sent;
      });
      const error = await run.then(
        () => undefined,
        (thrown: unknown) => describedError(thrown),
      );
      expect(error).toMatchObject({ status: 503 });
      expect(await own.server.exec(own.database, 'select count(*)::int as n from log')).toEqual([{ n: 0 }]);
    }
  });
});
