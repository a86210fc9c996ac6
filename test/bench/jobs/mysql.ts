/** The same measurements as in pg.ts, on MariaDB. */
import { databasePeer, mariadbService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';
import { newsLoad, transactionLoad, writeLoad } from './pg.js';

export const mysql: Job = { name: 'mysql', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.mariadb();
  const contenders = [
    await mariadbService(bench, database),
    await databasePeer(bench, 'Express + mysql2', 'express-mysql', database),
  ];
  const measured = (goal: string, target: number, { runs }: Awaited<ReturnType<typeof duel>>): Row => ({
    job: 'mysql',
    goal: `MariaDB, ${goal} against Express 5 + mysql2 pool`,
    target: atLeast(target),
    figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
    parts: runs.map(partOf),
  });
  const loopLoad = { path: '/loop/%d', ids: 9_900, connections: 8 };
  return withServers(contenders, async () => [
    measured('throughput', 4, await duel(contenders, newsLoad, bench.schedule)),
    measured('one INSERT a request,', 2, await duel(contenders, writeLoad, bench.schedule)),
    measured(
      'a transaction of three statements,',
      1.5,
      await duel(contenders, transactionLoad, bench.schedule),
    ),
    measured('LOOP of 100 READs, 8 clients,', 4, await duel(contenders, loopLoad, bench.schedule)),
  ]);
}
