/** An operation among 1,000 must respond as fast as one among ten. */
import { startService, withServers, type Bench, type Job } from '../bench.js';
import { lastPath, manyOperations } from '../configs/many.js';
import { compareBodies } from '../compare-bodies.js';
import { partOfSamples, takeTurns, throughputs, withProcessorTime } from '../duel.js';
import { runLoad } from '../load.js';
import { atLeast, type Row } from '../row.js';
import type { ServerProcess } from '../server-process.js';
import { ratios } from '../statistics.js';

export const many: Job = { name: 'many', run };

/** The main module of the service with `count` operations. */
export function manyService({ workshop }: Bench, count: number): Promise<string> {
  const name = `many-${count}`;
  return workshop.service(name, workshop.writeConfig(name, manyOperations(count)));
}

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const counts = [1000, 10];
  const mains: string[] = [];
  for (const count of counts) mains.push(await manyService(bench, count));
  const servers: { readonly server: ServerProcess }[] = [];
  for (const main of mains) servers.push({ server: await startService(bench, main, database.forService) });
  const samples = await withServers(servers, async () => {
    const asked = servers.map(({ server }, index) => ({
      url: server.url,
      path: lastPath(counts[index] ?? 0, '%d'),
    }));
    await compareBodies(
      asked.map(({ url, path }) => ({ name: path, url: url + path.replace('%d', '') })),
      ['1', '10000', '10001'],
    );
    return takeTurns(
      servers.map(({ server }, index) => (seconds) => {
        const load = { path: asked[index]?.path ?? '', ids: 10_000, connections: 32 };
        return withProcessorTime({ server }, () => runLoad(server.url, load, seconds));
      }),
      bench.schedule,
    );
  });
  return [
    {
      job: 'many',
      goal: '1,000 operations: throughput of one of them, against the same service with 10',
      target: atLeast(0.95),
      figures: ratios(throughputs(samples[0]), throughputs(samples[1])),
      parts: counts.map((count, index) => partOfSamples(`${count} operations`, samples[index])),
    },
  ];
}
