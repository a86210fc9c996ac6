/** One third-party API call for each request, compared with Express and axios with a keep-alive agent. */
import { startPeer, startService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const rest: Job = { name: 'rest', run };

async function run(bench: Bench): Promise<Row[]> {
  const main = await bench.workshop.service('rest', bench.workshop.configPath('rest.yaml'));
  const third = await startPeer(bench, 'third-party', {}, bench.cores.others);
  const contenders = [
    {
      name: 'apikiln',
      server: await startService(bench, main, { DATASOURCE_WEATHER_URL: third.url }),
    },
    {
      name: 'Express + axios',
      server: await startPeer(bench, 'express-axios', { THIRD_PARTY: third.url }),
    },
  ];
  const load = { path: '/weather/city%d', ids: 1_000, connections: 32 };
  const { runs } = await withServers([...contenders, { server: third }], () =>
    duel(contenders, load, bench.schedule),
  );
  return [
    {
      job: 'rest',
      goal: 'Third-party call, throughput against Express + axios with keep-alive',
      target: atLeast(2.2),
      figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
      parts: runs.map(partOf),
    },
  ];
}
