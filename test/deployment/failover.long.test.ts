/**
 * A service whose URL names a primary and its standby: the primary fails under load, and the standby is promoted without a restart of the
 * service.
 */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startPostgresPair, type Member, type PostgresPair } from '../helpers/postgres-standby.js';
import { RunningService } from '../helpers/running-service.js';
import { entriesSchema } from '../service/entries.js';
import { askUntil, buildEntries } from '../service/services.js';
import { Clients, contradictions, type SteadyLoad } from '../service/steady-load.js';

const database = 'failover';
let folder: string;
let pair: PostgresPair;
let services: RunningService[] = [];

beforeAll(async () => {
  folder = (await buildEntries('failover', ['postgresql'])).get('postgresql') ?? '';
});

beforeEach(async () => {
  pair = await startPostgresPair();
  const [primary] = pair.members;
  await primary.createDatabase(database);
  await primary.exec(database, entriesSchema.postgresql);
});

afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
  await pair.stop();
});

/** Starts two services, one of them with workers; the standby is the first host in their URL. */
async function startServices(): Promise<string[]> {
  const [primary, standby] = pair.members;
  const variables = {
    DATASOURCE_MAIN_URL: `jdbc:postgresql://127.0.0.1:${standby.port},127.0.0.1:${primary.port}/${database}?targetServerType=primary&socketTimeout=6`,
    DATASOURCE_MAIN_USER: primary.user,
    DATASOURCE_MAIN_PASSWORD: primary.password,
  };
  services = [
    await RunningService.start(folder, variables),
    await RunningService.start(folder, { ...variables, WORKERS: '2' }),
  ];
  return services.map(({ url }) => url);
}

/** Waits until `count` more writes have succeeded. */
async function moreWrites(clients: Clients, count: number): Promise<void> {
  const before = clients.writes;
  await expect.poll(() => clients.writes, { timeout: 60_000, interval: 50 }).toBeGreaterThan(before + count);
}

async function compare(load: SteadyLoad, server: Member, what: string): Promise<void> {
  console.log(
    `${what}: ${JSON.stringify(Object.fromEntries(load.statuses))}, ${Math.round(load.outage)} ms without a write`,
  );
  expect(contradictions(load, await server.exec(database, 'select tag, amount from entry'))).toEqual([]);
  expect(load.wrong).toEqual([]);
}

test('the primary is killed: no acknowledged write is lost, none is made twice, and nobody restarts the service', async () => {
  const [primary, standby] = pair.members;
  const clients = Clients.start(await startServices(), 16, true);
  await moreWrites(clients, 200);
  await primary.kill();
  await standby.promote();
  await moreWrites(clients, 200);
  const load = await clients.stop();
  await compare(load, standby, 'The primary was killed');
  expect(services[0]?.printed).toContain(`Connections go to 127.0.0.1:${standby.port} now`);

  // The former primary is now the standby, and is promoted again.
  await primary.rejoin();
  await standby.exec('postgres', `alter system set synchronous_standby_names = '*'`);
  await standby.exec('postgres', 'select pg_reload_conf()');
  await standby.exec(database, 'delete from entry');
  const again = Clients.start(
    services.map(({ url }) => url),
    16,
    true,
  );
  await moreWrites(again, 200);
  await standby.kill();
  await primary.promote();
  await moreWrites(again, 200);
  await compare(await again.stop(), primary, 'The other one was killed');
});

test('the primary freezes: it is found out long before the time limit of statements, and left also where it goes on', async () => {
  const [primary, standby] = pair.members;
  const clients = Clients.start(await startServices(), 16, true);
  await moreWrites(clients, 200);
  await primary.freeze();
  await expect
    .poll(() => services.every(({ printed }) => /is not used: (?:it does not respond|no )/.test(printed)), {
      timeout: 30_000,
    })
    .toBe(true);
  await standby.promote();
  // Pending connection attempts to the former primary now succeed.
  await primary.thaw();
  await moreWrites(clients, 200);
  await compare(await clients.stop(), standby, 'The primary was frozen');
  // The former primary still accepts writes, but receives none from the service.
  const urls = services.map(({ url }) => url);
  for (const url of urls) await askUntil(200, url, '/entries/client-0');
  // The server notices a closed connection only when it uses the connection, so a COMMIT that waits for the lost standby remains.
  const sessions = `select count(*)::int as n from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid() and wait_event is distinct from 'SyncRep'`;
  await expect.poll(() => primary.exec(database, sessions), { timeout: 30_000 }).toEqual([{ n: 0 }]);
});
