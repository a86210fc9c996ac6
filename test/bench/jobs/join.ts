/** How the time of a join grows from 1,000 × 1,000 to 10,000 × 10,000 rows, compared with a hand-written Map. */
import { databasePeer, startService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs, type Runs } from '../duel.js';
import { atMost, type Row } from '../row.js';
import { median, ratios } from '../statistics.js';

export const join: Job = { name: 'join', run };

/** Ten times the rows may take ten times as long; 20% is left for noise. A nested loop would take a hundred times as long. */
const linear = 12;

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const main = await bench.workshop.service('join', bench.workshop.configPath('join/config.yaml'));
  const contenders = [
    { name: 'apikiln', server: await startService(bench, main, database.forService) },
    await databasePeer(bench, 'Map by hand', 'express-pg', database),
  ];
  return withServers(contenders, async () => {
    const small = await duel(contenders, { path: '/tree/1000', ids: 1, connections: 4 }, bench.schedule);
    const large = await duel(contenders, { path: '/tree/10000', ids: 1, connections: 4 }, bench.schedule);
    const [few, many] = [small.runs[0], large.runs[0]];
    if (!few || !many) return [];
    return [
      {
        job: 'join',
        goal: 'Join, growth of its time from 1,000 to 10,000 rows on each side (10 is linear)',
        target: atMost(linear),
        figures: ratios(throughputs(few.samples), throughputs(many.samples)),
        parts: [
          { ...partOf(few), name: '1,000 rows' },
          { ...partOf(many), name: '10,000 rows' },
          { name: 'Map by hand', seen: growthOf(small.runs[1], large.runs[1]) },
        ],
      },
    ];
  });
}

/** The growth factor, as the goal measures it. */
function growthOf(few: Runs | undefined, many: Runs | undefined): string {
  return `${median(ratios(throughputs(few?.samples), throughputs(many?.samples))).toFixed(2)} ×`;
}
