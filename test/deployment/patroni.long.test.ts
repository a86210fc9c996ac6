/**
 * A service on a Patroni cluster whose leader is lost under load. `PATRONI=1` tries every way to lose it; by default, the leader is killed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPatroniCluster, type PatroniCluster, type PatroniNode } from '../helpers/patroni-cluster.js';
import { RunningService } from '../helpers/running-service.js';
import { entriesSchema } from '../service/entries.js';
import { buildEntries } from '../service/services.js';
import { Clients, contradictions } from '../service/steady-load.js';

const database = 'patroni';
let cluster: PatroniCluster;
let services: RunningService[] = [];

beforeAll(async () => {
  const [folders, started] = await Promise.all([
    buildEntries('patroni', ['postgresql']),
    startPatroniCluster(3),
  ]);
  cluster = started;
  const leader = await cluster.settled();
  await leader.createDatabase(database);
  await leader.exec(database, entriesSchema.postgresql);
  const hosts = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
  const variables = {
    DATASOURCE_MAIN_URL: `jdbc:postgresql://${hosts}/${database}?targetServerType=primary&socketTimeout=6`,
    DATASOURCE_MAIN_USER: leader.user,
    DATASOURCE_MAIN_PASSWORD: leader.password,
  };
  const folder = folders.get('postgresql') ?? '';
  services = [
    await RunningService.start(folder, variables),
    await RunningService.start(folder, { ...variables, WORKERS: '2' }),
  ];
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await cluster.stop();
});

interface Loss {
  readonly what: string;
  lose(leader: PatroniNode): void | Promise<void>;
  /** Called after another node has become the leader. */
  restore(leader: PatroniNode): void | Promise<void>;
}

const losses: readonly Loss[] = [
  {
    what: 'is killed with its Patroni',
    lose: (leader) => leader.kill(),
    restore: (leader) => {
      leader.start();
    },
  },
  {
    what: 'freezes with its Patroni',
    lose: (leader) => leader.freeze(),
    restore: (leader) => leader.thaw(),
  },
  {
    what: 'is cut off from etcd',
    lose: (leader) => {
      leader.cutOff();
    },
    restore: (leader) => {
      leader.join();
    },
  },
];

const tried = process.env['PATRONI'] === undefined ? losses.slice(0, 1) : losses;

test.each(tried)(
  'the leader $what: no acknowledged write is lost, none is made twice, and nobody restarts the service',
  async ({ what, ...loss }) => {
    const before = await cluster.settled();
    await before.exec(database, 'delete from entry');
    const urls = services.map(({ url }) => url);
    const clients = Clients.start(urls, 16, true);
    const moreWrites = (count: number) => {
      const { writes } = clients;
      return expect
        .poll(() => clients.writes, { timeout: 60_000, interval: 50 })
        .toBeGreaterThan(writes + count);
    };
    await moreWrites(200);
    await loss.lose(before);
    const others = cluster.nodes.filter((node) => node !== before);
    await expect
      .poll(async () => (await Promise.all(others.map((node) => node.leads()))).includes(true))
      .toBe(true);
    await moreWrites(200);
    await loss.restore(before);
    await moreWrites(200);
    const after = await cluster.settled();
    await moreWrites(200);
    const load = await clients.stop();
    console.log(
      `The leader ${what}: ${JSON.stringify(Object.fromEntries(load.statuses))}, ${Math.round(load.outage)} ms without a write`,
    );
    expect(after).not.toBe(before);
    expect(contradictions(load, await after.exec(database, 'select tag, amount from entry'))).toEqual([]);
    expect(load.wrong).toEqual([]);
  },
);
