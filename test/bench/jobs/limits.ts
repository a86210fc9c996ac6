/** One READ with two limits, compared with the same READ without them. */
import { startService, withServers, type Bench, type Job } from '../bench.js';
import type { BenchDatabase } from '../database.js';
import { duel, partOf, throughputs, type Contender } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const limits: Job = { name: 'limits', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await contender(bench, database, 'one-read-limited'),
    await contender(bench, database, 'one-read'),
  ];
  const { runs } = await withServers(contenders, () => duel(contenders, newsLoad, bench.schedule));
  const [limited, plain] = runs;
  if (!limited || !plain) return [];
  return [
    {
      job: 'limits',
      goal: 'PostgreSQL, one READ with two limits, throughput against one without',
      target: atLeast(0.8),
      figures: ratios(throughputs(limited.samples), throughputs(plain.samples)),
      parts: [partOf(limited), partOf(plain)],
    },
  ];
}

async function contender(bench: Bench, database: BenchDatabase, name: string): Promise<Contender> {
  const main = await bench.workshop.service(name, bench.workshop.configPath(`${name}.yaml`));
  const server = await startService(bench, main, database.forService);
  return { name, server, database: await database.time() };
}
