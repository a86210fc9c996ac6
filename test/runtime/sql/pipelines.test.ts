/** Reads that share a PostgreSQL connection: each gets its own result, whatever other reads and the network do. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Statement } from '../../../runtime/sql/statement.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { testCall } from '../../helpers/test-call.js';
import { isShared, quickRead, statusOf, statusOfError } from './shared-reads.js';

let server: DatabaseServer;
let proxy: Proxy;
let datasource: DatabaseDatasource;
let opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  server = await startPostgres();
  proxy = await startProxy(server.port);
  await server.createDatabase('pipelines');
  await server.exec('pipelines', 'create table thing (id int primary key, name text)');
  await server.exec('pipelines', "insert into thing select i, 'thing ' || i from generate_series(1, 500) i");
});

beforeEach(() => {
  datasource = open();
});

afterAll(async () => {
  await Promise.all(opened.map((one) => one.close(performance.now())));
  await proxy.close();
  await server.stop();
});

function open(options = ''): DatabaseDatasource {
  const made = postgres({ name: 'shared' });
  const url = server.jdbcUrl('pipelines').replace(/:\d+/, `:${proxy.port}`) + options;
  made.open({ url, user: server.user, password: server.password });
  opened = [...opened, made];
  return made;
}

function reading(sql: string): Statement {
  return datasource.read({ operation: 'GET /x', fulfillment: 'x', sql });
}

/** A statement that always uses an exclusive connection. */
function alone(sql: string): Statement {
  return datasource.update({ operation: 'GET /x', fulfillment: 'x', sql });
}

function quick(sql: string, values: readonly (string | number)[]): Promise<Statement> {
  return quickRead(datasource, sql, values);
}

const byId = 'select id, name from thing where id = $1';

test('each of many reads at a time gets its own result, over no more connections than the pool has', async () => {
  const made = proxy.connections();
  const statement = await quick(byId, [1]);
  const ids = Array.from({ length: 120 }, (_, index) => index + 1);
  const rows = await Promise.all(ids.map((id) => statement(testCall(), [id])));
  expect(rows).toEqual(ids.map((id) => [{ id, name: `thing ${id}` }]));
  expect(proxy.connections() - made).toBeLessThanOrEqual(10);
});

test('the first read after all shared connections are closed opens one again, and no other', async () => {
  const statement = await quick(byId, [1]);
  proxy.reset();
  await expect.poll(() => datasource.connections().free).toBe(0);
  const made = proxy.connections();
  expect(await statement(testCall(), [7])).toEqual([{ id: 7, name: 'thing 7' }]);
  expect(proxy.connections() - made).toBe(1);
});

describe('a statement of which nothing is known', () => {
  test('runs on the first shared connection: no other one is made', async () => {
    const made = proxy.connections();
    expect(await reading(byId)(testCall(), [1])).toEqual([{ id: 1, name: 'thing 1' }]);
    expect(await reading(byId)(testCall(), [2])).toEqual([{ id: 2, name: 'thing 2' }]);
    expect(proxy.connections() - made).toBe(1);
  });

  test('keeps nobody waiting, and ends with the response that it was for', async () => {
    const statement = await quick(byId, [1]);
    let isGone = false;
    const proceed = () => {
      if (isGone) throw new Error('the client is gone');
    };
    const ended: string[] = [];
    const slow = reading('select 1 as one from pg_sleep(20)')({ ...testCall(), proceed }, []).catch(
      (error: unknown) => ended.push(String(error)),
    );
    const others = [2, 3, 4].map((id) => statement(testCall(), [id]));
    expect(await Promise.all(others)).toEqual([2, 3, 4].map((id) => [{ id, name: `thing ${id}` }]));
    expect(ended).toEqual([]);
    isGone = true;
    await slow;
    expect(ended).toEqual(['Error: the client is gone']);
    await expect
      .poll(() =>
        server.exec(
          'pipelines',
          "select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(20)' and state = 'active'",
        ),
      )
      .toEqual([{ n: 0 }]);
  });

  test('that changes data after all runs again on a connection of its own, which may', async () => {
    await server.exec('pipelines', 'create sequence if not exists numbers');
    expect(await reading("select nextval('numbers')::int as n")(testCall(), [])).toEqual([{ n: 1 }]);
  });

  test('of the first ones at a time, each gets its rows', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    const rows = await Promise.all(ids.map((id) => reading(byId)(testCall(), [id])));
    expect(rows).toEqual(ids.map((id) => [{ id, name: `thing ${id}` }]));
  });
});

test('one that fails fails alone', async () => {
  const statement = await quick('select 100 / $1::int as share', [5]);
  const results = await Promise.allSettled([5, 0, 4, 'x', 2].map((value) => statement(testCall(), [value])));
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : statusOfError(result.reason))),
  ).toEqual([[{ share: 20 }], 400, [{ share: 25 }], 400, [{ share: 50 }]]);
});

test('one that turns out slow holds nobody up for long, and is not trusted again soon', async () => {
  const attempt = async () => {
    const statement = await quick(byId, [1]);
    const sleepy = await quick('select $1::int as n from pg_sleep($1::float / 1000)', [0]);
    const ended: string[] = [];
    const note = async (name: string, run: Promise<unknown>) => {
      await run;
      ended.push(name);
    };
    const slow = note('slow', sleepy(testCall(), [1500]));
    await delay(100);
    await note('other', statement(testCall(), [2]));
    await slow;
    return { ended, trusted: [sleepy, statement].map(isShared) };
  };
  // On a busy machine, the other statement may be slow as well.
  await expect.poll(attempt).toEqual({ ended: ['other', 'slow'], trusted: [false, true] });
});

test('a deadline ends a slow statement, and statements queued after it run elsewhere', async () => {
  const statement = await quick(byId, [1]);
  const sleepy = await quick('select $1::int as n from pg_sleep($1::float / 1000)', [0]);
  const slow = statusOf(sleepy(testCall(400), [20_000]));
  const behind = Promise.all([3, 4, 5].map((id) => statement(testCall(), [id])));
  expect(await slow).toBe(504);
  expect(await behind).toEqual([3, 4, 5].map((id) => [{ id, name: `thing ${id}` }]));
  await expect
    .poll(() =>
      server.exec(
        'pipelines',
        "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%pg_sleep(%' and pid <> pg_backend_pid()",
      ),
    )
    .toEqual([{ n: 0 }]);
});

test('one whose time is over while it waits for another is 504, and the other gets its result', async () => {
  const statement = await quick(byId, [1]);
  const sleepy = await quick('select $1::int as n from pg_sleep($1::float / 1000)', [0]);
  const slow = sleepy(testCall(), [600]);
  const behind = [6, 7, 8, 9].map((id) => statusOf(statement(testCall(30), [id])));
  expect(await Promise.all(behind)).toContain(504);
  expect(await slow).toEqual([{ n: 600 }]);
});

test('statements sent after one that waits for a lock run elsewhere long before it ends', async () => {
  await server.exec('pipelines', 'create table locked (id int); insert into locked values (1)');
  const locked = await quick('select id from locked where id = $1', [1]);
  const statement = await quick(byId, [1]);
  const lock = server
    .exec('pipelines', 'begin; lock table locked in access exclusive mode; select pg_sleep(60); commit')
    .catch(() => []);
  await expect
    .poll(() => server.exec('pipelines', "select mode from pg_locks where mode = 'AccessExclusiveLock'"))
    .toEqual([{ mode: 'AccessExclusiveLock' }]);
  const ended: string[] = [];
  const waiting = locked(testCall(60_000), [1]).then(() => ended.push('locked'));
  const others = Array.from({ length: 40 }, (_, id) => statement(testCall(), [id]));
  await Promise.all(others).then(() => ended.push('others'));
  await server.exec(
    'pipelines',
    "select pg_cancel_backend(pid) from pg_stat_activity where query like 'begin; lock table%'",
  );
  await Promise.all([waiting, lock]);
  expect(ended).toEqual(['others', 'locked']);
});

test('JSON that is nested too deep fails the one that reads it, and nobody else', async () => {
  const nested = await quick("select (repeat('[', $1) || '1' || repeat(']', $1))::json as value", [2]);
  const statement = await quick(byId, [1]);
  const runs = Array.from({ length: 20 }, (_, id) => [
    statusOf(nested(testCall(), [id === 10 ? 3000 : 2])),
    statusOf(statement(testCall(), [id])),
  ]);
  const statuses = await Promise.all(runs.flat());
  expect(statuses.filter((status) => status !== 200)).toEqual([500]);
  expect(await statusOf(reading("select repeat('[', $1)::json as value")(testCall(), [0]))).toBe(400);
  const alone = reading("select array[(repeat('[', $1) || repeat(']', $1))::json] as value");
  expect(await statusOf(alone(testCall(), [3000]))).toBe(500);
});

describe('the network', () => {
  test('all that is under way when the connections are cut runs again, and is right', async () => {
    const statement = await quick(byId, [1]);
    const runs = Array.from({ length: 60 }, (_, index) => statement(testCall(), [index + 1]));
    proxy.reset();
    expect(await Promise.all(runs)).toEqual(
      Array.from({ length: 60 }, (_, index) => [{ id: index + 1, name: `thing ${index + 1}` }]),
    );
  });

  test('a black hole: 504 or 503 within the deadline, and all is well as soon as the network is', async () => {
    const statement = await quick(byId, [1]);
    // A connection attempt would not notice the end of the black hole, so the exclusive connection is opened first.
    await alone('select 1 as one')(testCall(), []);
    proxy.blackHole();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, () => statusOf(statement(testCall(400), [1]))),
    );
    proxy.heal();
    expect(statuses.every((status) => status === 503 || status === 504)).toBe(true);
    for (let times = 0; times < 10; times += 1) expect(await statement(testCall(), [7])).toHaveLength(1);
  });

  test('a restart of the server fails no read, and the reads share connections again', async () => {
    const statement = await quick(byId, [1]);
    await server.restart('immediate');
    const runs = Array.from({ length: 40 }, () => statusOf(statement(testCall(), [1])));
    expect(new Set(await Promise.all(runs))).toEqual(new Set([200]));
    await quick(byId, [1]);
  });

  test('a server that has no connection left for sharing does not fail the reads', async () => {
    const statement = await quick(byId, [1]);
    await server.exec(
      'pipelines',
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = 'pipelines'",
    );
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(statement(testCall(), [1]))))).toEqual(
      Array.from({ length: 20 }, () => 200),
    );
  });
});

test('a table that has changed returns its new columns', async () => {
  await server.exec('pipelines', 'create table if not exists moving (id int); insert into moving values (1)');
  const statement = await quick('select * from moving where id = $1', [1]);
  await server.exec('pipelines', "alter table moving add column added text default 'new'");
  const rows = await Promise.all([1, 1, 1].map((id) => statement(testCall(), [id])));
  expect(rows).toEqual(Array.from({ length: 3 }, () => [{ id: 1, added: 'new' }]));
  await server.exec('pipelines', 'alter table moving alter column id type text');
  expect(await statement(testCall(), ['1'])).toEqual([{ id: '1', added: 'new' }]);
});

test('types that are looked up in the database do not mix up the results', async () => {
  await server.exec('pipelines', 'create domain price as numeric(8, 2)');
  const plain = await quick(byId, [1]);
  const priced = await quick('select $1::price as price, array[$1::price] as prices', [1]);
  const runs = await Promise.all([
    plain(testCall(), [11]),
    priced(testCall(), [2.5]),
    plain(testCall(), [12]),
    priced(testCall(), [3]),
  ]);
  expect(runs).toEqual([
    [{ id: 11, name: 'thing 11' }],
    [{ price: 2.5, prices: [2.5] }],
    [{ id: 12, name: 'thing 12' }],
    [{ price: 3, prices: [3] }],
  ]);
});

test('closing lets what is under way finish, and takes nothing more', async () => {
  const statement = await quick(byId, [1]);
  const runs = Array.from({ length: 30 }, () => statusOf(statement(testCall(), [1])));
  await datasource.close(performance.now() + 5000);
  expect(new Set(await Promise.all(runs))).toEqual(new Set([200]));
  expect(await statusOf(statement(testCall(), [1]))).toBe(503);
  expect(datasource.connections()).toEqual({ used: 0, free: 0, waiting: 0 });
});

test('an UPDATE, and a READ that may do something, never share a connection', () => {
  const update = datasource.update({
    operation: 'PUT /x',
    fulfillment: 'x',
    sql: 'update thing set name = name where id = $1',
  });
  const careful = datasource.read({
    operation: 'GET /x',
    fulfillment: 'x',
    sql: 'select nextval($1)',
    retry: false,
  });
  expect([update, careful].map((statement) => isShared(statement))).toEqual([false, false]);
});

test('a READ that turns out to change data does so once each time, and shares no connection from then on', async () => {
  await server.exec(
    'pipelines',
    `create table audit (at int); create function noted() returns int language sql as 'insert into audit values (1) returning at';
     create view audited as select noted() as at`,
  );
  const statement = reading('select at from audited');
  for (let times = 1; times <= 20; times += 1) {
    expect(await statement(testCall(), [])).toEqual([{ at: 1 }]);
    expect(await server.exec('pipelines', 'select count(*)::int as n from audit')).toEqual([{ n: times }]);
  }
  expect(isShared(statement)).toBe(false);
});

test('behind a pooler without sessions nothing is shared', async () => {
  datasource = open('?prepareThreshold=0');
  const statement = reading(byId);
  for (let times = 0; times < 20; times += 1) await statement(testCall(), [1]);
  expect(isShared(statement)).toBe(false);
});

describe('a setting that a view changes for the session, as far as the server reports it', () => {
  const zone = "select current_setting('TimeZone') as zone";

  beforeAll(() =>
    server.exec(
      'pipelines',
      "create view v_zone as select set_config('TimeZone', 'Asia/Tokyo', false) as changed",
    ),
  );

  test.each(['shared', 'own'])('is no other statement’s: %s connections', async (kind) => {
    const change = kind === 'shared' ? reading('select changed from v_zone') : alone('table v_zone');
    const look = kind === 'shared' ? await quick(zone, []) : alone(zone);
    for (let count = 0; count < 8; count += 1) {
      expect(await change(testCall(), [])).toEqual([{ changed: 'Asia/Tokyo' }]);
      const seen = await Promise.all([1, 2, 3].map(() => look(testCall(), [])));
      expect(seen).toEqual([1, 2, 3].map(() => [{ zone: 'UTC' }]));
    }
  });
});
