/** The schedule ledger: each tick runs once, whatever the number of instances. LEDGER_SECONDS=60 is the long form. */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { TickLedger, type LedgerDatabase } from '../../../runtime/schedule/ledger.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { playLedger } from './ledger/play-ledger.js';

const seconds = Number(process.env.LEDGER_SECONDS ?? 5);

const log = pino({ level: 'silent' });
const owner = { operation: 'nightly clean-up', trigger: 'every night' };
const tick = new Date('2024-01-01T03:00:00Z');
const later = new Date('2024-01-01T03:00:01Z');

describe.each([
  { name: 'PostgreSQL', shared: sharedPostgres, make: postgres },
  { name: 'MariaDB', shared: sharedMariadb, make: mysql },
])('$name', ({ shared, make }) => {
  const database = 'ledger';
  let server: AttachedServer;
  let proxy: Proxy;
  let datasource: DatabaseDatasource;

  beforeAll(async () => {
    server = await shared();
    proxy = await startProxy(server.port);
    await server.createDatabase(database);
    datasource = make({ name: 'jobs', timeout: 2 });
    const url = server.jdbcUrl(database).replace(/:\d+/, `:${proxy.port}`);
    datasource.open({ url, user: server.user, password: server.password });
  });

  afterAll(async () => {
    await datasource.close(performance.now() + 1000);
    await proxy.close();
  });

  const ledgers = (count: number) => Array.from({ length: count }, () => new TickLedger(datasource, log));

  test('instances that start at the same time create one table, and one of them gets the tick', async () => {
    const all = ledgers(8);
    await Promise.all(all.map((ledger) => ledger.open()));
    for (const time of [tick, later]) {
      const claims = await Promise.all(all.map((ledger) => ledger.claim(owner, time)));
      expect(claims.filter((claimed) => claimed)).toHaveLength(1);
    }
  });

  test('a tick belongs to one trigger of one operation, whatever their names are', async () => {
    const [one, two] = ledgers(2);
    const long = 'x'.repeat(5000);
    for (const other of [
      { operation: 'Nightly clean-up', trigger: 'every night' },
      { operation: 'nightly clean-up', trigger: 'every night ' },
      { operation: 'nightly clean-up', trigger: `${long}a` },
      { operation: 'nightly clean-up', trigger: `${long}b` },
      { operation: 'nächtliches Aufräumen 🧹', trigger: "'; drop table apikiln_schedule; --" },
    ]) {
      expect(await one?.claim(other, tick)).toBe(true);
      expect(await two?.claim(other, tick)).toBe(false);
    }
    const [row] = await server.exec(
      database,
      "select tick, trigger_name from apikiln_schedule where operation like 'n%chtliches%'",
    );
    expect(row).toEqual({
      tick: '2024-01-01T03:00:00.000Z',
      trigger_name: "'; drop table apikiln_schedule; --",
    });
  });

  test('while the database is away no tick can be claimed; the table is made when it is back', async () => {
    await server.exec(database, 'drop table apikiln_schedule');
    proxy.blackHole();
    const [ledger] = ledgers(1);
    await expect(ledger?.claim(owner, tick)).rejects.toBeInstanceOf(ServiceError);
    proxy.heal();
    expect(await ledger?.claim(owner, tick)).toBe(true);
  });

  test('a table that was dropped is made again', async () => {
    const [ledger] = ledgers(1);
    expect(await ledger?.claim(owner, later)).toBe(true);
    await server.exec(database, 'drop table apikiln_schedule');
    await expect(ledger?.claim(owner, later)).rejects.toMatchObject({ status: 500 });
    expect(await ledger?.claim(owner, later)).toBe(true);
  });

  test('rows are removed after a day', async () => {
    const [before, now] = [new Date(Date.now() - 25 * 3_600_000), new Date()];
    const [ledger, other] = ledgers(2);
    await ledger?.claim(owner, before);
    await other?.claim(owner, now);
    const left = async () => {
      const rows = await server.exec(database, 'select tick from apikiln_schedule');
      return rows.map((row) => row['tick']);
    };
    while ((await left()).includes(before.toISOString())) await delay(20);
    expect(await left()).toContain(now.toISOString());
  });

  test('more rows than one statement removes, as after days without a run, are all removed', async () => {
    const [ledger] = ledgers(1);
    await ledger?.open();
    const series =
      make === mysql ? 'select seq as n from seq_1_to_25000' : 'select generate_series(1, 25000) as n';
    const number = make === mysql ? 'n' : 'n::text';
    await server.exec(
      database,
      `insert into apikiln_schedule select '2020-01-01T00:00:00.000Z', lpad(${number}, 64, '0'), '', '', '' from (${series}) as s`,
    );
    await ledger?.claim(owner, new Date(Date.now() + 1000));
    const left = async () => {
      const [row] = await server.exec(
        database,
        "select count(*) as n from apikiln_schedule where tick < '2021'",
      );
      return Number(row?.['n']);
    };
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
  });

  test('instances with clocks that differ, one after the other killed: no tick twice, none unclaimed', async () => {
    await server.createDatabase('instances');
    const figures = await playLedger(server, 'instances', {
      instances: seconds > 10 ? 5 : 3,
      milliseconds: seconds * 1000,
      killEvery: 2000,
      skews: [0, 1500, -1500, 700, -300],
    });
    expect(figures).toMatchObject({ twice: 0, unclaimed: 0 });
    expect(figures.kills).toBeGreaterThanOrEqual(2);
    expect(figures.ticks).toBeGreaterThanOrEqual(seconds);
    expect(figures.lostWithHolder).toBeLessThanOrEqual(figures.kills);
    expect(figures.runs).toBeGreaterThanOrEqual(figures.ticks - figures.lostWithHolder);
    expect(figures.runs).toBeLessThanOrEqual(figures.ticks);
  });
});

test.each([
  { removed: [10_000, 10_000, 3], statements: 3 },
  { removed: [0], statements: 1 },
])('old rows are removed by statements of 10,000 each: $removed', async ({ removed, statements }) => {
  const left = [...removed];
  let ran = 0;
  const statement =
    ({ sql }: { readonly sql: string }) =>
    (): Promise<Row[]> => {
      if (!/\bdelete\b/.test(sql)) return Promise.resolve([{ tick: null }]);
      ran += 1;
      return Promise.resolve([{ affected_rows: left.shift() ?? 0 }]);
    };
  const database: LedgerDatabase = { name: 'jobs', kind: 'postgresql', read: statement, update: statement };
  await new TickLedger(database, log).claim(owner, tick);
  await new Promise(setImmediate);
  expect([ran, left]).toEqual([statements, []]);
});

describe('a result that is lost', () => {
  /** A database with at most one row that loses its next `losses` results. */
  function unreliable(losses: number, holder?: string): LedgerDatabase {
    let row = holder;
    let left = losses;
    const run = (sql: string, values: readonly Json[]): Row[] => {
      if (sql.startsWith('select claimed_by'))
        return row === undefined ? [] : [{ claimed_by: JSON.parse(row) as string }];
      if (!sql.startsWith('insert')) return [];
      const free = row === undefined;
      row ??= JSON.stringify(values[4]);
      left -= 1;
      if (left >= 0) throw new ServiceError(503, 'The database is not available');
      return free ? [{ tick: values[0] ?? null }] : [];
    };
    const statement =
      ({ sql }: { readonly sql: string }) =>
      (_call: unknown, values: readonly Json[]) =>
        new Promise<Row[]>((resolve) => {
          resolve(run(sql, values));
        });
    return { name: 'jobs', kind: 'postgresql', read: statement, update: statement };
  }

  test('the claim that arrived all the same is found again: the tick is not lost', async () => {
    expect(await new TickLedger(unreliable(1), log).claim(owner, tick)).toBe(true);
  });

  test('a claim of another instance is not mistaken for our own', async () => {
    expect(await new TickLedger(unreliable(1, '"somebody else"'), log).claim(owner, tick)).toBe(false);
  });

  test('when the second result is lost too, the outcome is unknown: the tick is not run', async () => {
    await expect(new TickLedger(unreliable(2), log).claim(owner, tick)).rejects.toMatchObject({
      status: 503,
    });
  });
});
