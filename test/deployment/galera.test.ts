/** MariaDB nodes of a Galera cluster behind a balancer that gives each connection to another one: two instances, one of them with workers. */
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachMariadb } from '../helpers/mariadb-server.js';
import { startGaleraCluster, type GaleraCluster } from '../helpers/galera-cluster.js';
import { startHaproxy, type LoadBalancer } from '../helpers/haproxy.js';
import { RunningService } from '../helpers/running-service.js';
import { ask, buildEntries, prepare } from '../service/services.js';

let cluster: GaleraCluster;
let balancer: LoadBalancer;
let folder: string;
let variables: Record<string, string>;

beforeAll(async () => {
  cluster = await startGaleraCluster(3);
  balancer = await startHaproxy(cluster.nodes.map(({ port }) => port));
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('no node');
  folder = (await buildEntries('galera')).get('mariadb') ?? '';
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
    const statuses = new Map<string, number>();
    const acknowledged = new Map<string, number>();
    const wrong: string[] = [];
    const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1);
    const client = async (name: number) => {
      for (let round = 0; round < 25; round += 1) {
        const url = services[(name + round) % services.length]?.url ?? '';
        const tag = `tag-${name}-${round}`;
        const created = await ask(url, 'POST', '/entries', { tag, amount: round });
        count(`POST ${created.status}`);
        if (created.status === 201) acknowledged.set(tag, round);
        const changed = await ask(url, 'PUT', `/entries/${tag}`, { amount: round + 1000 });
        count(`PUT ${changed.status}`);
        if (changed.status === 200) acknowledged.set(tag, round + 1000);
        // The other instance may be on another node: it sees the row, or does not see it yet.
        const read = await ask(services[name % 2]?.url ?? '', 'GET', `/entries/${tag}`);
        count(`GET ${read.status}`);
        if (read.status === 200 && (read.body as { tag: unknown }).tag !== tag) wrong.push(tag);
        const echo = await ask(url, 'GET', `/echo/${name}?other=${round}`);
        count(`echo ${echo.status}`);
        if (echo.text !== JSON.stringify({ value: String(name), other: String(round) }))
          wrong.push(echo.text);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, name) => client(name)));
    for (const service of services) expect(await service.stop()).toBe(0);
    console.log(`Galera behind HAProxy: ${JSON.stringify(Object.fromEntries(statuses))}`);
    expect(wrong).toEqual([]);
    const rows = (await cluster.nodes[1]?.exec('galera', 'select tag, amount from entry')) ?? [];
    const there = new Map(rows.map(({ tag, amount }) => [tag, amount]));
    expect([...acknowledged].filter(([tag, amount]) => there.get(tag) !== amount)).toEqual([]);
    expect([...statuses.keys()].filter((status) => /\b(?:0|500|504)$/.test(status))).toEqual([]);
    expect(statuses.get('POST 201')).toBeGreaterThan(250);
  });

  test('statements that run out of time end nobody else’s', async () => {
    const service = await RunningService.start(folder, { ...variables, REQUEST_TIMEOUT: '400' });
    // Another application of the same account, with as many connections on each node as the service may have.
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
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, value) => ask(service.url, 'GET', `/slow/${round}-${value}`)),
      );
      statuses.push(...answers.map(({ status }) => status));
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
    expect(statuses.filter((status) => status === 504).length).toBeGreaterThan(60);
    expect(results.filter((interrupted) => interrupted !== '0')).toEqual([]);
    expect(left.flat()).toEqual([]);
  });
});
