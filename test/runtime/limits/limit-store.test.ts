/** Limits that count in a database, for several processes. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LimitStore } from '../../../runtime/limit-store/limit-store.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { StartError } from '../../../runtime/server/environment.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';

const log = pino({ level: 'silent' });
const hour = 3_600_000;

type Outcome = Awaited<ReturnType<LimitStore['take']>>;
const isCounted = (outcome: Outcome): boolean => 'giveBack' in outcome;

describe.each([
  { name: 'PostgreSQL', shared: sharedPostgres, make: postgres },
  { name: 'MariaDB', shared: sharedMariadb, make: mysql },
])('$name', ({ name, shared, make }) => {
  const database = 'limit_store';
  let server: AttachedServer;
  let proxy: Proxy;
  let datasource: DatabaseDatasource;

  beforeAll(async () => {
    server = await shared();
    proxy = await startProxy(server.port);
    await server.createDatabase(database);
    datasource = make({ name: 'shop', timeout: 2 });
    const url = server.jdbcUrl(database).replace(/:\d+/, `:${proxy.port}`);
    datasource.open({ url, user: server.user, password: server.password });
  });

  afterAll(async () => {
    await datasource.close(performance.now() + 1000);
    await proxy.close();
  });

  /** Stores of several processes. */
  const stores = async (count: number): Promise<readonly [LimitStore, ...LimitStore[]]> => {
    const [first, ...others] = Array.from({ length: count }, () => new LimitStore(datasource));
    if (first === undefined) throw new Error('no store');
    await Promise.all([first, ...others].map((store) => store.open(log)));
    return [first, ...others];
  };

  test('processes that start at the same time share one table, one key, and one count', async () => {
    const all = await stores(8);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => all[index % 8]?.take('a', 5, hour, false)),
    );
    expect(outcomes.filter((outcome) => outcome !== undefined && isCounted(outcome))).toHaveLength(5);
    const [row] = await server.exec(database, "select count(*) as n from apikiln_limit where id = 'secret'");
    expect(Number(row?.['n'])).toBe(1);
  });

  test('a request over the limit has the time until the window ends', async () => {
    const [one, two] = await stores(2);
    await one.take('time', 1, hour, false);
    const outcome = await two?.take('time', 1, hour, false);
    if (outcome === undefined || !('timeLeft' in outcome)) throw new Error('it was counted');
    expect(outcome.timeLeft).toBeGreaterThan(hour - 60_000);
    expect(outcome.timeLeft).toBeLessThanOrEqual(hour);
  });

  test('a request that is given back makes room in every process', async () => {
    const [one, two] = await stores(2);
    const outcome = await one.take('back', 1, hour, true);
    expect(isCounted(await one.take('back', 1, hour, true))).toBe(false);
    if ('giveBack' in outcome) outcome.giveBack();
    await expect
      .poll(async () => two && isCounted(await two.take('back', 1, hour, true)), { timeout: 5000 })
      .toBe(true);
    expect(isCounted(await one.take('back', 1, hour, true))).toBe(false);
  });

  test('a window ends, and a request given back later changes nothing', async () => {
    const [store] = await stores(1);
    const old = await store.take('end', 1, 50, false);
    await expect
      .poll(async () => isCounted(await store.take('end', 1, hour, false)), { timeout: 5000 })
      .toBe(true);
    if ('giveBack' in old) old.giveBack();
    const [other] = await stores(1);
    expect(isCounted(await other.take('end', 1, hour, false))).toBe(false);
  });

  test.each(["'; drop table apikiln_limit; --", '__proto__', 'ž'.repeat(5000), '\0'])(
    'the key %j',
    async (key) => {
      const [store] = await stores(1);
      expect(isCounted(await store.take(key, 1, hour, false))).toBe(true);
      expect(isCounted(await store.take(key, 1, hour, false))).toBe(false);
      const rows = await server.exec(database, 'select id from apikiln_limit');
      expect(rows.every(({ id }) => /^[\w-]{43}$|^secret$/.test(String(id)))).toBe(true);
    },
  );

  test('without the database a request is 503, but a key over its limit is known', async () => {
    const [store] = await stores(1);
    await store.take('known', 1, hour, false);
    expect(isCounted(await store.take('known', 1, hour, false))).toBe(false);
    proxy.blackHole();
    expect(isCounted(await store.take('known', 1, hour, false))).toBe(false);
    await expect(store.take('new', 1, hour, false)).rejects.toMatchObject({ status: 503 });
    proxy.heal();
    await expect
      .poll(async () => isCounted(await store.take('new', 9, hour, false)), { timeout: 10_000 })
      .toBe(true);
  });

  test('a service starts without the database, and counts when it is back', async () => {
    proxy.blackHole();
    const store = new LimitStore(datasource);
    await store.open(log);
    proxy.heal();
    await expect
      .poll(() => store.take('late', 9, hour, false).then(isCounted, () => false), { timeout: 10_000 })
      .toBe(true);
  });

  test('a table that was dropped is made again', async () => {
    const [store] = await stores(1);
    await server.exec(database, 'drop table apikiln_limit');
    await expect(store.take('dropped', 1, hour, false)).rejects.toMatchObject({ status: 503 });
    expect(isCounted(await store.take('dropped', 1, hour, false))).toBe(true);
  });

  test('ended windows are deleted, others stay', async () => {
    const [store] = await stores(1);
    await store.take('stays', 1, hour, false);
    await server.exec(
      database,
      name === 'PostgreSQL'
        ? "insert into apikiln_limit (id, requests, window_end, is_over) select 'old ' || i, 1, 1, false from generate_series(1, 2500) i"
        : "insert into apikiln_limit (id, requests, window_end, is_over, is_new, outcome) select concat('old ', seq), 1, 1, 0, 0, 0 from seq_1_to_2500",
    );
    await store.clean();
    const rows = await server.exec(database, 'select id from apikiln_limit');
    expect(rows.some(({ id }) => String(id).startsWith('old'))).toBe(false);
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(isCounted(await store.take('stays', 1, hour, false))).toBe(false);
  });

  test('a user who may not create the table stops the start with the statement', async () => {
    await server.exec(database, 'drop table apikiln_limit');
    const password = 'p';
    await server.exec(
      database,
      name === 'PostgreSQL'
        ? `drop role if exists limit_reader; create role limit_reader login password '${password}'; revoke create on schema public from public`
        : `create or replace user limit_reader identified by '${password}'; grant select on ${database}.* to limit_reader`,
    );
    const reader = make({ name: 'shop', timeout: 2 });
    reader.open({ url: server.jdbcUrl(database), user: 'limit_reader', password });
    await expect(new LimitStore(reader).open(log)).rejects.toThrow(
      expect.objectContaining({
        name: StartError.name,
        message: expect.stringContaining('create table if not exists apikiln_limit') as string,
      }),
    );
    await reader.close(performance.now() + 1000);
  });
});
