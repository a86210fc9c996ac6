/** Idempotency keys on real databases: requests at the same time, repetitions, rollbacks, and what attackers send. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeyStore } from '../../../runtime/idempotency/key-store.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { StartError } from '../../../runtime/server/environment.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { bundledService, startService } from '../outbox/kills.js';
import { killAll, type Started } from '../start-process.js';
import { send, tables, type Response } from './requests.js';

const log = pino({ level: 'silent' });

let main: string;
beforeAll(async () => {
  main = await bundledService('../idempotency/main.ts');
});
afterAll(killAll);

describe.each([
  { name: 'PostgreSQL', kind: 'postgresql' as const, shared: sharedPostgres, make: postgres },
  { name: 'MariaDB', kind: 'mysql' as const, shared: sharedMariadb, make: mysql },
])('$name', ({ kind, shared, make }) => {
  const database = 'idempotency';
  let server: AttachedServer;
  let services: readonly { readonly service: Started; readonly port: number }[];

  beforeAll(async () => {
    server = await shared();
    await server.createDatabase(database);
    await server.exec(database, tables[kind]);
    services = await Promise.all([0, 1].map(() => start()));
  }, 60_000);

  afterAll(async () => {
    for (const { service } of services) {
      service.child.kill('SIGTERM');
      await service.ended;
    }
  });

  const start = async (
    variables: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly service: Started; readonly port: number }> => {
    const service = startService(main, {
      DATASOURCE_DB_URL: server.jdbcUrl(database),
      DATASOURCE_DB_USER: server.user,
      DATASOURCE_DB_PASSWORD: server.password,
      LOG_LEVEL: 'error',
      TRUSTED_PROXIES: '127.0.0.0/8, ::1',
      ...variables,
    });
    return { service, port: await service.port() };
  };
  const sent = (key: string, body: object, process = 0): Promise<Response> =>
    send(services[process]?.port ?? 0, key, body).response;
  const counted = async (id: string): Promise<number> => {
    const [row] = await server.exec(database, `select count(*) as counted from orders where id = '${id}'`);
    return Number(row?.['counted']);
  };
  /** Waits until a statement of the service pauses. */
  const paused = (count = 1): Promise<unknown> =>
    expect
      .poll(
        async () => {
          const rows = await server.exec(
            database,
            kind === 'postgresql'
              ? "select 1 as one from pg_stat_activity where query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()"
              : "select 1 as one from information_schema.processlist where state = 'User sleep'",
          );
          return rows.length;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThanOrEqual(count);

  test('of 50 requests at the same time, in two processes, one makes the change', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => sent('many', { id: 'many', pause: 0.05 }, index % 2)),
    );
    expect(await counted('many')).toBe(1);
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(statuses.has(201)).toBe(true);
    const texts = new Set(responses.flatMap(({ status, text }) => (status === 201 ? [text] : [])));
    expect(texts.size).toBe(1);
    for (const { status, retryAfter } of responses) if (status === 409) expect(retryAfter).toBe('1');
    expect((await sent('many', { id: 'many', pause: 0.05 }, 1)).text).toBe([...texts][0]);
  });

  test('a request does not wait for one in progress with its key', async () => {
    const order: string[] = [];
    const first = sent('slow', { id: 'slow', pause: 3 }).then((response) => {
      order.push('first');
      return response;
    });
    await paused();
    const second = await sent('slow', { id: 'slow', pause: 3 }, 1);
    order.push('second');
    const other = await sent('slow', { id: 'another', pause: 0 }, 1);
    order.push('other');
    expect([second.status, other.status]).toEqual([409, 409]);
    expect(second.text).toBe('{"message":"A request with this idempotency key is in progress"}');
    expect((await first).status).toBe(201);
    expect(order).toEqual(['second', 'other', 'first']);
    expect((await sent('slow', { id: 'another', pause: 0 }, 1)).status).toBe(422);
    expect(await counted('slow')).toBe(1);
  });

  test('a key is free after an exception, in every process and connection', async () => {
    for (let time = 0; time < 12; time += 1)
      expect((await sent('end', { id: 'end', end: true }, time % 2)).status).toBe(418);
    expect((await sent('end', { id: 'end' }, 1)).status).toBe(201);
    expect(await counted('end')).toBe(1);
  });

  test('a client that disconnects before the commit leaves its key free', async () => {
    const one = send(services[0]?.port ?? 0, 'left', { id: 'left', pause: 20 });
    await paused();
    one.leave();
    await expect
      .poll(async () => (await sent('left', { id: 'left' }, 1)).status, { timeout: 20_000 })
      .toBe(201);
    expect(await counted('left')).toBe(1);
  });

  test('a process that is killed leaves its key free', async () => {
    const { service, port } = await start();
    const one = send(port, 'killed', { id: 'killed', pause: 2 });
    await paused();
    service.child.kill('SIGKILL');
    expect((await one.response).status).toBe(0);
    await expect
      .poll(async () => (await sent('killed', { id: 'killed', pause: 2 })).status, { timeout: 30_000 })
      .toBe(201);
    expect(await counted('killed')).toBe(1);
  }, 60_000);

  test('an expired key is free, and its row is deleted', async () => {
    expect((await sent('old', { id: 'old' })).status).toBe(201);
    await server.exec(database, 'update apikiln_idempotency set expires = 1');
    expect((await sent('old', { id: 'old-2' }, 1)).status).toBe(201);
    expect((await sent('old', { id: 'old-2' })).status).toBe(201);
    expect([await counted('old'), await counted('old-2')]).toEqual([1, 1]);
    const datasource = make({ name: 'db' });
    datasource.open({ url: server.jdbcUrl(database), user: server.user, password: server.password });
    const store = new KeyStore(datasource);
    await store.open(log);
    await store.clean();
    await datasource.close(performance.now() + 1000);
    const [row] = await server.exec(database, 'select count(*) as counted from apikiln_idempotency');
    expect(Number(row?.['counted'])).toBe(1);
  });

  test('a response of 64 KiB is stored, and a larger one changes nothing', async () => {
    const size = 64 * 1024 - 40;
    const first = await sent('large', { id: 'large', size });
    expect(first.status).toBe(201);
    expect((await sent('large', { id: 'large', size }, 1)).text).toBe(first.text);
    expect((await sent('larger', { id: 'larger', size: 64 * 1024 })).status).toBe(500);
    expect(await counted('larger')).toBe(0);
  });

  test.each([
    ["'; drop table orders; --", 'quotes'],
    ['\u{00e4}\u{00f6}\u{00fc}\u{00ff}', 'Latin-1'],
    ['k'.repeat(255), 'the longest'],
    ['%00%27', 'percent signs'],
    ['__proto__', 'a name of a prototype'],
  ])('a key is any string: %s', async (key, id) => {
    const one = await sent(key, { id });
    expect(one.status).toBe(201);
    expect(await sent(key, { id }, 1)).toEqual(one);
    expect(await counted(id)).toBe(1);
  });

  test('keys that differ in letter case or in spaces inside differ', async () => {
    for (const key of ['Abc', 'abc', 'ABC', 'a bc'])
      expect((await sent(key, { id: 'case' })).status).toBe(201);
    expect(await counted('case')).toBe(4);
  });

  test('an empty or too long key is refused', async () => {
    expect((await sent('', { id: 'empty' })).status).toBe(400);
    expect((await sent('k'.repeat(256), { id: 'empty' })).status).toBe(400);
    expect(await counted('empty')).toBe(0);
  });

  test('another address is another client', async () => {
    const port = services[0]?.port ?? 0;
    const texts = await Promise.all(
      ['203.0.113.1', '203.0.113.2', '203.0.113.1'].map(async (address) => {
        for (;;) {
          const { status, text } = await send(
            port,
            'shared',
            { id: 'address' },
            { 'x-forwarded-for': address },
          ).response;
          if (status !== 409) return text;
        }
      }),
    );
    expect(new Set(texts).size).toBe(2);
    expect(texts[0]).toBe(texts[2]);
    expect(await counted('address')).toBe(2);
  });

  test('a table that was dropped is made again', async () => {
    await server.exec(database, 'drop table apikiln_idempotency');
    const statuses = [(await sent('dropped', { id: 'dropped' })).status];
    statuses.push((await sent('dropped', { id: 'dropped' })).status);
    expect(statuses).toEqual([500, 201]);
    expect(await counted('dropped')).toBe(1);
  });

  test('a user who may not create the table gets the statement', async () => {
    const other = 'idempotency_rights';
    await server.createDatabase(other);
    const [user, password] = ['keyless', 'secret-of-keyless'];
    await server.exec(
      other,
      kind === 'postgresql'
        ? `create user ${user} password '${password}'; revoke create on schema public from public`
        : `create user ${user} identified by '${password}'; grant select on ${other}.* to ${user}`,
    );
    const datasource = make({ name: 'shop' });
    datasource.open({ url: server.jdbcUrl(other), user, password });
    const error: unknown = await new KeyStore(datasource).open(log).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect((error as StartError).problems.join('\n')).toContain(
      'create table if not exists apikiln_idempotency',
    );
    await datasource.close(performance.now() + 1000);
  });

  test('the service starts while its database is not available', async () => {
    const datasource = make({ name: 'shop', timeout: 1 });
    datasource.open({ url: server.jdbcUrl(database).replace(/:\d+/, ':1'), user: 'a', password: 'b' });
    await expect(new KeyStore(datasource).open(log)).resolves.toBeUndefined();
    await datasource.close(performance.now() + 1000);
  });

  if (kind === 'mysql')
    test('a row without a response, as a statement leaves it that commits, is not taken for a request in progress', async () => {
      expect((await sent('torn', { id: 'torn' })).status).toBe(201);
      await server.exec(database, 'update apikiln_idempotency set response = null');
      const { status, text } = await sent('torn', { id: 'torn' }, 1);
      expect([status, text]).toEqual([500, '{"message":"It is unknown whether the change was made"}']);
      expect(await counted('torn')).toBe(1);
    });

  if (kind === 'postgresql') {
    test.each(['repeatable read', 'serializable'])('one change with the isolation %s', async (isolation) => {
      await server.exec(
        database,
        `alter database ${database} set default_transaction_isolation = '${isolation}'`,
      );
      const isolated = await start();
      const responses = await Promise.all(
        Array.from({ length: 30 }, () => send(isolated.port, isolation, { id: isolation }).response),
      );
      expect(await counted(isolation)).toBe(1);
      expect(responses.map(({ status }) => status).filter((status) => status !== 409)).toContain(201);
      await expect
        .poll(async () => (await send(isolated.port, isolation, { id: isolation }).response).status)
        .toBe(201);
      await server.exec(database, `alter database ${database} reset default_transaction_isolation`);
      isolated.service.child.kill('SIGTERM');
      await isolated.service.ended;
    });

    test('a role without rights on the table', async () => {
      await server.exec(database, 'create role order_writer; grant insert, select on orders to order_writer');
      await server.exec(database, `grant order_writer to ${server.user}`);
      const ofRole = await start({ ROLE: 'order_writer' });
      const one = await send(ofRole.port, 'role', { id: 'role' }).response;
      expect(one.status).toBe(201);
      expect(await send(ofRole.port, 'role', { id: 'role' }).response).toEqual(one);
      expect(await counted('role')).toBe(1);
      ofRole.service.child.kill('SIGTERM');
      await ofRole.service.ended;
    });
  }
});
