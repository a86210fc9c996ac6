/** Conflicts with concurrent changes: only statements that were rolled back completely run again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError, type Reply } from '../../../runtime/handler/reply.js';
import { value } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { testCall } from '../../helpers/test-call.js';
import { openMariadb, openPostgres, type TestDatasource } from './open-datasource.js';

const site = { operation: 'POST /test', fulfillment: 'step' };

/** `sometimes(n)` causes a conflict n times; `half()` commits a part of its work before the conflict. */
const postgresSchema = `
  create table entry (id int, n int);
  create table counter (id int primary key, n int);
  create sequence runs;
  create function sometimes(times int) returns int language plpgsql as $$ begin
    if nextval('runs') <= times then raise exception 'conflict' using errcode = '40001'; end if;
    return 1;
  end $$;
  create procedure half() language plpgsql as $$ begin
    insert into entry values (100, 0);
    commit;
    raise exception 'conflict' using errcode = '40001';
  end $$;
  alter database conflicts set default_transaction_isolation = 'serializable';
  alter database conflicts set deadlock_timeout = '20ms'`;

const mariadbSchema = [
  'create table entry (id int, n int)',
  'create table counter (id int primary key, n int)',
  'create sequence runs',
  `create function sometimes(times int) returns int begin
     if nextval(runs) <= times then signal sqlstate '40001' set mysql_errno = 1213; end if;
     return 1;
   end`,
  `create procedure half() begin
     insert into entry values (100, 0);
     commit;
     start transaction;
     signal sqlstate '40001' set mysql_errno = 1213;
   end`,
];

let postgres: TestDatasource;
let mariadb: TestDatasource;

beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([openPostgres('conflicts'), openMariadb('conflicts')]);
  await postgres.server.exec('conflicts', postgresSchema);
  for (const statement of mariadbSchema) await mariadb.server.exec('conflicts', statement);
});

afterAll(() =>
  Promise.all([postgres, mariadb].map(({ datasource }) => datasource.close(performance.now() + 1000))),
);

async function errorOf(run: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw new Error('no ServiceError', { cause: error });
}

const retryOnConflict = { retryOnConflict: true };

/** The response to a conflict that was not resolved by retries. */
const conflict = {
  status: 503,
  message: 'The change conflicts with another one',
  details: { retryAfter: 1 },
};

describe.each([
  {
    name: 'PostgreSQL',
    source: () => postgres,
    restart: 'alter sequence runs restart',
    asText: (id: number) => `insert into entry select ${id}, sometimes($1)`,
  },
  {
    name: 'MariaDB',
    source: () => mariadb,
    restart: 'alter sequence runs restart 1',
    asText: (id: number) => `insert into entry select ${id}, sometimes(?)`,
  },
])('$name', ({ name, source, restart, asText }) => {
  beforeEach(async () => {
    const { server } = source();
    await server.exec('conflicts', restart);
    await server.exec('conflicts', 'delete from entry');
  });

  const change = (text: string) => source().datasource.update({ ...site, sql: text });

  async function entries(): Promise<unknown[]> {
    const rows = await source().server.exec('conflicts', 'select id from entry order by id');
    return rows.map(({ id }) => id);
  }

  /** A change that stays in the transaction, and one that causes `times` conflicts; counts its runs. */
  function operation(times: number): { run: (call: Call) => Promise<Reply>; runs: () => number } {
    const before = change('insert into entry values (1, 0)');
    const after = change(asText(2));
    let runs = 0;
    return {
      runs: () => runs,
      run: async (call) => {
        runs += 1;
        await before(call, []);
        await after(call, [times]);
        return reply(200, runs);
      },
    };
  }

  test.each([1, 2, 3])(
    'a transaction that meets %i conflicts runs again, and is done once',
    async (times) => {
      const { run, runs } = operation(times);
      expect(await inTransaction(testCall(), run, retryOnConflict)).toEqual(reply(200, times + 1));
      expect(runs()).toBe(times + 1);
      expect(await entries()).toEqual([1, 2]);
    },
  );

  test('after three times it is 503 with Retry-After, and nothing of it is there', async () => {
    const { run, runs } = operation(99);
    expect(await errorOf(inTransaction(testCall(), run, retryOnConflict))).toMatchObject(conflict);
    expect(runs()).toBe(4);
    expect(await entries()).toEqual([]);
  });

  test('a transaction that is not declared to be of databases alone runs once', async () => {
    const { run, runs } = operation(1);
    expect(await errorOf(inTransaction(testCall(), run))).toMatchObject(conflict);
    expect(runs()).toBe(1);
    expect(await entries()).toEqual([]);
  });

  test('an inner transaction is run again with the one around it', async () => {
    const { run, runs } = operation(1);
    const outer = (call: Call) => inTransaction(call, run, retryOnConflict);
    expect((await inTransaction(testCall(), outer, retryOnConflict)).body).toBe(2);
    expect(runs()).toBe(2);
    expect(await entries()).toEqual([1, 2]);
  });

  test('nothing runs again when the time of the call is over, or its client has gone', async () => {
    const late = operation(99);
    expect(await errorOf(inTransaction(testCall(20), late.run, retryOnConflict))).toMatchObject({
      status: expect.toSatisfy((status) => status === 503 || status === 504) as number,
    });
    expect(late.runs()).toBeLessThan(4);
    const { run, runs } = operation(99);
    const gone: Call = {
      ...testCall(),
      proceed: () => {
        if (runs() > 1) throw new ServiceError(499, 'gone');
      },
    };
    expect((await errorOf(inTransaction(gone, run, retryOnConflict))).status).toBe(499);
    expect(runs()).toBe(2);
    expect(await entries()).toEqual([]);
  });

  test('a single statement runs again likewise, up to three times', async () => {
    await change(asText(1))(testCall(), [3]);
    expect(await entries()).toEqual([1]);
    await source().server.exec('conflicts', restart);
    expect(await errorOf(change(asText(2))(testCall(), [4]))).toMatchObject(conflict);
    expect(await entries()).toEqual([1]);
  });

  test('a procedure that commits on the way runs once, and nobody knows what it did', async () => {
    const { datasource } = source();
    const half = datasource.update({ ...site, sql: 'call half()', atomic: false });
    expect(await errorOf(half(testCall(), []))).toMatchObject({
      status: 500,
      message: 'It is unknown whether the change was made',
      details: { outcome: 'unknown' },
    });
    expect(await entries()).toEqual([100]);
    const error = await errorOf(
      inTransaction(
        testCall(),
        async (call) => {
          await datasource.update({ ...site, sql: 'insert into entry values (101, 0)' })(call, []);
          await half(call, []);
          return reply(204);
        },
        retryOnConflict,
      ),
    );
    // PostgreSQL does not allow procedures to commit inside a transaction.
    if (name === 'PostgreSQL') {
      expect(error).toMatchObject({ status: 500, message: 'Internal server error' });
      expect(await entries()).toEqual([100]);
    } else {
      expect(error).toMatchObject({ status: 500, details: { outcome: 'unknown' } });
      expect(await entries()).toEqual([100, 100, 101]);
    }
    expect(await datasource.read({ ...site, sql: 'select 1 as one' })(testCall(), [])).toEqual([{ one: 1 }]);
  });

  test('60 changes of the same rows, each in its own order: each that is acknowledged is there once', async () => {
    const { server, datasource } = source();
    await server.exec(
      'conflicts',
      `insert into counter values ${[1, 2, 3].map((id) => `(${id}, 0)`).join(', ')}`,
    );
    const add = datasource.update({
      ...site,
      sql: sql`update counter set n = n + 1 where id = ${value}`,
    });
    let runs = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const ids = [1, 2, 3].map((_id, step) => ((index + step) % 3) + 1);
        const run = inTransaction(
          testCall(20_000),
          async (call) => {
            runs += 1;
            for (const id of ids) await add(call, [id]);
            return reply(204);
          },
          retryOnConflict,
        );
        return run.then(
          () => undefined,
          (error: unknown) => error,
        );
      }),
    );
    const failed = outcomes.filter((outcome) => outcome !== undefined);
    for (const error of failed) expect(error).toMatchObject({ status: 503, details: { retryAfter: 1 } });
    const done = 60 - failed.length;
    process.stdout.write(`${name}: ${done} of 60 done, in ${runs} runs\n`);
    expect(runs).toBeGreaterThan(60 - failed.length);
    const rows = await server.exec('conflicts', 'select n from counter order by id');
    expect(rows.map(({ n }) => n)).toEqual([done, done, done]);
  });
});

test('a row that has changed since the transaction began, where MariaDB keeps to its snapshot (its default from 11.6.2 on)', async () => {
  const { server, datasource } = mariadb;
  await server.exec('conflicts', 'insert into counter values (9, 0)');
  const setting = 'set session innodb_snapshot_isolation = on';
  const isolate = datasource.update({ ...site, sql: setting, changesSession: true });
  const look = datasource.read({ ...site, sql: 'select n from counter where id = 9' });
  const add = datasource.update({ ...site, sql: 'update counter set n = n + 1 where id = 9' });
  let runs = 0;
  const run = async (call: Call) => {
    runs += 1;
    await isolate(call);
    await look(call);
    if (runs === 1) await server.exec('conflicts', 'update counter set n = 10 where id = 9');
    await add(call);
    return reply(204);
  };
  expect(await inTransaction(testCall(), run, retryOnConflict)).toEqual(reply(204));
  expect(await server.exec('conflicts', 'select n from counter where id = 9')).toEqual([{ n: 11 }]);
});

test.each([
  'set transaction isolation level repeatable read',
  "set local lock_timeout = '5s'",
  'set constraints all deferred',
])('what holds up to the end of the transaction is undone with it: %s', async (text) => {
  const { server, datasource } = postgres;
  await server.exec('conflicts', 'alter sequence runs restart; delete from entry');
  const set = datasource.update({ ...site, sql: text });
  const insert = datasource.update({ ...site, sql: 'insert into entry select 1, sometimes(2)' });
  const run = inTransaction(
    testCall(),
    async (call) => {
      await set(call, []);
      await insert(call, []);
      return reply(204);
    },
    retryOnConflict,
  );
  expect(await run).toEqual(reply(204));
  expect(await server.exec('conflicts', 'select id from entry')).toEqual([{ id: 1 }]);
});

describe('a statement that changes the transaction around it', () => {
  test('one that leaves a transaction open is 500, and nothing of it reaches the next request', async () => {
    for (const { datasource, server } of [postgres, mariadb]) {
      await server.exec('conflicts', 'delete from entry');
      const error = await errorOf(
        datasource.update({ ...site, sql: 'begin', atomic: false })(testCall(), []),
      );
      expect(error).toMatchObject({
        status: 500,
        message: 'Internal server error',
        details: { log: { ...site, reason: expect.stringContaining('left a transaction open') as string } },
      });
      const insert = datasource.update({ ...site, sql: 'insert into entry values (7, 0)' });
      for (let times = 0; times < 12; times += 1) await insert(testCall(), []);
      const rows = await server.exec('conflicts', 'select count(*) as n from entry');
      expect(Number(rows[0]?.['n'])).toBe(12);
    }
  });

  test('a procedure of MariaDB that leaves one open and fails is not followed by another statement', async () => {
    const { datasource, server } = mariadb;
    await server.exec('conflicts', 'delete from entry');
    await server.exec(
      'conflicts',
      "create procedure opens() begin start transaction; insert into entry values (8, 0); signal sqlstate '45000'; end",
    );
    await errorOf(datasource.update({ ...site, sql: 'call opens()', atomic: false })(testCall(), []));
    const insert = datasource.update({ ...site, sql: 'insert into entry values (9, 0)' });
    for (let times = 0; times < 12; times += 1) await insert(testCall(), []);
    const rows = await server.exec('conflicts', 'select id, count(*) as n from entry group by id');
    expect(rows.map(({ id, n }) => [id, Number(n)])).toEqual([[9, 12]]);
  });

  test.each(['truncate table scratch', 'commit', 'create table made (id int)'])(
    'one that commits inside of a transaction is 500, with the reason: %s',
    async (text) => {
      const { datasource, server } = mariadb;
      await server.exec('conflicts', 'drop table if exists scratch, made; create table scratch (id int)');
      await server.exec('conflicts', 'delete from entry');
      const run = inTransaction(
        testCall(),
        async (call) => {
          await datasource.update({ ...site, sql: 'insert into entry values (1, 0)' })(call, []);
          await datasource.update({ ...site, sql: text, atomic: false })(call, []);
          await datasource.update({ ...site, sql: 'insert into entry values (2, 0)' })(call, []);
          return reply(204);
        },
        retryOnConflict,
      );
      expect(await errorOf(run)).toMatchObject({
        status: 500,
        message: 'It is unknown whether the change was made',
        details: { log: { ...site, reason: expect.stringContaining('ended the transaction') as string } },
      });
      const rows = await server.exec('conflicts', 'select id from entry');
      expect(rows.map(({ id }) => id)).toEqual([1]);
    },
  );
});
