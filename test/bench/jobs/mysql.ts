/** The same work on MariaDB. */
import { readFileSync } from 'node:fs';
import { databasePeer, startService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad } from './pg.js';

export const mysql: Job = { name: 'mysql', run };

async function run(bench: Bench): Promise<Row[]> {
  const { workshop } = bench;
  const database = await bench.databases.mariadb();
  const text = readFileSync(workshop.configPath('news.yaml'), 'utf8');
  const config = workshop.writeConfig('mysql', text.replaceAll('jdbc:postgresql:', 'jdbc:mariadb:'));
  const main = await workshop.service('mysql', config);
  const contenders = [
    { name: 'apikiln', server: await startService(bench, main, database.forService) },
    await databasePeer(bench, 'Express + mysql2', 'express-mysql', database),
  ];
  const { runs } = await withServers(contenders, () => duel(contenders, newsLoad, bench.pace));
  return [
    {
      job: 'mysql',
      goal: 'MariaDB, throughput against Express 5 + mysql2 pool',
      target: atLeast(1.6),
      figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
      parts: runs.map(partOf),
    },
  ];
}
