/** Datasources whose URL names several hosts: here two proxies to one server, either of which can be closed. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { knexOf } from '../../../runtime/knex/knex.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { severalServers } from '../../../runtime/sql/several-servers.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { freePort } from '../../helpers/free-port.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { read, update } from './open-datasource.js';

describe.each([
  {
    name: 'PostgreSQL',
    shared: sharedPostgres,
    make: postgres,
    scheme: 'jdbc:postgresql:',
    shuffled: '?loadBalanceHosts=true',
    // A new statement is sent together with its preparation, so it may have run.
    cutAtNew: 500,
  },
  {
    name: 'MariaDB',
    shared: sharedMariadb,
    make: mysql,
    scheme: 'jdbc:mariadb:',
    shuffled: '?loadBalanceHosts=true',
    // A new statement is prepared before it is sent, so it has not run.
    cutAtNew: 503,
  },
])('$name', ({ name, shared, make, scheme, shuffled, cutAtNew }) => {
  let server: AttachedServer;
  let one: Proxy;
  let other: Proxy;
  let datasource: DatabaseDatasource;
  let warnings: string[];
  const database = 'several_hosts';

  beforeEach(async () => {
    server = await shared();
    await server.createDatabase(database);
    await server.exec(database, 'create table entry (id integer)');
    one = await startProxy(server.port);
    other = await startProxy(server.port);
  });

  afterEach(async () => {
    await datasource.close(performance.now());
    await Promise.all([one.close(), other.close()]);
  });

  /** Opens the datasource with these hosts. */
  function open(hosts: readonly string[], options = '', kind = ''): void {
    datasource = make({ name: 'hostsdb' });
    warnings = [];
    const account = `${server.user}:${encodeURIComponent(server.password)}`;
    datasource.open(
      { url: `${scheme}${kind}//${account}@${hosts.join(',')}/${database}${options}`, poolWait: 10_000 },
      (warning) => warnings.push(warning),
      severalServers,
    );
  }

  function both(): string[] {
    return [`127.0.0.1:${one.port}`, `127.0.0.1:${other.port}`];
  }

  const answers = () => read(datasource, 'select 1 as one').then((rows) => rows[0]?.['one']);

  test('the first host is used, and nothing is asked of the others', async () => {
    open(both());
    await Promise.all(Array.from({ length: 20 }, answers));
    expect(one.connections()).toBeGreaterThan(0);
    expect(other.connections()).toBe(0);
    expect(warnings).toEqual([]);
  });

  test('a port without a server, a name without an address, and a host that does not respond are passed over', async () => {
    one.blackHole();
    open([`127.0.0.1:${await freePort()}`, 'nowhere.invalid', ...both()]);
    expect(await answers()).toBe(1);
    expect(warnings).toHaveLength(4);
    for (const expected of [
      /^127\.0\.0\.1:\d+ is not used: no connection \(ECONNREFUSED\)\.$/m,
      /^nowhere\.invalid:\d+ is not used: no connection \((?:ENOTFOUND|EAI_AGAIN)\)\.$/m,
      new RegExp(
        `^127\\.0\\.0\\.1:${one.port} is not used: no (?:response while connecting|connection \\(ETIMEDOUT\\))\\.$`,
        'm',
      ),
      new RegExp(`^Connections go to 127\\.0\\.0\\.1:${other.port} now\\.$`, 'm'),
    ])
      expect(warnings.join('\n')).toMatch(expected);
  });

  test('where no host can be used, the failure names each of them and no password', async () => {
    const [first, second] = [await freePort(), await freePort()];
    open([`127.0.0.1:${first}`, `[::1]:${second}`]);
    const error = await answers().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 503 });
    const { log } = (error as ServiceError).details;
    expect(log).toMatchObject({ reason: expect.stringContaining(`127.0.0.1:${first}: `) as string });
    expect(log).toMatchObject({ reason: expect.stringContaining(`; [::1]:${second}: `) as string });
    expect(JSON.stringify(log)).not.toContain(server.password);
  });

  test('a wrong password is refused by both, and the same host is asked once', async () => {
    datasource = make({ name: 'hostsdb' });
    warnings = [];
    datasource.open(
      {
        url: `${scheme}//${both().join(',')},127.0.0.1:${one.port}/${database}`,
        user: server.user,
        password: 'wrong',
      },
      (warning) => warnings.push(warning),
      severalServers,
    );
    await expect(answers()).rejects.toMatchObject({ status: 503 });
    expect(warnings.filter((warning) => warning.includes('password'))).toHaveLength(2);
  });

  test('where the connections are lost, the next ones go to the other host: reads run again, a write that may have run does not', async () => {
    open(both());
    expect(await answers()).toBe(1);
    await update(datasource, 'insert into entry values (1)');
    one.resetOnUse();
    const cut = update(datasource, 'insert into entry values (2)');
    await expect(cut).rejects.toMatchObject({ status: cutAtNew });
    await one.close();
    expect(await Promise.all(Array.from({ length: 20 }, answers))).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
    await update(datasource, 'insert into entry values (3)');
    expect(await read(datasource, 'select id from entry order by id')).toEqual([{ id: 1 }, { id: 3 }]);
    expect(warnings.join()).toContain(
      `Connections go to 127.0.0.1:${other.port} now, and no longer to 127.0.0.1:${one.port}.`,
    );
  });

  test('a host that falls silent is found out by another connection, and reads that wait there run on the other one', async () => {
    open(both());
    await Promise.all(Array.from({ length: 30 }, answers));
    one.blackHole();
    expect(await Promise.all(Array.from({ length: 30 }, answers))).toEqual(
      Array.from({ length: 30 }, () => 1),
    );
    expect(warnings.join()).toMatch(
      new RegExp(`127\\.0\\.0\\.1:${one.port} is not used: (?:it does not respond|no )`),
    );
  });

  test('a statement that takes long does not make its server one that is silent', async () => {
    open(both());
    const sleep = name === 'PostgreSQL' ? 'select pg_sleep(4)' : 'select sleep(4)';
    await read(datasource, sleep);
    expect(warnings).toEqual([]);
    // Additional connections checked whether the server responds.
    expect(one.connections()).toBeGreaterThan(1);
    expect(other.connections()).toBe(0);
  });

  test('the other connections stay where a statement was cancelled', async () => {
    const sleep = (seconds: number) => `select ${name === 'PostgreSQL' ? 'pg_sleep' : 'sleep'}(${seconds})`;
    open(both());
    const several = () => Promise.all(Array.from({ length: 6 }, () => read(datasource, sleep(0.2))));
    await several();
    const rows = name === 'PostgreSQL' ? 'generate_series(1, 2000000)' : 'seq_1_to_2000000';
    await expect(read(datasource, `select repeat('x', 500) as x from ${rows}`)).rejects.toMatchObject({
      status: 500,
    });
    await expect.poll(() => datasource.connections().used).toBe(0);
    const before = one.connections();
    await several();
    expect(one.connections() - before).toBeLessThan(3);
  });

  test('balanced: connections go to all hosts', async () => {
    const slow = name === 'PostgreSQL' ? 'select pg_sleep(0.2)' : 'select sleep(0.2)';
    open(both(), shuffled);
    for (let round = 0; round < 10 && (one.connections() === 0 || other.connections() === 0); round += 1) {
      await datasource.close(performance.now());
      open(both(), shuffled);
      await Promise.all(Array.from({ length: 6 }, () => read(datasource, slow)));
    }
    expect(one.connections()).toBeGreaterThan(0);
    expect(other.connections()).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });

  test('own code with knex follows to the other host', async () => {
    open(both());
    const count = async () => (await knexOf(datasource)('entry').count({ n: '*' }))[0]?.['n'];
    expect(Number(await count())).toBe(0);
    expect(await answers()).toBe(1);
    await one.close();
    expect(await answers()).toBe(1);
    expect(Number(await count())).toBe(0);
    expect(other.connections()).toBeGreaterThan(1);
  });

  test('a server of another kind than is asked for is passed over', async () => {
    open(both(), '?targetServerType=secondary');
    await expect(answers()).rejects.toMatchObject({
      details: { log: { reason: expect.stringContaining('it is the primary') as string } },
    });
    await datasource.close(performance.now());
    open(both(), '?targetServerType=preferSecondary');
    expect(await answers()).toBe(1);
    await datasource.close(performance.now());
    open(both().slice(0, 1), '?targetServerType=primary');
    expect(await answers()).toBe(1);
    await update(datasource, 'insert into entry values (1)');
  });
});
