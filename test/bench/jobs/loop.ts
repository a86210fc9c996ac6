/** A LOOP of 100 READs, compared with a hand-written loop: `await pool.query` in a `for`. */
import { databasePeer, newsService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const loop: Job = { name: 'loop', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const contenders = [
    await newsService(bench, database),
    await databasePeer(bench, 'await pool.query in a loop', 'express-pg', database),
  ];
  return withServers(contenders, async () => {
    const rows: Row[] = [];
    for (const connections of bench.quick ? [8] : [8, 1]) {
      const load = { path: '/loop/%d', ids: 9_900, connections };
      const { runs } = await duel(contenders, load, bench.schedule);
      rows.push({
        job: 'loop',
        goal: `LOOP of 100 READs, throughput of ${connections === 1 ? 'one client' : `${connections} clients`} against the same loop by hand`,
        target: atLeast(connections === 1 ? 8 : 6),
        figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
        parts: runs.map(partOf),
      });
    }
    return rows;
  });
}
