/** Processor time of service and database for a request, compared with servers written for Go and Bun, and with Node's bare HTTP server. */
import {
  mariadbService,
  newsService,
  startPeer,
  startService,
  withServers,
  type Bench,
  type Job,
} from '../bench.js';
import type { BenchDatabase } from '../database.js';
import { costs, duel, duelOfDifferent, partOf, type Contender, type Runs } from '../duel.js';
import type { Load } from '../load.js';
import { bunPeer, startBun, startGo, type Started } from '../other-languages.js';
import { atMost, type Row, type Target } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad, transactionLoad, writeLoad } from './pg.js';

export const cost: Job = { name: 'cost', run };

const listLoad = { path: '/books', ids: 1, connections: 8 };

async function run(bench: Bench): Promise<Row[]> {
  return [
    ...(await ofPostgres(bench)),
    ...(await ofMariadb(bench)),
    ...(await ofThirdParty(bench)),
    ...(await ofBareServer(bench)),
    ...(await ofTwoProcesses(bench)),
  ];
}

/** A contender, or the reason why there is none. */
type Peer = Contender | { readonly name: string; readonly reason: string };

/** A server to compare with, and the goal for each load. */
interface Rival {
  readonly name: string;
  readonly start: () => Promise<Peer>;
  readonly goals: Readonly<Record<string, Target>>;
}

async function ofPostgres(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const { forPeer } = database;
  const rivals: readonly Rival[] = [
    {
      name: 'Go + pgx',
      start: () => peer('Go + pgx', database, () => startGo(bench, 'go-pg', { environment: forPeer })),
      goals: { news: atMost(0.65), insert: atMost(0.8), transaction: atMost(0.8), list: atMost(0.5) },
    },
    {
      name: 'Bun.serve + Bun.sql',
      start: () =>
        peer('Bun.serve + Bun.sql', database, () =>
          startBun(bench, bunPeer('bun-pg'), { environment: { PORT: '0', ...forPeer } }),
        ),
      goals: { news: atMost(0.9), insert: atMost(1), transaction: atMost(1), list: atMost(1) },
    },
    { name: 'the same service on Bun', start: () => onBun(bench, database), goals: { news: atMost(1) } },
  ];
  const loads = [
    ['news', 'two statements on PostgreSQL', newsLoad],
    ['insert', 'one INSERT on PostgreSQL', writeLoad],
    ['transaction', 'a transaction of three statements on PostgreSQL', transactionLoad],
    ['list', 'a list of 10,000 rows on PostgreSQL', listLoad],
  ] as const;
  return against(bench, await newsService(bench, database), rivals, loads);
}

async function onBun(bench: Bench, database: BenchDatabase): Promise<Peer> {
  const main = await bench.workshop.service('news', bench.workshop.configPath('news.yaml'));
  return peer('the same service on Bun', database, () =>
    startBun(bench, main, { environment: database.forService }),
  );
}

async function ofMariadb(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.mariadb();
  const go: Rival = {
    name: 'Go + go-sql-driver',
    start: () =>
      peer('Go + go-sql-driver', database, () =>
        startGo(bench, 'go-mysql', { environment: database.forPeer }),
      ),
    goals: { news: atMost(0.9) },
  };
  const loads = [['news', 'two statements on MariaDB', newsLoad]] as const;
  return against(bench, await mariadbService(bench, database), [go], loads);
}

/** The time of the third party is not counted. */
async function ofThirdParty(bench: Bench): Promise<Row[]> {
  const main = await bench.workshop.service('rest', bench.workshop.configPath('rest.yaml'));
  const third = await startPeer(bench, 'third-party', {}, bench.cores.others);
  const go: Rival = {
    name: 'Go’s HTTP client',
    start: () =>
      peer('Go’s HTTP client', undefined, () =>
        startGo(bench, 'go-rest', { environment: { THIRD_PARTY: third.url } }),
      ),
    goals: { call: atMost(1) },
  };
  const loads = [
    ['call', 'a third-party call', { path: '/weather/city%d', ids: 1_000, connections: 32 }],
  ] as const;
  return withServers([{ server: third }], async () => {
    const server = await startService(bench, main, { DATASOURCE_WEATHER_URL: third.url });
    return against(bench, { name: 'apikiln', server }, [go], loads);
  });
}

async function peer(
  name: string,
  database: BenchDatabase | undefined,
  start: () => Promise<Started>,
): Promise<Peer> {
  const server = await start();
  if (typeof server === 'string') return { name, reason: server };
  return { name, server, ...(database === undefined ? {} : { database: await database.time() }) };
}

/** Rows for each load and each rival that has a goal for it. */
async function against(
  bench: Bench,
  own: Contender,
  rivals: readonly Rival[],
  loads: readonly (readonly [id: string, words: string, load: Load])[],
): Promise<Row[]> {
  const peers: Peer[] = [];
  for (const { start } of rivals) peers.push(await start());
  const all = [own, ...peers.filter((one): one is Contender => 'server' in one)];
  return withServers(all, async () => {
    const rows: Row[] = [];
    for (const [id, words, load] of loads) {
      const chosen = rivals.filter(({ goals }) => goals[id] !== undefined).map(({ name }) => name);
      const asked = all.filter((one) => one === own || chosen.includes(one.name));
      const { runs } = await duel(asked, load, bench.schedule);
      for (const { name, goals } of rivals) {
        const target = goals[id];
        const reason = peers.find((one) => one.name === name && 'reason' in one);
        if (target !== undefined)
          rows.push(costRow(`Cost of ${words}, against ${name}`, target, runs, name, reason));
      }
    }
    return rows;
  });
}

function costRow(
  goal: string,
  target: Target,
  runs: readonly Runs[],
  name: string,
  left: Peer | undefined,
): Row {
  const [own] = runs;
  const other = runs.find((one) => one.name === name);
  if (own === undefined || other === undefined) {
    const reason = left !== undefined && 'reason' in left ? left.reason : 'Not measured.';
    return { job: 'cost', goal, target, figures: [], parts: [], reason };
  }
  return {
    ...{ job: 'cost', goal, target },
    figures: ratios(costs(own.samples), costs(other.samples)),
    parts: [partOf(own), partOf(other)],
  };
}

/** Two worker processes on all cores, compared with one Go process that uses two. */
async function ofTwoProcesses(bench: Bench): Promise<Row[]> {
  const { databases, cores, workshop } = bench;
  const database = await databases.postgres();
  const main = await workshop.service('news', workshop.configPath('news.yaml'));
  const server = await startService(bench, main, { ...database.forService, WORKERS: '2' }, cores.all);
  const own: Contender = {
    name: 'two workers',
    // The memory of the first process says nothing about the workers.
    server: { ...server, peakMemory: () => NaN },
    database: await database.time(),
  };
  const name = 'Go + pgx with GOMAXPROCS=2';
  const settings = { environment: database.forPeer, processors: 2, cores: cores.all };
  const go: Rival = {
    name,
    start: () => peer(name, database, () => startGo(bench, 'go-pg', settings)),
    goals: { news: atMost(0.65) },
  };
  const loads = [['news', 'two statements on PostgreSQL with WORKERS=2', newsLoad]] as const;
  return against(bench, own, [go], loads);
}

/** Its responses differ from those of the service only in content, so the difference is what the service adds to Node. */
async function ofBareServer(bench: Bench): Promise<Row[]> {
  const own = await newsService(bench, await bench.databases.postgres());
  const { runs } = await withServers([own], async () => {
    const text = await (await fetch(`${own.server.url}/news/5000`)).text();
    const environment = { BODY_LENGTH: String(text.length) };
    const bare = { name: 'node:http', server: await startPeer(bench, 'node-http', environment) };
    return withServers([bare], () => duelOfDifferent([own, bare], newsLoad, bench.schedule));
  });
  const [ours, bare] = runs;
  if (ours === undefined || bare === undefined) return [];
  const parts = runs.map(partOf);
  return [
    {
      job: 'cost',
      goal: 'Cost of two statements on PostgreSQL for the service alone, against a bare node:http server',
      target: atMost(1.7),
      figures: ratios(processorTimes(ours), processorTimes(bare)),
      parts,
    },
    {
      job: 'cost',
      goal: 'Peak resident memory under the load of two statements, beyond a bare node:http server',
      target: atMost(40, 'MiB'),
      figures: [(ours.peakMemory - bare.peakMemory) / 2 ** 20],
      parts,
    },
  ];
}

function processorTimes({ samples }: Runs): number[] {
  return samples.map(({ processor = NaN }) => processor);
}
