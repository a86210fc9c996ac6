/**
 * Two datasources, and two instances of a service, with PgBouncer: no wrong rows and no lost writes, whatever PgBouncer does with sessions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startPgBouncer, type PgBouncer } from '../../helpers/pgbouncer.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { RunningService } from '../../helpers/running-service.js';
import { mixedLoad, untrue } from '../../service/mixed-load.js';
import { buildEntries, prepare } from '../../service/services.js';
import { testCall } from '../../helpers/test-call.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { read, update } from './open-datasource.js';

let server: DatabaseServer;

beforeAll(async () => {
  server = await startPostgres();
  await server.createDatabase('pooled');
  await server.exec(
    'pooled',
    `create type mood as enum ('calm', 'wild');
     create table account (id int primary key, owner text, moods mood[]);
     create table item (id int primary key, name text, moment timestamptz);
     insert into account select i, 'owner' || i, '{wild}' from generate_series(1, 100) i;
     insert into item select i, 'item' || i, '2024-06-30T23:30:00Z' from generate_series(1, 100) i;
     create table written (source text, number int, primary key (source, number));
     alter database pooled set timezone = 'Asia/Tokyo';
     alter database pooled set datestyle = 'German';`,
  );
});

afterAll(async () => {
  await server.stop();
});

const ignored = 'extra_float_digits,options';

interface Opened {
  readonly datasource: DatabaseDatasource;
  readonly warnings: string[];
}

function open(pooler: PgBouncer | DatabaseServer, options = ''): Opened {
  const datasource = postgres({ name: 'pooled' });
  const warnings: string[] = [];
  datasource.open(
    { url: pooler.jdbcUrl('pooled') + options, user: pooler.user, password: pooler.password },
    (warning) => warnings.push(warning),
  );
  return { datasource, warnings };
}

describe.each([
  { mode: 'session' },
  { mode: 'session', ignored },
  { mode: 'transaction' },
  { mode: 'transaction', ignored },
  { mode: 'statement' },
  { mode: 'statement', ignored },
] as const)('$mode mode, ignoring $ignored', (options) => {
  let pooler: PgBouncer;
  let opened: readonly Opened[];

  beforeAll(async () => {
    await server.exec('pooled', 'truncate written');
    // In session mode, each client holds a server connection.
    pooler = await startPgBouncer(server, { ...options, size: options.mode === 'session' ? 40 : 4 });
    opened = [open(pooler), open(pooler)];
  });

  afterAll(async () => {
    await Promise.all(opened.map(({ datasource }) => datasource.close(performance.now() + 2000)));
    await pooler.stop();
  });

  test('every read returns its own row, every write is there once', async () => {
    const one = async ({ datasource }: Opened, source: string, number: number): Promise<void> => {
      const id = (number % 100) + 1;
      const accounts = () => read(datasource, 'select owner, moods from account where id = $1', [String(id)]);
      const items = () =>
        read(datasource, `select name, moment, moment::date as day from item where id = any($1)`, [[id]]);
      // The two datasources run their statements in different orders.
      const [first, second] = source === 'a' ? [accounts, items] : [items, accounts];
      const rows = [...(await first()), ...(await second())];
      expect(rows).toContainEqual({ owner: `owner${id}`, moods: ['wild'] });
      expect(rows).toContainEqual({
        name: `item${id}`,
        moment: '2024-06-30T23:30:00Z',
        day: '2024-06-30',
      });
      expect(rows).toHaveLength(2);
      await update(datasource, 'insert into written values ($1, $2)', [source, number]);
    };
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(
        opened.flatMap((each, index) =>
          Array.from({ length: 10 }, (_, number) => one(each, index === 0 ? 'a' : 'b', round * 10 + number)),
        ),
      );
    }
    const written = await server.exec(
      'pooled',
      'select source, count(*)::int as n from written group by source order by source',
    );
    expect(written).toEqual([
      { source: 'a', n: 120 },
      { source: 'b', n: 120 },
    ]);
  });

  test('it is logged once, with what to do', () => {
    for (const { warnings } of opened) {
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('prepareThreshold=0');
    }
  });

  // Statement mode does not support transactions.
  if (options.mode !== 'statement')
    test('a transaction has a limit for its statements', async () => {
      const [{ datasource } = open(pooler)] = opened;
      const statement = datasource.read({
        operation: 'GET /x',
        fulfillment: 'x',
        sql: `select current_setting('statement_timeout') as t, current_setting('TimeZone') as z`,
      });
      const rows = await inTransaction(testCall(), async (call) => ({
        status: 200,
        body: await statement(call, []),
      }));
      expect(rows).toMatchObject({ body: [{ t: '30s', z: 'UTC' }] });
    });

  // Retrying could never succeed.
  if (options.mode === 'statement')
    test('a transaction is 500, and the log says why', async () => {
      const [{ datasource } = open(pooler)] = opened;
      const run = inTransaction(testCall(), async (call) => {
        const made = datasource.update({
          operation: 'POST /x',
          fulfillment: 'x',
          sql: `insert into written (id) values (0)`,
        });
        await made(call, []);
        return { status: 200 };
      });
      await expect(run).rejects.toMatchObject({
        status: 500,
        details: {
          log: { code: '08P01', reason: 'PgBouncer allows no transactions with pool_mode = statement' },
        },
      });
    });

  test('a statement whose time is over is ended in the server too', async () => {
    const datasource = postgres({ name: 'hasty', timeout: 1 });
    datasource.open({ url: pooler.jdbcUrl('pooled'), user: pooler.user, password: pooler.password });
    try {
      await expect(read(datasource, `select pg_sleep(30), 'overdue'`)).rejects.toMatchObject({ status: 504 });
      await expect
        .poll(() =>
          server.exec(
            'pooled',
            `select pid from pg_stat_activity where state = 'active' and query like '%overdue%' and pid <> pg_backend_pid()`,
          ),
        )
        .toEqual([]);
    } finally {
      await datasource.close(performance.now() + 1000);
    }
  });
});

test('two processes and workers in transaction mode: no wrong row, every acknowledged write is there, only right statuses', async () => {
  const folder = (await buildEntries('pgbouncer', ['postgresql'])).get('postgresql') ?? '';
  const variables = await prepare(server, 'postgresql', 'pooled_service');
  const pooler = await startPgBouncer(server, { mode: 'transaction', ignored, size: 4 });
  const pooled = { ...variables, DATASOURCE_MAIN_URL: pooler.jdbcUrl('pooled_service') };
  const services = [
    await RunningService.start(folder, pooled),
    await RunningService.start(folder, { ...pooled, WORKERS: '2' }),
  ];
  const load = await mixedLoad(
    services.map(({ url }) => url),
    12,
    15,
  );
  for (const service of services) expect(await service.stop()).toBe(0);
  await pooler.stop();
  expect(load.wrong).toEqual([]);
  expect(untrue(load, await server.exec('pooled_service', 'select tag, amount from entry'))).toEqual([]);
  // On a busy machine, a call may wait too long for a connection: 503 without effect.
  const others = [...load.statuses.keys()].filter((status) => !/^(?:POST 201|\w+ 200|\w+ 503)$/.test(status));
  expect(others.filter((status) => !/^(?:PUT|GET) 404$/.test(status))).toEqual([]);
  expect(load.statuses.get('POST 201')).toBeGreaterThan(15);
});

test('a schema that the pooler does not pass on is not replaced by another one', async () => {
  const pooler = await startPgBouncer(server, { mode: 'transaction', ignored });
  const { datasource } = open(pooler, '?currentSchema=app');
  try {
    await expect(read(datasource, 'select owner from account where id = 1')).rejects.toMatchObject({
      status: 503,
      details: { log: { reason: expect.stringContaining('currentSchema') as unknown } },
    });
  } finally {
    await datasource.close(performance.now() + 1000);
    await pooler.stop();
  }
});

test('prepareThreshold=0 has the same time zone and dates, and no warning', async () => {
  const pooler = await startPgBouncer(server, { mode: 'transaction' });
  const { datasource, warnings } = open(pooler, '?prepareThreshold=0');
  try {
    const sql = `select moment, moment::date as day, '2024-01-01T23:30:00'::timestamptz as read from item where id = $1`;
    expect(await read(datasource, sql, [1])).toEqual([
      { moment: '2024-06-30T23:30:00Z', day: '2024-06-30', read: '2024-01-01T23:30:00Z' },
    ]);
    expect(warnings).toEqual([]);
  } finally {
    await datasource.close(performance.now() + 1000);
    await pooler.stop();
  }
});

describe('without a pooler', () => {
  test('the session is kept, and nothing is logged', async () => {
    const { datasource, warnings } = open(server);
    const [row] = await read(
      datasource,
      `select current_setting('statement_timeout') as t, current_setting('TimeZone') as z, current_setting('DateStyle') as d`,
    );
    expect(row).toEqual({ t: '30s', z: 'UTC', d: 'ISO, MDY' });
    expect(warnings).toEqual([]);
    await datasource.close(performance.now() + 1000);
  });

  test.each([
    ['1500ms', '1500ms'],
    ['2min', '30s'],
    ['0', '30s'],
  ])('of two limits for statements the smaller one holds: the role has %s', async (own, expected) => {
    await server.exec('pooled', `alter role apikiln in database pooled set statement_timeout = '${own}'`);
    const { datasource } = open(server);
    const rows = await read(datasource, `select current_setting('statement_timeout') as t`);
    expect(rows).toEqual([{ t: expected }]);
    await datasource.close(performance.now() + 1000);
    await server.exec('pooled', `alter role apikiln in database pooled reset statement_timeout`);
  });
});
