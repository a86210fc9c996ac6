/** 10,000 rows of six columns: decoding, mapping and serialising, and the memory that it takes. */
import { databasePeer, newsService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, atMost, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const list: Job = { name: 'list', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'Express + res.json', 'express-pg', database),
  ];
  const load = { path: '/books', ids: 1, connections: 8 };
  const { runs } = await withServers(contenders, () => duel(contenders, load, bench.schedule));
  const [ours, express] = runs;
  if (!ours || !express) return [];
  const parts = runs.map(partOf);
  return [
    {
      job: 'list',
      goal: 'List of 10,000 rows × 6 columns, throughput against Express + pool.query + res.json',
      target: atLeast(2),
      figures: ratios(throughputs(ours.samples), throughputs(express.samples)),
      parts,
    },
    {
      job: 'list',
      goal: 'Peak resident memory of it',
      target: atMost(0.5),
      figures: [ours.peakMemory / express.peakMemory],
      parts,
    },
  ];
}
