/** The choice among several servers, some of which are read-only. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { severalServers } from '../../../runtime/sql/several-servers.js';
import type { AttachedServer, DatabaseServer } from '../../helpers/database-server.js';
import { startMariadb } from '../../helpers/mariadb-server.js';
import { startMariadbPair } from '../../helpers/mariadb-pair.js';
import { startPostgresPair, type PostgresPair } from '../../helpers/postgres-standby.js';
import { startProxy } from '../../helpers/proxy.js';
import { read, update } from './open-datasource.js';

let opened: DatabaseDatasource[] = [];

afterEach(async () => {
  await Promise.all(opened.map((datasource) => datasource.close(performance.now())));
  opened = [];
});

function hostsOf(servers: readonly AttachedServer[]): string {
  return servers.map(({ host, port }) => `${host}:${port}`).join(',');
}

describe('PostgreSQL with a standby', () => {
  const database = 'kinds';
  let pair: PostgresPair;

  beforeAll(async () => {
    pair = await startPostgresPair();
    await pair.members[0].createDatabase(database);
    await pair.members[0].exec(database, 'create table entry (id integer)');
  });

  afterAll(() => pair.stop());

  function open(servers: readonly AttachedServer[], target: string): DatabaseDatasource {
    const datasource = postgres({ name: 'kindsdb' });
    const { user, password } = pair.members[0];
    const url = `jdbc:postgresql://${hostsOf(servers)}/${database}?targetServerType=${target}`;
    datasource.open({ url, user, password }, undefined, severalServers);
    opened.push(datasource);
    return datasource;
  }

  /** Sends several statements at the same time, so that shared connections are used as well. */
  async function isStandby(datasource: DatabaseDatasource): Promise<unknown> {
    const ask = () => read(datasource, 'select pg_is_in_recovery() as is');
    const rows = await Promise.all(Array.from({ length: 8 }, ask));
    const all = new Set(rows.flat().map((row) => row['is']));
    return all.size === 1 ? [...all][0] : 'both';
  }

  test('each kind, in either order of the hosts', async () => {
    for (const servers of [pair.members, [...pair.members].reverse()]) {
      expect(await isStandby(open(servers, 'primary'))).toBe(false);
      expect(await isStandby(open(servers, 'preferPrimary'))).toBe(false);
      expect(await isStandby(open(servers, 'secondary'))).toBe(true);
      expect(await isStandby(open(servers, 'preferSecondary'))).toBe(true);
      expect(await isStandby(open(servers, 'any'))).toBe(servers !== pair.members);
    }
  });

  test('where the standby is used although it is not asked for, the first change fails and the next ones go to the primary', async () => {
    const datasource = open([...pair.members].reverse(), 'any');
    await expect(update(datasource, 'insert into entry values (1)')).rejects.toMatchObject({ status: 503 });
    await update(datasource, 'insert into entry values (2)');
    expect(await isStandby(datasource)).toBe(false);
    const rows = await pair.members[0].exec(database, 'select id from entry');
    expect(rows).toEqual([{ id: 2 }]);
  });

  test('without a primary nothing is changed, and what may be read is; the promoted standby is used', async () => {
    const [primary, standby] = pair.members;
    const both = open(pair.members, 'primary');
    const reads = open(pair.members, 'preferPrimary');
    expect(await isStandby(both)).toBe(false);
    expect(await isStandby(reads)).toBe(false);
    await primary.kill();
    // The end of the connection may arrive after the statement is sent; then it is unknown whether the statement ran.
    await expect(update(both, 'insert into entry values (3)')).rejects.toBeInstanceOf(ServiceError);
    await expect(update(both, 'insert into entry values (4)')).rejects.toMatchObject({
      status: 503,
      details: {
        log: { reason: expect.stringContaining(`127.0.0.1:${standby.port}: it can only be read`) as string },
      },
    });
    expect(await isStandby(reads)).toBe(true);
    await standby.promote();
    await expect
      .poll(() =>
        update(both, 'insert into entry values (5)').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await update(reads, 'insert into entry values (6)');
    const rows = await standby.exec(database, 'select id from entry order by id');
    expect(rows).toEqual([{ id: 2 }, { id: 5 }, { id: 6 }]);
  });
});

test('a frozen primary that goes on while a connection to it is made, and was replaced after the standby had been asked, is not the primary', async () => {
  const pair = await startPostgresPair();
  const [primary, standby] = pair.members;
  const way = await startProxy(standby.port);
  const datasource = postgres({ name: 'frozendb', pool: { max: 1 } });
  const { user, password } = primary;
  const hosts = `127.0.0.1:${way.port},127.0.0.1:${primary.port}`;
  const url = `jdbc:postgresql://${hosts}/postgres?targetServerType=primary&pipelining=false`;
  const warnings: string[] = [];
  datasource.open({ url, user, password }, (warning) => warnings.push(warning), severalServers);
  opened.push(datasource);
  const port = async () => (await read(datasource, 'select inet_server_port() as port'))[0]?.['port'];
  expect(await port()).toBe(primary.port);

  await primary.freeze();
  const untilAnswered = async () => {
    for (;;) {
      const found = await port().catch(() => undefined);
      if (found !== undefined) return found;
    }
  };
  const answered = untilAnswered();
  await expect.poll(() => warnings.join()).toContain(`127.0.0.1:${primary.port} is not used`);
  const asked = way.connections();
  await expect.poll(() => way.connections(), { interval: 5 }).toBeGreaterThan(asked);
  await standby.promote();
  await primary.thaw();
  expect(await answered).toBe(standby.port);
  expect(await port()).toBe(standby.port);
  await way.close();
  await pair.stop();
});

/** Opens a datasource with a single connection; returns the server on which a statement ran, and the datasource's warnings. */
function openOne(
  make: typeof mysql,
  url: string,
): { readonly port: () => Promise<unknown>; readonly warnings: string[] } {
  const datasource = make({ name: 'pairdb', pool: { max: 1 } });
  const warnings: string[] = [];
  datasource.open({ url }, (warning) => warnings.push(warning), severalServers);
  opened.push(datasource);
  const query = make === mysql ? 'select @@port as port' : 'select inet_server_port() as port';
  return { port: async () => (await read(datasource, query))[0]?.['port'], warnings };
}

const pairs = [
  { name: 'PostgreSQL', make: postgres, scheme: 'postgresql', start: startPostgresPair },
  { name: 'MariaDB with binary logs', make: mysql, scheme: 'mariadb', start: startMariadbPair },
];

describe.each(pairs)(
  '$name: a former primary that is back, and can be written',
  ({ make, scheme, start }) => {
    test('is used neither while the new one restarts, nor by a process that starts later', async () => {
      const pair = await start();
      const [former, current] = pair.members;
      const account = `${former.user}:${encodeURIComponent(former.password)}`;
      const database = scheme === 'mariadb' ? 'mysql' : 'postgres';
      const url = `jdbc:${scheme}://${account}@${hostsOf(pair.members)}/${database}?targetServerType=primary`;
      const { port, warnings } = openOne(make, url);
      expect(await port()).toBe(former.port);

      await former.kill();
      await current.promote();
      await expect.poll(() => port().catch(() => undefined)).toBe(current.port);
      await former.start();
      const later = openOne(make, url);
      expect(await later.port()).toBe(current.port);

      await current.kill();
      await expect(port()).rejects.toMatchObject({ status: 503 });
      await expect(port()).rejects.toMatchObject({
        details: {
          log: {
            reason: expect.stringContaining(
              `127.0.0.1:${former.port}: another server has replaced it as the primary`,
            ) as string,
          },
        },
      });
      await current.start();
      await expect.poll(() => port().catch(() => undefined)).toBe(current.port);
      expect(warnings.join('\n')).not.toContain(`Connections go to 127.0.0.1:${former.port}`);
      await pair.stop();
    });
  },
);

test('MariaDB: a replica that can be written by mistake does not take the place of the primary whose connections were lost', async () => {
  const pair = await startMariadbPair();
  const [primary, replica] = pair.members;
  await replica.exec('mysql', 'set global read_only = 0');
  await primary.exec('mysql', 'create table test.entry (id integer)');
  await expect
    .poll(() => replica.exec('mysql', 'select count(*) as n from test.entry').catch(() => undefined))
    .toEqual([{ n: 0 }]);
  const account = `${primary.user}:${encodeURIComponent(primary.password)}`;
  const { port, warnings } = openOne(
    mysql,
    `jdbc:mariadb://${account}@${hostsOf(pair.members)}/mysql?targetServerType=primary`,
  );
  for (let round = 0; round < 3; round += 1) {
    expect(await port()).toBe(primary.port);
    const sessions = await primary.exec(
      'mysql',
      `select id from information_schema.processlist where user = '${primary.user}' and id <> connection_id() and command <> 'Binlog Dump'`,
    );
    expect(sessions).not.toEqual([]);
    for (const { id } of sessions) await primary.exec('mysql', `kill ${Number(id)}`);
  }
  expect(await port()).toBe(primary.port);
  expect(warnings).toEqual([]);
  await pair.stop();
});

describe('MariaDB: two servers that are switched', () => {
  const database = 'switched';
  let servers: readonly DatabaseServer[];

  beforeAll(async () => {
    servers = await Promise.all([startMariadb(), startMariadb()]);
    for (const server of servers) {
      await server.createDatabase(database);
      await server.exec(database, 'create table entry (id integer)');
      // Only privileged users can write to this server.
      await server.exec(
        database,
        `create user 'writer'@'%' identified by 'p,w@1'; grant select, insert on ${database}.* to 'writer'@'%'`,
      );
    }
  });

  beforeEach(async () => {
    for (const server of servers) {
      await server.exec('mysql', 'set global read_only = 0');
      await server.exec(database, 'delete from entry');
    }
  });

  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  test('a connection that was being made when its server was left is not used', async () => {
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error('no server');
    const proxy = await startProxy(second.port);
    proxy.blackHole();
    const datasource = mysql({ name: 'leftdb' });
    const hosts = hostsOf([first, { ...second, port: proxy.port }]);
    datasource.open(
      { url: `jdbc:mariadb://writer:p,w%401@${hosts}/${database}?targetServerType=primary` },
      undefined,
      severalServers,
    );
    opened.push(datasource);
    const write = (id: number) => update(datasource, 'insert into entry values (?)', [id]);
    // Each statement waits for the second server for the full connect timeout.
    const early = write(-2);
    await delay(500);
    const late = write(-1);
    await early;
    await first.exec('mysql', 'set global read_only = 1');
    proxy.heal();
    await expect(write(-3)).rejects.toMatchObject({ status: 503 });
    await delay(1_000);
    await Promise.allSettled([late]);
    await Promise.all([-4, -5, -6].map(write));
    await proxy.close();
  });

  test('nor is one to a server that is only used because there is no primary', async () => {
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error('no server');
    await first.exec('mysql', 'set global read_only = 1');
    const proxy = await startProxy(second.port);
    proxy.blackHole();
    const datasource = mysql({ name: 'preferdb', pool: { max: 2 } });
    const hosts = hostsOf([first, { ...second, port: proxy.port }]);
    const options = 'targetServerType=preferPrimary&connectTimeout=2000';
    datasource.open(
      { url: `jdbc:mariadb://writer:p,w%401@${hosts}/${database}?${options}`, poolWait: 10_000 },
      undefined,
      severalServers,
    );
    opened.push(datasource);
    const idOf = async () =>
      Number((await read(datasource, 'select sleep(1), connection_id() as id'))[0]?.['id']);
    const early = idOf();
    // Its connection attempt waits for the second server after that of the first read.
    await delay(1_500);
    const late = idOf();
    const asleep = `select id, connection_id() as latest from information_schema.processlist where user = 'writer' and info like 'select sleep%'`;
    await expect.poll(() => first.exec('mysql', asleep), { timeout: 10_000 }).toHaveLength(1);
    const [row] = await first.exec('mysql', asleep);
    await first.exec('mysql', `kill ${Number(row?.['id'])}`);
    await Promise.all([early, late]);
    await expect.poll(() => datasource.connections().free, { timeout: 10_000 }).toBe(2);
    const ids = await Promise.all([idOf(), idOf()]);
    expect(ids.filter((id) => id <= Number(row?.['latest']))).toEqual([]);
    await proxy.close();
  });

  test('a server that becomes read-only is left, without a restart', async () => {
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error('no server');
    const datasource = mysql({ name: 'switcheddb' });
    const warnings: string[] = [];
    datasource.open(
      { url: `jdbc:mariadb://writer:p,w%401@${hostsOf(servers)}/${database}?targetServerType=primary` },
      (warning) => warnings.push(warning),
      severalServers,
    );
    opened.push(datasource);
    const write = (id: number) => update(datasource, 'insert into entry values (?)', [id]);
    const rowsOf = async (server: AttachedServer) =>
      (await server.exec(database, 'select id from entry order by id')).map((row) => row['id']);
    await Promise.all([1, 2, 3].map(write));

    await first.exec('mysql', 'set global read_only = 1');
    await expect(write(4)).rejects.toMatchObject({ status: 503 });
    await Promise.all([5, 6, 7].map(write));
    expect(warnings).toEqual([
      `127.0.0.1:${first.port} is not used: it can only be read.`,
      `Connections go to 127.0.0.1:${second.port} now, and no longer to 127.0.0.1:${first.port}.`,
    ]);

    await second.exec('mysql', 'set global read_only = 1');
    await expect(write(8)).rejects.toMatchObject({ status: 503 });
    await expect(write(9)).rejects.toMatchObject({
      status: 503,
      details: {
        log: { reason: expect.stringMatching(/it can only be read; .*it can only be read$/) as string },
      },
    });
    await first.exec('mysql', 'set global read_only = 0');
    await expect
      .poll(() =>
        write(10).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await rowsOf(first)).toEqual([1, 2, 3, 10]);
    expect(await rowsOf(second)).toEqual([5, 6, 7]);
  });
});
