/** An outbox on real databases: stored rows, effects of each response, commands, metrics and stopping. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AttachedServer } from '../../helpers/database-server.js';
import { freePort } from '../../helpers/free-port.js';
import { startProxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';
import { killAll, type Started } from '../start-process.js';
import { bundledService, order, startService, tables } from './kills.js';

let main: string;
beforeAll(async () => {
  main = await bundledService();
});
afterAll(killAll);

describe.each([
  ['PostgreSQL', sharedPostgres],
  ['MariaDB', sharedMariadb],
])('%s', (kind, shared) => {
  let server: AttachedServer;
  let receiver: ThirdParty;
  let behaviour: Behaviour;
  const database = `outbox_${process.pid}`;
  const started: Started[] = [];

  beforeEach(async () => {
    server = await shared();
    await server.createDatabase(database);
    await server.exec(database, tables);
    behaviour = (_request, response) => void response.writeHead(204).end();
    receiver = await ThirdParty.start((...all) => {
      behaviour(...all);
    });
  });

  afterEach(async () => {
    for (const { child, ended } of started.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    await receiver.stop();
  });

  function start(variables: Readonly<Record<string, string>> = {}, ...args: string[]): Started {
    const process = startService(
      main,
      {
        DATASOURCE_DB_URL: server.jdbcUrl(database),
        DATASOURCE_DB_USER: server.user,
        DATASOURCE_DB_PASSWORD: server.password,
        DATASOURCE_RECEIVER_URL: receiver.url,
        ...variables,
      },
      args,
    );
    started.push(process);
    return process;
  }

  const rows = (): Promise<Record<string, unknown>[]> =>
    server.exec(
      database,
      'select url, state, attempts, reason, lease, content from apikiln_outbox order by position',
    );
  const states = async (): Promise<unknown[]> => (await rows()).map(({ state }) => state);
  const arrived = async (count: number): Promise<string[]> => {
    const all: string[] = [];
    await expect
      .poll(() => {
        all.push(...receiver.take().map(({ request }) => request));
        return all.length;
      })
      .toBe(count);
    return all;
  };
  const settled = (expected: readonly unknown[]): Promise<void> => expect.poll(states).toEqual(expected);

  test('a loop stores its requests with one statement, and they are sent after the commit', async () => {
    const service = start({ SCHEDULE: 'off' });
    await order(await service.port(), { id: 1, times: 40 });
    const requests = await arrived(40);
    expect(new Set(requests).size).toBe(40);
    await settled(Array.from({ length: 40 }, () => 'sent'));
  });

  test('an exception after it leaves nothing', async () => {
    const port = await start().port();
    expect(await order(port, { id: 1, end: true })).toBe(409);
    expect(await order(port, { id: 2 })).toBe(201);
    expect(await arrived(1)).toEqual(['POST /2/0']);
    expect(await rows()).toHaveLength(1);
  });

  test('any character of a body arrives as it was', async () => {
    const text = `'"\\ \u0000 😀 \u2028 ${'ä'.repeat(100_000)}`;
    const bodies: string[] = [];
    behaviour = (_request, response, body) => {
      bodies.push((JSON.parse(body.toString()) as { text: string }).text);
      response.end();
    };
    await order(await start().port(), { id: 1, text });
    await arrived(1);
    expect(bodies).toEqual([text]);
  });

  test.each([
    [200, 'sent', null],
    [404, 'failed', 'status 404'],
    [302, 'failed', 'status 302'],
    [408, 'waiting', 'status 408'],
    [425, 'waiting', 'status 425'],
    [429, 'waiting', 'status 429'],
    [500, 'waiting', 'status 500'],
  ])('status %i: %s', async (status, state, reason) => {
    behaviour = (_request, response) => void response.writeHead(status, { 'retry-after': '60' }).end();
    const service = start();
    await order(await service.port(), { id: 1, text: 'hidden' });
    await settled([state]);
    // The row is also waiting before the request is sent.
    await expect.poll(async () => (await rows())[0]).toMatchObject({ attempts: 1, reason, lease: null });
    expect(service.out).not.toContain('hidden');
    if (state === 'failed')
      await expect
        .poll(() => service.log)
        .toMatchObject([{ level: 'error', reason, datasource: 'receiver' }]);
  });

  test('it is sent again with the same key, after growing pauses and after Retry-After', async () => {
    const keys: unknown[] = [];
    behaviour = ({ headers }, response) => {
      keys.push(headers['idempotency-key']);
      if (keys.length === 1) response.destroy();
      else if (keys.length === 2) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end();
    };
    await order(await start().port(), { id: 1 });
    await settled(['sent']);
    expect(new Set(keys)).toEqual(new Set([keys[0]]));
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a failed request holds up its key and nothing else, until it is sent again or dropped', async () => {
    let status = 410;
    behaviour = ({ url }, response) => void response.writeHead(url === '/1/0' ? status : 204).end();
    const service = start();
    const port = await service.port();
    await order(port, { id: 1, name: 'a' });
    await order(port, { id: 2, name: 'a' });
    await order(port, { id: 3, name: 'b' });
    await settled(['failed', 'waiting', 'sent']);

    const list = start({}, 'outbox', 'list');
    expect(await list.ended).toBe(0);
    const lines = list.out
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t'));
    expect(lines.map((fields) => [...fields.slice(1, 5), ...fields.slice(6)])).toEqual([
      ['failed', 'receiver', 'POST /orders', 'order', '1', 'status 410'],
      ['waiting', 'receiver', 'POST /orders', 'order', '0', ''],
    ]);

    status = 204;
    const retry = start({}, 'outbox', 'retry', lines[0]?.[0] ?? '');
    expect([await retry.ended, retry.out]).toEqual([0, '1 sent again\n']);
    await settled(['sent', 'sent', 'sent']);
    receiver.take();

    status = 410;
    await order(port, { id: 1, times: 0 });
    const none = start({}, 'outbox', 'drop', 'all');
    expect([await none.ended, none.out]).toEqual([1, '0 removed\n']);
  });

  test('outbox drop removes failed requests; wrong command lines are status 2', async () => {
    behaviour = (_request, response) => void response.writeHead(400).end();
    await order(await start().port(), { id: 1, times: 3 });
    await settled(['failed', 'failed', 'failed']);
    const drop = start({}, 'outbox', 'drop', 'all');
    expect([await drop.ended, drop.out]).toEqual([0, '3 removed\n']);
    expect(await rows()).toEqual([]);
    for (const args of [[], ['retry'], ['list', 'all'], ['remove', 'all']]) {
      const wrong = start({}, 'outbox', ...args);
      expect(await wrong.ended).toBe(2);
      expect(wrong.errors).toContain('outbox list');
    }
  });

  test('three days after it was stored it has failed', async () => {
    behaviour = (_request, response) => void response.writeHead(503).end();
    const idle = start({ SCHEDULE: 'off' });
    await order(await idle.port(), { id: 1 });
    await settled(['waiting']);
    await expect.poll(async () => (await rows())[0]?.['lease']).toBe(null);
    const past = kind === 'MariaDB' ? 'utc_timestamp(3) - interval 1 second' : "now() - interval '1 second'";
    await server.exec(database, `update apikiln_outbox set expires = ${past}, due = ${past}`);
    start();
    await settled(['failed']);
  });

  test('sent rows are removed when their time is over', async () => {
    await order(await start().port(), { id: 1 });
    await settled(['sent']);
    const past = kind === 'MariaDB' ? 'utc_timestamp(3) - interval 1 second' : "now() - interval '1 second'";
    await server.exec(database, `update apikiln_outbox set due = ${past}`);
    await settled([]);
  });

  test('several processes send each request once', async () => {
    const services = [start(), start(), start({ SCHEDULE: 'off' })];
    const ports = await Promise.all(services.map((service) => service.port()));
    await Promise.all(ports.map((port, index) => order(port, { id: index, times: 300 })));
    const requests = await arrived(900);
    expect(new Set(requests).size).toBe(900);
    await delay(200);
    expect(receiver.take()).toEqual([]);
  });

  test('the order of a key is that of commits, also if many store at the same time', async () => {
    // On a busy machine, an order waits longer for a connection than the default.
    const services = [start({ POOL_WAIT: '60000' }), start({ POOL_WAIT: '60000' })];
    const ports = await Promise.all(services.map((service) => service.port()));
    const values: number[] = [];
    behaviour = (_request, response, body) => {
      values.push((JSON.parse(body.toString()) as { value: number }).value);
      response.end();
    };
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, id) => order(ports[id % 2] ?? 0, { id, name: 'a' })),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    await arrived(60);
    expect(values).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  test('the stop finishes what is being sent', async () => {
    let respond = (): void => undefined;
    behaviour = (_request, response) => {
      respond = () => void response.end();
    };
    const service = start({ TIMEOUT: '30' });
    await order(await service.port(), { id: 1 });
    await arrived(1);
    service.child.kill('SIGTERM');
    await delay(300);
    respond();
    expect(await service.ended).toBe(0);
    expect(await states()).toEqual(['sent']);
  });

  test('the stop gives back slow requests, and another process sends them immediately', async () => {
    behaviour = () => undefined;
    const service = start({ TIMEOUT: '600', SHUTDOWN_TIMEOUT: '800' });
    await order(await service.port(), { id: 1 });
    await arrived(1);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await rows()).toMatchObject([{ state: 'waiting', lease: null }]);
    behaviour = (_request, response) => void response.end();
    start();
    await settled(['sent']);
  });

  test('run <operation> sends what it has stored', async () => {
    const run = start({ TIMED: 'yes' }, 'run', 'nightly');
    expect(await run.ended).toBe(0);
    expect(await arrived(1)).toEqual(['POST /nightly']);
    expect(await states()).toEqual(['sent']);
  });

  test('metrics and readiness while the receiver is dead', async () => {
    await receiver.stop();
    const service = start({ MANAGEMENT_PORT: '0' });
    const port = await service.port();
    await service.until('management listens');
    const management = String(service.log.find(({ msg }) => msg === 'management listens')?.['port']);
    await order(port, { id: 1 });
    await expect
      .poll(async () => (await fetch(`http://localhost:${management}/metrics`)).text(), {
        timeout: 20_000,
        interval: 200,
      })
      .toContain('outbox_requests{datasource="receiver",state="waiting"} 1');
    expect((await fetch(`http://localhost:${management}/health/ready`)).status).toBe(200);
    receiver = await ThirdParty.start(behaviour);
  });

  test('a database that is away when the service starts: the tables are made when it is back', async () => {
    const free = await freePort();
    const service = start({ DATASOURCE_DB_URL: server.jdbcUrl(database).replace(/:\d+/, `:${free}`) });
    await service.until('the outbox is not ready, and is tried again');
    const proxy = await startProxy(server.port, free);
    try {
      const port = await service.port();
      await expect.poll(() => order(port, { id: 1 })).toBe(201);
      expect(await arrived(1)).toEqual(['POST /1/0']);
    } finally {
      await proxy.close();
    }
  });

  test('a user who may not make the tables does not start, and prints their SQL', async () => {
    const user = `poor_${process.pid}`;
    await server.exec(
      database,
      kind === 'MariaDB'
        ? `create or replace user '${user}'@'%' identified by 'x'; grant select, insert, update, delete on ${database}.* to '${user}'@'%'`
        : `drop role if exists ${user}; create role ${user} login password 'x'; grant all on all tables in schema public to ${user}`,
    );
    const login = { DATASOURCE_DB_USER: user, DATASOURCE_DB_PASSWORD: 'x' };
    const refused = start(login);
    expect(await refused.ended).toBe(1);
    const ddl = refused.errors.slice(refused.errors.indexOf('create table'));
    await server.exec(database, ddl);
    if (kind === 'PostgreSQL') await server.exec(database, `grant all on apikiln_outbox to ${user}`);
    const service = start(login);
    expect(await order(await service.port(), { id: 1 })).toBe(201);
    await settled(['sent']);
    service.child.kill('SIGKILL');
    await service.ended;
    if (kind === 'PostgreSQL') await server.exec(database, `drop owned by ${user}; drop role ${user}`);
  });
});
