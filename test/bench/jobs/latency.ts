/** Latency of one request at a time on an idle machine. */
import { databasePeer, newsService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf } from '../duel.js';
import { atMost, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const latency: Job = { name: 'latency', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'Fastify + named', 'fastify-pg', database),
  ];
  const { runs } = await withServers(contenders, () =>
    duel(contenders, { ...newsLoad, connections: 1 }, bench.schedule),
  );
  const medians = runs.map(({ samples }) => samples.map(({ p50 }) => p50));
  return [
    {
      job: 'latency',
      goal: 'Latency (median) of a single unloaded request, against Fastify 5 + named prepared statements',
      target: atMost(1),
      figures: ratios(medians[0] ?? [], medians[1] ?? []),
      parts: runs.map(partOf),
    },
  ];
}
