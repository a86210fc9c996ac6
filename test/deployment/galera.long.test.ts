/**
 * MariaDB nodes of a Galera cluster behind a load balancer that distributes connections among the nodes: two instances, one of them with
 * workers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachMariadb } from '../helpers/mariadb-server.js';
import { startGaleraCluster, type GaleraCluster, type GaleraNode } from '../helpers/galera-cluster.js';
import { startHaproxy, type LoadBalancer } from '../helpers/haproxy.js';
import { RunningService } from '../helpers/running-service.js';
import { Clients, contradictions, type SteadyLoad } from '../service/steady-load.js';
import { mixedLoad, untrue } from '../service/mixed-load.js';
import { ask, askUntil, buildEntries, prepare } from '../service/services.js';

/** NODE_CUTS=10 cuts off each node ten times with both kinds of URL; by default, one node is cut off once for each kind. */
const wantedCuts = process.env['NODE_CUTS'];
const cutsOfNodes = Number(wantedCuts ?? 1);

function cutNodes(mode: string): string[] {
  const [used, last] = ['the node that is used', 'the last node'];
  if (wantedCuts !== undefined) return [used, last];
  return [mode === 'failover' ? used : last];
}

let cluster: GaleraCluster;
let balancer: LoadBalancer;
let folder: string;
let variables: Record<string, string>;

beforeAll(async () => {
  cluster = await startGaleraCluster(3);
  balancer = await startHaproxy(cluster.nodes.map(({ port }) => port));
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('no node');
  folder = (await buildEntries('galera', ['mariadb'])).get('mariadb') ?? '';
  variables = {
    ...(await prepare(node, 'mariadb', 'galera')),
    DATASOURCE_MAIN_URL: attachMariadb({ ...node, port: balancer.port }).jdbcUrl('galera'),
  };
});

afterAll(async () => {
  await balancer.stop();
  await cluster.stop();
});

describe('behind HAProxy', () => {
  test('two processes and workers: no wrong row, every acknowledged write is there, only right statuses', async () => {
    const services = [
      await RunningService.start(folder, variables),
      await RunningService.start(folder, { ...variables, WORKERS: '2' }),
    ];
    const load = await mixedLoad(
      services.map(({ url }) => url),
      12,
      10,
    );
    for (const service of services) expect(await service.stop()).toBe(0);
    const { statuses, wrong } = load;
    console.log(`Galera behind HAProxy: ${JSON.stringify(Object.fromEntries(statuses))}`);
    expect(wrong).toEqual([]);
    const rows = (await cluster.nodes[1]?.rows('galera', 'select tag, amount from entry')) ?? [];
    expect(untrue(load, rows)).toEqual([]);
    expect([...statuses.keys()].filter((status) => /\b(?:0|500|504)$/.test(status))).toEqual([]);
    expect(statuses.get('POST 201')).toBeGreaterThan(10);
  });

  test('rows that all clients change at the same time, on two nodes: conflicts are repeated, every acknowledged increment is stored', async () => {
    const services = await Promise.all(
      cluster.nodes.slice(0, 2).map((node) =>
        // Each instance uses a different node, so that their changes conflict at certification.
        RunningService.start(folder, {
          ...variables,
          DATASOURCE_MAIN_URL: attachMariadb(node).jdbcUrl('galera'),
        }),
      ),
    );
    const [url = ''] = services.map((service) => service.url);
    const hot = ['hot-0', 'hot-1', 'hot-2'];
    for (const tag of hot) expect((await ask(url, 'POST', '/entries', { tag, amount: 0 })).status).toBe(201);
    // The rows have been replicated to both nodes.
    for (const service of services)
      for (const tag of hot) await askUntil(200, service.url, `/entries/${tag}`);
    const conflicts = async () => {
      const names = `('wsrep_local_cert_failures', 'wsrep_local_bf_aborts')`;
      const counts = await Promise.all(
        cluster.nodes.map((node) =>
          node.exec(
            'galera',
            `select sum(variable_value) as n from information_schema.global_status where variable_name in ${names}`,
          ),
        ),
      );
      return counts.flat().reduce((sum, { n }) => sum + Number(n), 0);
    };
    const before = await conflicts();
    const statuses = new Map<number, number>();
    const increments = new Map<string, number>();
    await Promise.all(
      Array.from({ length: 12 }, async (_, client) => {
        for (let round = 0; round < 15; round += 1) {
          const tag = hot[(client + round) % hot.length] ?? '';
          const service = services[client % services.length];
          const { status } = await ask(service?.url ?? '', 'POST', `/entries/${tag}/increments`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status === 204) increments.set(tag, (increments.get(tag) ?? 0) + 1);
        }
      }),
    );
    const met = (await conflicts()) - before;
    for (const service of services) expect(await service.stop()).toBe(0);
    console.log(`Hot rows on Galera: ${JSON.stringify(Object.fromEntries(statuses))}, ${met} conflicts`);
    const rows =
      (await cluster.nodes[2]?.rows('galera', `select tag, amount from entry where tag like 'hot%'`)) ?? [];
    // An unresolved conflict is a 503 without effect.
    expect(new Map(rows.map(({ tag, amount }) => [tag, amount]))).toEqual(increments);
    expect([...statuses.keys()].filter((status) => status !== 204 && status !== 503)).toEqual([]);
    expect(statuses.get(204)).toBeGreaterThan(12);
  });

  test('statements that run out of time end nobody else’s', async () => {
    const service = await RunningService.start(folder, { ...variables, REQUEST_TIMEOUT: '400' });
    // Another application with the same account, with as many connections on each node as the service may have.
    const others = await Promise.all(
      cluster.nodes.flatMap(({ host, port, user, password }) =>
        Array.from({ length: 20 }, async () => {
          const connection = await mysql.createConnection({ host, port, user, password });
          connection.on('error', () => undefined);
          return connection;
        }),
      ),
    );
    const ends = others.map(async (connection) => {
      const [rows] = await connection.query<mysql.RowDataPacket[]>('select sleep(12) as interrupted');
      return String(rows[0]?.['interrupted']);
    });
    const settled = Promise.allSettled(ends);
    const statuses: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const responses = await Promise.all(
        // As many as can hold a connection at the same time, in addition to the connections shared by quick reads.
        Array.from({ length: 8 }, (_, value) => ask(service.url, 'GET', `/slow/${round}-${value}`)),
      );
      statuses.push(...responses.map(({ status }) => status));
    }
    const results = (await settled).map((end) =>
      end.status === 'fulfilled' ? end.value : String(end.reason),
    );
    const left = await Promise.all(
      cluster.nodes.map((node) =>
        node.exec(
          'mysql',
          `select id from information_schema.processlist where info like '%sleep(1.5)%' and info not like '%processlist%'`,
        ),
      ),
    );
    await service.stop();
    for (const connection of others) connection.destroy();
    expect(statuses.filter((status) => status === 504).length).toBeGreaterThan(8);
    expect(results.filter((interrupted) => interrupted !== '0')).toEqual([]);
    expect(left.flat()).toEqual([]);
  });
});

test.each([0, 3])(
  'an increment on a node that does not have the row yet, wsrep_sync_wait = %i: only what was made is acknowledged',
  async (wait) => {
    const [first, second] = threeNodes();
    const database = `lag_${wait}`;
    await prepare(first, 'mariadb', database);
    await first.exec(database, 'create table filling (text char(100)) charset latin1');
    await second.exec('mysql', `set global wsrep_sync_wait = ${wait}`);
    const start = (node: GaleraNode) =>
      RunningService.start(folder, {
        ...variables,
        DATASOURCE_MAIN_URL: attachMariadb(node).jdbcUrl(database),
      });
    const [writer, other] = [await start(first), await start(second)];
    const increment = (tag: string) => ask(other.url, 'POST', `/entries/${tag}/increments`);
    // Open the connections of both services.
    for (const { url } of [writer, other]) await askUntil(404, url, '/entries/none');
    await increment('none');
    const statuses: number[] = [];
    const acknowledged = new Map<string, number>();
    for (const tag of ['one', 'two', 'three']) {
      // The other nodes are still applying the change when the first one acknowledges it, and later statements wait for it.
      await first.exec(database, `insert into filling select repeat('x', 100) from seq_1_to_100000`);
      expect((await ask(writer.url, 'POST', '/entries', { tag, amount: 0 })).status).toBe(201);
      const { status } = await increment(tag);
      statuses.push(status);
      acknowledged.set(tag, status === 204 ? 1 : 0);
    }
    for (const service of [writer, other]) expect(await service.stop()).toBe(0);
    await second.exec('mysql', 'set global wsrep_sync_wait = 0');
    const rows = await second.rows(database, 'select tag, amount from entry');
    expect(new Map(rows.map(({ tag, amount }) => [tag, amount]))).toEqual(acknowledged);
    expect(statuses.includes(404)).toBe(wait === 0);
  },
);

/** Services whose URL names all nodes in the order in which they joined, and the services' clients. */
interface Loaded {
  /** Environment variables of the services. */
  readonly settings: Record<string, string>;
  /** Two services: a single process, and one with workers. */
  readonly services: readonly RunningService[];
  readonly clients: Clients;
  /** Waits until `count` more writes have succeeded. */
  readonly moreWrites: (count: number) => Promise<void>;
  /** For each node: whether services have connections to it. */
  readonly used: () => Promise<boolean[]>;
}

async function startLoaded(mode: string, database: string): Promise<Loaded> {
  const [, , third] = threeNodes();
  const hosts = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
  const settings = {
    ...(await prepare(third, 'mariadb', database)),
    DATASOURCE_MAIN_URL: `jdbc:mariadb:${mode}://${hosts}/${database}?socketTimeout=10000`,
  };
  const services = [
    await RunningService.start(folder, settings),
    await RunningService.start(folder, { ...settings, WORKERS: '2' }),
  ];
  const urls = services.map(({ url }) => url);
  const clients = Clients.start(urls, 12, false);
  const moreWrites = async (count: number) => {
    const before = clients.writes;
    await expect.poll(() => clients.writes, { timeout: 60_000 }).toBeGreaterThan(before + count);
  };
  const where = `where db = '${database}' and info is null`;
  const used = () =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        const [row] = await node.exec(
          'mysql',
          `select count(*) as n from information_schema.processlist ${where}`,
        );
        return Number(row?.['n']) > 0;
      }),
    );
  return { settings, services, clients, moreWrites, used };
}

function threeNodes(): readonly [GaleraNode, GaleraNode, GaleraNode] {
  const [first, second, third] = cluster.nodes;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no node');
  return [first, second, third];
}

function print(what: string, { statuses, outage }: SteadyLoad): void {
  console.log(
    `${what}: ${JSON.stringify(Object.fromEntries(statuses))}, ${Math.round(outage)} ms without a write`,
  );
}

describe.each(['failover', 'loadbalance'])('with a URL of all nodes, %s', (mode) => {
  test('a node is killed, another one freezes, and both come back: no acknowledged write is lost, none is made twice', async () => {
    const [first, second] = threeNodes();
    const database = `nodes_${mode}`;
    const { services, clients, moreWrites, used } = await startLoaded(mode, database);
    await moreWrites(100);
    const before = await used();
    await first.kill();
    await moreWrites(100);
    await first.start();
    await second.freeze();
    await expect
      .poll(() => services.every(({ printed }) => printed.includes(`${second.port} is not used`)), {
        timeout: 30_000,
      })
      .toBe(true);
    await moreWrites(100);
    await second.thaw();
    await second.synced();
    await moreWrites(100);
    const load = await clients.stop();
    for (const service of services) expect(await service.stop()).toBe(0);
    print(`Galera, ${mode}`, load);
    if (mode === 'failover') expect(before).toEqual([true, false, false]);
    // The choice of nodes is random.
    else expect(before.filter(Boolean).length).toBeGreaterThan(1);
    expect(contradictions(load, await first.rows(database, 'select tag, amount from entry'))).toEqual([]);
    expect(load.wrong).toEqual([]);
  });

  test.each(cutNodes(mode))(
    '%s is cut off from the others, and comes back: no acknowledged write is lost, none is made twice, and a service that starts meanwhile fails nobody',
    async (which) => {
      const nodes = threeNodes();
      const isLast = which === 'the last node';
      const database = `cut_${mode}_${isLast ? 'last' : 'used'}`;
      const { settings, services, clients, moreWrites, used } = await startLoaded(mode, database);
      await moreWrites(100);
      for (let cuts = 0; cuts < cutsOfNodes; cuts += 1) {
        const at = isLast ? nodes.length - 1 : (await used()).indexOf(true);
        const node = nodes[at] ?? nodes[0];
        await node.cutOff();
        await moreWrites(100);
        const late = await RunningService.start(folder, settings);
        const tags = Array.from({ length: 24 }, (_, index) => `late-${cuts}-${index}`);
        const created = await Promise.all(
          tags.map((tag) => ask(late.url, 'POST', '/entries', { tag, amount: 0 })),
        );
        expect(created.map(({ status }) => status)).toEqual(tags.map(() => 201));
        expect(await late.stop()).toBe(0);
        const failures = clients.failures;
        // Longer than the interval after which a failed node is tried again.
        await delay(12_000);
        // With `loadbalance:`, each of the three processes notices the failure when it uses its connection to that node.
        expect(clients.failures - failures).toBeLessThanOrEqual(mode === 'failover' ? 0 : 3);
        expect((await used())[at]).toBe(false);
        if (mode === 'failover' && !isLast)
          for (const { printed } of services)
            expect(printed).toContain(`and no longer to ${node.host}:${node.port}`);
        await node.rejoin();
        await moreWrites(100);
      }
      const load = await clients.stop();
      for (const service of services) expect(await service.stop()).toBe(0);
      print(`Galera, ${mode}, ${which} is cut off`, load);
      // The node cut off was not in use.
      if (mode === 'failover' && isLast) expect(clients.failures).toBe(0);
      const found: string[] = [];
      for (const [index, one] of nodes.entries()) {
        const rows = await one.rows(database, 'select tag, amount from entry');
        found.push(...contradictions(load, rows).map((sentence) => `node ${index}, ${sentence}`));
      }
      expect(found).toEqual([]);
      expect(load.wrong).toEqual([]);
    },
  );
});
