/** One READ with a context and a role, compared with the same READ without them. */
import { startService, withServers, type Bench, type Job } from '../bench.js';
import { databaseName, type BenchDatabase } from '../database.js';
import { duel, partOf, throughputs, type Contender } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const context: Job = { name: 'context', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  await database.server.exec(
    databaseName,
    'CREATE ROLE news_reader; GRANT SELECT ON news, comment TO news_reader',
  );
  const contenders = [
    await contender(bench, database, 'one-read-context'),
    await contender(bench, database, 'one-read'),
  ];
  const { runs } = await withServers(contenders, () => duel(contenders, newsLoad, bench.schedule));
  const [behind, plain] = runs;
  if (!behind || !plain) return [];
  return [
    {
      job: 'context',
      goal: 'PostgreSQL, one READ behind a context and a role, throughput against one without',
      target: atLeast(0.8),
      figures: ratios(throughputs(behind.samples), throughputs(plain.samples)),
      parts: [partOf(behind), partOf(plain)],
    },
  ];
}

async function contender(bench: Bench, database: BenchDatabase, name: string): Promise<Contender> {
  const main = await bench.workshop.service(name, bench.workshop.configPath(`${name}.yaml`));
  const server = await startService(bench, main, database.forService);
  return { name, server, database: await database.time() };
}
