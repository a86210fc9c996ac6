/** The effect of slow requests (one in a hundred runs `pg_sleep(0.2)`) on the other requests, compared with a plain pool. */
import { databasePeer, newsService, withServers, type Bench, type Job } from '../bench.js';
import { compareBodies } from '../compare-bodies.js';
import { partOfSamples, takeTurns, withProcessorTime } from '../duel.js';
import type { Sample } from '../load.js';
import { closedLoad, steadyLoad } from '../mixed-load.js';
import { atMost, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const mixed: Job = { name: 'mixed', run };

/** At 1,500 requests a second, three of the ten connections of a plain pool are sleeping at any time. */
const perSecond = 1500;
const clients = 32;

type Load = (url: string, seconds: number) => Promise<Sample>;

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'Fastify + plain pool', 'fastify-pg', database),
  ];
  const loads: readonly (readonly [string, Load])[] = [
    [`${perSecond} requests a second`, (url, seconds) => steadyLoad(url, perSecond, seconds)],
    [`${clients} clients without a pause`, (url, seconds) => closedLoad(url, clients, seconds)],
  ];
  return withServers(contenders, async () => {
    const named = contenders.map(({ name, server }) => ({ name, url: server.url }));
    await compareBodies(named, ['/news/1', '/slow']);
    const rows: Row[] = [];
    for (const [words, load] of bench.quick ? loads.slice(0, 1) : loads) {
      const samples = await takeTurns(
        contenders.map(
          (contender) => (seconds) => withProcessorTime(contender, () => load(contender.server.url, seconds)),
        ),
        // The 99th percentile needs more requests than a throughput does.
        { ...bench.schedule, seconds: bench.schedule.seconds * 2 },
      );
      const tails = samples.map((rounds) => rounds.map(({ p99 }) => p99));
      rows.push({
        job: 'mixed',
        goal: `Mixed load, 1 % pg_sleep(0.2), ${words}: p99 of the others, against Fastify + plain pool`,
        target: atMost(1),
        figures: ratios(tails[0] ?? [], tails[1] ?? []),
        parts: named.map(({ name }, index) => partOfSamples(name, samples[index])),
      });
    }
    return rows;
  });
}
