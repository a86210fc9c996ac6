/** A 100 kB body that is validated against its description, compared with Express and ajv. */
import { databasePeer, startService, withServers, type Bench, type Job } from '../bench.js';
import { duel, partOf, throughputs } from '../duel.js';
import { atLeast, type Row } from '../row.js';
import { ratios } from '../statistics.js';

export const body: Job = { name: 'body', run };

async function run(bench: Bench): Promise<Row[]> {
  const database = await bench.databases.postgres();
  const main = await bench.workshop.service('body', bench.workshop.configPath('body/config.yaml'));
  const contenders = [
    {
      name: 'apikiln',
      server: await startService(bench, main, database.forService),
      database: await database.time(),
    },
    await databasePeer(bench, 'Express + ajv', 'express-ajv', database),
  ];
  const load = { path: '/orders', ids: 1, connections: 8, body: orders(100_000) };
  const { runs } = await withServers(contenders, () => duel(contenders, load, bench.schedule));
  return [
    {
      job: 'body',
      goal: 'Body of 100 kB validated against its description, throughput against Express + ajv',
      target: atLeast(1.2),
      figures: ratios(throughputs(runs[0]?.samples), throughputs(runs[1]?.samples)),
      parts: runs.map(partOf),
    },
  ];
}

/** JSON with at most `max` characters. */
function orders(max: number): string {
  const all: string[] = [];
  for (let id = 1, length = 20; ; id++) {
    const order = JSON.stringify({
      ...{
        id,
        customer: `Customer number ${id}`,
        status: ['open', 'paid', 'sent'][id % 3],
        price: id + 0.25,
      },
      ...{ express: id % 2 === 0, ordered: new Date(1_704_067_200_000 + id * 60_000).toISOString() },
      lines: [1, 2].map((count) => ({ article: `AB-${1000 + (id % 9000)}`, count })),
    });
    length += order.length + 1;
    if (length > max) return `{"orders":[${all.join(',')}]}`;
    all.push(order);
  }
}
