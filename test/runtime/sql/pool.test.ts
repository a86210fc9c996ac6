/** Connections that are refused, that are all in use, or whose callers have stopped waiting. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { concurrently } from '../../../runtime/loops/concurrently.js';
import { referenceCall } from '../../../runtime/references/reference.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { freePort } from '../../helpers/free-port.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const site = { operation: 'GET /test', fulfillment: 'step' };

describe.each([
  {
    name: 'PostgreSQL',
    shared: sharedPostgres,
    make: postgres,
    limited: [
      'drop role if exists limited',
      "create role limited login password 'limited' connection limit 3",
      'grant all on schema public to limited',
    ],
    sleep: (seconds: number) => `select pg_sleep(${seconds})`,
    change: (seconds: number) => `insert into entry select 1 from pg_sleep(${seconds})`,
    active: `select count(*)::int as n from pg_stat_activity
      where state = 'active' and query like '%pg_sleep%' and datname = 'pools' and pid <> pg_backend_pid()`,
  },
  {
    name: 'MariaDB',
    shared: sharedMariadb,
    make: mysql,
    limited: [
      "create or replace user limited@'%' identified by 'limited' with max_user_connections 3",
      'grant all on pools.* to limited',
    ],
    sleep: (seconds: number) => `select sleep(${seconds}) as s`,
    change: (seconds: number) => `insert into entry select sleep(${seconds})`,
    active: `select count(*) as n from information_schema.processlist
      where info like '%sleep(%' and db = 'pools' and id <> connection_id()`,
  },
])('$name', ({ shared, make, limited, sleep, change, active }) => {
  let server: AttachedServer;
  let proxy: Proxy;
  let opened: DatabaseDatasource[] = [];

  beforeAll(async () => {
    server = await shared();
    await server.createDatabase('pools');
    await server.exec('pools', 'create table entry (id int)');
    for (const statement of limited) await server.exec('pools', statement);
    proxy = await startProxy(server.port);
  });

  afterEach(async () => {
    proxy.heal();
    await Promise.all(opened.map((datasource) => datasource.close(performance.now() + 1000)));
    opened = [];
  });

  afterAll(() => proxy.close());

  function open(max: number, more: { user?: string; password?: string; poolWait?: number } = {}) {
    const datasource = make({ name: 'main', pool: { max } });
    const url = server.jdbcUrl('pools').replace(/:\d+/, `:${proxy.port}`);
    datasource.open({ url, user: server.user, password: server.password, ...more });
    opened.push(datasource);
    return datasource;
  }

  const read = (datasource: DatabaseDatasource, text: string, call: Call = testCall()) =>
    datasource.read({ ...site, sql: text })(call, []);

  const running = async () => Number((await server.exec('pools', active))[0]?.['n']);

  async function errorOf(run: Promise<unknown>): Promise<ServiceError> {
    const error: unknown = await run.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ServiceError) return error;
    throw new Error('no ServiceError', { cause: error });
  }

  /** A call whose client disconnects after `milliseconds`. */
  function leaving(milliseconds: number): Call {
    const gone = performance.now() + milliseconds;
    return {
      ...testCall(),
      proceed: () => {
        if (performance.now() > gone) throw new ServiceError(499, 'The client has gone away');
      },
    };
  }

  test('a server that grants fewer connections than the pool wants: every call gets one that is there', async () => {
    const datasource = open(10, { user: 'limited', password: 'limited' });
    let calls = 0;
    const ready: boolean[] = [];
    const client = async () => {
      for (let times = 0; times < 30; times += 1) {
        expect(await read(datasource, sleep(0.01), testCall(60_000))).toHaveLength(1);
        calls += 1;
        await delay(20);
      }
    };
    const asking = async () => {
      while (calls < 600) {
        ready.push(await datasource.isReachable());
        await delay(50);
      }
    };
    const made = proxy.connections();
    await Promise.all([...Array.from({ length: 20 }, client), asking()]);
    expect(ready.filter((is) => !is)).toEqual([]);
    // Connections at the start, and one for each attempt to use a shared connection, but not one for each call.
    expect(proxy.connections() - made).toBeLessThan(300);
  });

  test.each([5, 60, 300])(
    'a connection that is cut while it is made, %i bytes after its begin, is made once more',
    async (bytes) => {
      for (const direction of ['to server', 'to client'] as const) {
        const datasource = open(1);
        const cuts = proxy.cuts();
        proxy.cutAfter(bytes, direction);
        await datasource.update({ ...site, sql: 'insert into entry values (1)' })(testCall(), []);
        expect(proxy.cuts()).toBe(cuts + 1);
        expect(await server.exec('pools', 'delete from entry returning id')).toHaveLength(1);
      }
    },
  );

  test('where no connection is there at all, a refusal is 503', async () => {
    const others = open(3, { user: 'limited', password: 'limited' });
    const sleeping = [1, 2, 3].map(() => errorOf(read(others, sleep(20))));
    await expect.poll(running).toBe(3);
    const refused = open(3, { user: 'limited', password: 'limited' });
    const error = await errorOf(read(refused, 'select 1'));
    expect([error.status, error.message]).toEqual([503, 'The database is not available']);
    expect(error.details.log?.['reason']).toMatch(/too many connections|has used up/);
    await others.close(performance.now());
    await Promise.all(sleeping);
    await expect.poll(running).toBe(0);
  });

  test('a busy pool is distinguished from an unavailable database; how long a call waits is a setting', async () => {
    const datasource = open(1, { poolWait: 700 });
    await expect.poll(() => datasource.isReachable()).toBe(true);
    const slow = errorOf(read(datasource, sleep(20)));
    await expect.poll(running).toBe(1);
    const error = await errorOf(read(datasource, 'select 1'));
    expect(error).toMatchObject({
      status: 503,
      message: 'The service is busy',
      details: { retryAfter: 1, log: { reason: 'all connections are in use' } },
    });
    await datasource.close(performance.now());
    await slow;
    await expect.poll(running).toBe(0);
  });

  test('an overload is refused early, and a burst that can be served is not', async () => {
    const datasource = open(2, { poolWait: 1000 });
    const run = () => datasource.update({ ...site, sql: change(0.1) })(testCall(), []);
    const runs: Promise<unknown>[] = [];
    const refused: ServiceError[] = [];
    let longest = 0;
    for (let count = 0; count < 350; count += 1) {
      const one = run().catch((error: unknown) => {
        if (error instanceof ServiceError) refused.push(error);
        else throw error;
      });
      runs.push(one);
      await delay(10);
      // The initial burst has been served or has timed out.
      if (count > 250) longest = Math.max(longest, datasource.connections().waiting);
    }
    await Promise.all(runs);
    // Twenty can be served within the maximum waiting time; nine times as many arrive.
    expect(longest).toBeLessThan(40);
    expect(new Set(refused.map(({ status, details }) => `${status} ${details.retryAfter ?? ''}`))).toEqual(
      new Set(['503 1']),
    );
    expect(refused.length).toBeGreaterThan(100);
    await Promise.all(Array.from({ length: 12 }, run));
    await server.exec('pools', 'delete from entry');
  });

  test('all connections in use, and a server that no longer responds: it is unreachable', async () => {
    const datasource = open(2);
    await datasource.ping();
    const waiting = [1, 2].map(() => errorOf(read(datasource, sleep(20))));
    await expect.poll(running).toBe(2);
    await delay(1200);
    // There was no result for a while, but the server accepts a new connection.
    expect(await datasource.isReachable()).toBe(true);
    proxy.blackHole();
    expect(await datasource.isReachable()).toBe(false);
    proxy.heal();
    await expect.poll(() => datasource.isReachable()).toBe(true);
    await datasource.close(performance.now());
    await Promise.all(waiting);
    await expect.poll(running).toBe(0);
  });

  test('a READ whose client has gone is ended in the server, an UPDATE is not', async () => {
    const datasource = open(2);
    const error = await errorOf(read(datasource, sleep(20), leaving(100)));
    expect(error.status).toBe(499);
    await expect.poll(running).toBe(0);
    expect(datasource.connections().used).toBe(0);
    await datasource.update({ ...site, sql: change(1) })(leaving(500), []);
    expect(await server.exec('pools', 'delete from entry returning id')).toHaveLength(1);
  });

  test('after a change that stays nobody is invited to try again: 500 instead of 503', async () => {
    const datasource = open(2);
    const away = make({ name: 'away' });
    const url = server.jdbcUrl('pools').replace(/:\d+/, `:${await freePort()}`);
    away.open({ url, user: server.user, password: server.password });
    opened.push(away);
    const insert = datasource.update({ ...site, sql: 'insert into entry values (1)' });
    const partly = { status: 500, message: 'Only a part of the change is certain to have been made' };

    expect(await errorOf(read(away, 'select 1'))).toMatchObject({ status: 503, details: { retryAfter: 1 } });
    const call = testCall();
    await insert(referenceCall(call), []);
    const error = await errorOf(read(away, 'select 1', referenceCall(call)));
    expect(error).toMatchObject(partly);
    expect(error.details.retryAfter).toBeUndefined();
    const transaction = inTransaction(call, async (inside) =>
      reply(200, await read(away, 'select 1', inside)),
    );
    expect(await errorOf(transaction)).toMatchObject(partly);

    // A change rolled back by a transaction does not count.
    const undone = inTransaction(testCall(), async (inside) => {
      await insert(inside, []);
      return reply(200, await read(away, 'select 1', inside));
    });
    expect(await errorOf(undone)).toMatchObject({ status: 503, details: { retryAfter: 1 } });

    const both = testCall();
    const running = concurrently(both, 2, [insert, read], async (step) => {
      if (step === insert) await insert(both, []);
      else await read(away, 'select 1', both);
    });
    expect(await errorOf(running)).toMatchObject(partly);
    await server.exec('pools', 'delete from entry');
  });

  test('a transaction of a disconnected client is rolled back immediately', async () => {
    const datasource = open(1);
    const run = inTransaction(leaving(300), async (call) => {
      await datasource.update({ ...site, sql: 'insert into entry values (1)' })(call, []);
      await datasource.update({ ...site, sql: change(20) })(call, []);
      return reply(204);
    });
    expect((await errorOf(run)).status).toBe(499);
    await expect.poll(running).toBe(0);
    expect(await server.exec('pools', 'select id from entry')).toEqual([]);
  });

  test('statements that still run when the service stops are ended in the server', async () => {
    const datasource = open(3);
    const statements = [
      errorOf(read(datasource, sleep(20))),
      errorOf(datasource.update({ ...site, sql: change(20) })(testCall(), [])),
    ];
    await expect.poll(running).toBe(2);
    await datasource.close(performance.now() + 300);
    await expect.poll(running).toBe(0);
    for (const error of await Promise.all(statements)) expect(error.status).toBeGreaterThanOrEqual(500);
    expect(await server.exec('pools', 'select id from entry')).toEqual([]);
  });

  test('a change that is cancelled is 504: undone if the server reports it, else unknown', async () => {
    const datasource = open(2);
    // On a busy machine, the server may not confirm in time: then the outcome is unknown, and the next attempt counts.
    const undone = 'The database took too long to respond';
    const logged: string[] = [];
    while (logged.length < 10 && !logged.includes(undone)) {
      const { status, message, details } = await errorOf(
        datasource.update({ ...site, sql: change(20) })(testCall(300), []),
      );
      expect([status, details.outcome]).toEqual([504, message.includes('unknown') ? 'unknown' : undefined]);
      logged.push(message);
    }
    expect(logged).toContain(undone);
    await expect.poll(running).toBe(0);
    const made = await server.exec('pools', 'select id from entry');
    expect(made.length).toBeLessThan(logged.length);

    proxy.blackHole();
    const unknown = await errorOf(datasource.update({ ...site, sql: change(0) })(testCall(300), []));
    expect(unknown.status).toBeGreaterThanOrEqual(500);
    proxy.heal();
    const again = open(1);
    await again.ping();
    const sent = errorOf(again.update({ ...site, sql: change(2) })(testCall(3000), []));
    await expect.poll(running).toBe(1);
    proxy.blackHole();
    expect(await sent).toMatchObject({
      status: 504,
      message: 'It is unknown whether the change was made',
      details: { outcome: 'unknown' },
    });
    await server.exec('pools', 'delete from entry');
  });
});
