/** Behaviour of a datasource while its database or the network fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { testCall } from '../../helpers/test-call.js';
import { read, update } from './open-datasource.js';

describe.each([
  {
    name: 'PostgreSQL',
    start: startPostgres,
    make: postgres,
    sleep: (seconds: number) => `select pg_sleep(${seconds})`,
    active:
      "select count(*)::int as n from pg_stat_activity where state = 'active' and query like 'select pg_sleep(%'",
  },
  {
    name: 'MariaDB',
    start: startMariadb,
    make: mysql,
    sleep: (seconds: number) => `select sleep(${seconds}) as s`,
    active: "select count(*) as n from information_schema.processlist where info like 'select sleep(%'",
  },
])('$name', ({ start, make, sleep, active }) => {
  let server: DatabaseServer;
  let proxy: Proxy;
  let opened: DatabaseDatasource[] = [];

  beforeAll(async () => {
    server = await start();
    proxy = await startProxy(server.port);
    await server.createDatabase('faults');
  });

  afterAll(async () => {
    await Promise.all(opened.map((datasource) => datasource.close(performance.now())));
    await proxy.close();
    await server.stop();
  });

  /** A datasource that connects through the proxy. */
  function open(max: number, timeout = 30): DatabaseDatasource {
    const datasource = make({ name: 'faultsdb', pool: { max }, timeout });
    const url = server.jdbcUrl('faults').replace(/:\d+/, `:${proxy.port}`);
    datasource.open({ url, user: server.user, password: server.password, poolWait: 60_000 });
    opened = [...opened, datasource];
    return datasource;
  }

  /** The number of sleeping statements running on the server. */
  async function running(): Promise<number> {
    const [row] = await server.exec('faults', active);
    return Number(row?.['n']);
  }

  /** The status of a run: 200, or the status of its error. */
  async function statusOf(run: Promise<unknown>): Promise<number> {
    return run.then(
      () => 200,
      (error: unknown) => (error instanceof ServiceError ? error.status : 0),
    );
  }

  const one = (datasource: DatabaseDatasource, milliseconds: number, sql = 'select 1 as one') =>
    datasource.read({ operation: 'GET /x', fulfillment: 'x', sql })(testCall(milliseconds), []);

  test('the server ends a statement that takes too long: 504, and the connection is used again', async () => {
    const datasource = open(1, 1);
    await datasource.ping();
    const made = proxy.connections();
    // MariaDB's sleep() and benchmark() end early with a result instead of an error.
    const slow =
      make === mysql
        ? 'select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b where a.seq <> b.seq'
        : sleep(5);
    expect(await statusOf(read(datasource, slow))).toBe(504);
    expect(await read(datasource, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(proxy.connections()).toBe(made);
  });

  test('the deadline of the call ends a statement: 504, and its connection is never used again', async () => {
    const datasource = open(1);
    await datasource.ping();
    const made = proxy.connections();
    expect(await statusOf(one(datasource, 1000, sleep(20)))).toBe(504);
    expect(await one(datasource, 20_000)).toEqual([{ one: 1 }]);
    // One new connection, and one for the request to cancel the statement.
    await expect.poll(() => proxy.connections()).toBe(made + 2);
  });

  test('a black hole: 504 within the deadline, and all is well as soon as the network is', async () => {
    const datasource = open(3);
    await Promise.all([1, 2, 3].map(() => one(datasource, 20_000, sleep(0.05))));
    proxy.blackHole();
    const statuses = await Promise.all([1, 2, 3, 4].map(() => statusOf(one(datasource, 400))));
    proxy.heal();
    expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
    for (let times = 0; times < 10; times += 1) expect(await one(datasource, 20_000)).toEqual([{ one: 1 }]);
  });

  test('closing ends soon after the deadline, although the network swallows everything', async () => {
    const datasource = open(2);
    await datasource.ping();
    const ended = statusOf(one(datasource, 60_000, sleep(20)));
    await expect.poll(running).toBe(1);
    proxy.blackHole();
    await datasource.close(performance.now() + 200);
    proxy.heal();
    expect(await ended).toBe(503);
    expect(await statusOf(one(datasource, 1000))).toBe(503);
  });

  test('closing lets a statement in flight finish', async () => {
    const datasource = open(2);
    const ended = statusOf(one(datasource, 60_000, sleep(2)));
    await expect.poll(running).toBe(1);
    await datasource.close(performance.now() + 60_000);
    expect(await ended).toBe(200);
  });

  test('connections that died while idle are replaced; a READ that dies is run again, on a new connection', async () => {
    const datasource = open(3);
    await Promise.all([1, 2, 3].map(() => one(datasource, 20_000, sleep(0.05))));
    proxy.reset();
    // In the same event loop turn, before the closed connections are noticed.
    expect(await one(datasource, 20_000)).toEqual([{ one: 1 }]);
  });

  test('a change whose connection dies is not run again: nobody knows whether it happened, unless it was not sent', async () => {
    const datasource = open(2);
    await datasource.ping();
    const made = proxy.connections();
    proxy.resetOnUse();
    const unknown = {
      status: 500,
      message: 'It is unknown whether the change was made',
      details: { outcome: 'unknown' },
    };
    // MariaDB prepares a new statement before it is sent, and the cut hits the preparation.
    await expect(update(datasource, 'create table once (n int)')).rejects.toMatchObject(
      make === mysql ? { status: 503 } : unknown,
    );
    expect(proxy.connections()).toBe(made);
    proxy.heal();
    await expect(read(datasource, 'select * from once')).rejects.toMatchObject({ status: 500 });
  });

  test('a statement whose call has run out of time does not run on', async () => {
    const datasource = open(1);
    await datasource.ping();
    const slow =
      make === mysql
        ? 'select count(*) from seq_1_to_1000000 a, seq_1_to_1000000 b where a.seq <> b.seq'
        : sleep(21);
    const same =
      make === mysql
        ? "select count(*) as n from information_schema.processlist where info like '%a.seq <> b.seq%' and info not like '%processlist%'"
        : "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%pg_sleep(21)%' and pid <> pg_backend_pid()";
    expect(await statusOf(one(datasource, 300, slow))).toBe(504);
    await expect.poll(async () => server.exec('faults', same)).toEqual([{ n: 0 }]);
  });

  test('all connections in use: calls wait for their turn, calls beyond the queue are refused immediately', async () => {
    const datasource = open(1);
    await datasource.ping();
    const slow = statusOf(one(datasource, 60_000, sleep(0.3)));
    const waiting = Array.from({ length: 105 }, () => statusOf(one(datasource, 60_000)));
    const statuses = await Promise.all([slow, ...waiting]);
    expect(statuses.filter((status) => status === 200)).toHaveLength(101);
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
  });

  test('a call that waits for a connection longer than its deadline is 503', async () => {
    const datasource = open(1);
    const slow = statusOf(one(datasource, 10_000, sleep(0.8)));
    expect(await statusOf(one(datasource, 150))).toBe(503);
    expect(await slow).toBe(200);
  });

  test('nothing is done for a call that is over', async () => {
    const datasource = open(1);
    const over = {
      ...testCall(),
      proceed: () => {
        throw new ServiceError(499, 'gone');
      },
    };
    const statement = datasource.read({ operation: 'GET /x', fulfillment: 'x', sql: 'select 1' });
    const made = proxy.connections();
    await expect(statement(over, [])).rejects.toMatchObject({ status: 499 });
    expect(proxy.connections()).toBe(made);
  });

  test.each(['fast', 'immediate'] as const)('a restart (%s) fails only what was in flight', async (mode) => {
    const datasource = open(4);
    await Promise.all([1, 2, 3, 4].map(() => one(datasource, 20_000, sleep(0.05))));
    const change = datasource.update({ operation: 'PUT /x', fulfillment: 'x', sql: sleep(60) });
    const inFlight = statusOf(change(testCall(120_000), []));
    await expect.poll(running).toBe(1);
    await server.restart(mode);
    // If the server ended the statement itself, it certainly had no effect.
    expect([500, 503]).toContain(await inFlight);
    const after = await Promise.all(Array.from({ length: 20 }, () => statusOf(one(datasource, 20_000))));
    expect(after).toEqual(Array.from({ length: 20 }, () => 200));
  });

  test('while the server is away: 503; as soon as it is back: results', async () => {
    const datasource = open(2);
    await datasource.ping();
    await server.kill();
    expect(await statusOf(one(datasource, 1000))).toBe(503);
    await server.restart('fast');
    expect(await one(datasource, 5000)).toEqual([{ one: 1 }]);
  });
});
