/** 10,000 rows of six columns: decoding, mapping, serialization and memory. */
import { databasePeer, mariadbService, newsService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, atMost, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const list: Job = { name: 'list', run };

const load = { path: '/books', ids: 1, connections: 8 };

async function run(bench: Bench): Promise<Row[]> {
  return [...(await ofPostgres(bench)), ...(await ofMariadb(bench))];
}

async function ofPostgres(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'Express + res.json', 'express-pg', database),
  ];
  const { runs } = await withServers(contenders, () => duel(contenders, load, bench.schedule));
  const [ours, express] = runs;
  if (!ours || !express) return [];
  const parts = runs.map(partOf);
  return [
    {
      job: 'list',
      goal: 'List of 10,000 rows × 6 columns, throughput against Express + pool.query + res.json',
      target: atLeast(2.5),
      figures: ratios(throughputs(ours.samples), throughputs(express.samples)),
      parts,
    },
    {
      job: 'list',
      goal: 'Peak resident memory of it',
      target: atMost(0.4),
      figures: [ours.peakMemory / express.peakMemory],
      parts,
    },
  ];
}

async function ofMariadb(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.mariadb();
  const contenders = [
    await mariadbService(bench, database),
    await databasePeer(bench, 'Express + mysql2', 'express-mysql', database),
  ];
  const { runs } = await withServers(contenders, () => duel(contenders, load, bench.schedule));
  return [
    {
      job: 'list',
      goal: 'MariaDB, the same list, throughput against Express + mysql2 pool + res.json',
      target: atLeast(2),
      figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
      parts: runs.map(partOf),
    },
  ];
}
