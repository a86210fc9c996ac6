/** The time from the start of a service to its first response, without the start of Node itself. */
import { startService, type Bench, type Job } from '../bench.js';
import { lastPath } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { median } from '../statistics.js';
import { runNode } from '../workshop.js';
import { manyService } from './many.js';

export const start: Job = { name: 'start', run };

const counts = [
  [10, 0.35],
  [1000, 1],
] as const;

async function run(bench: Bench): Promise<Row[]> {
  const { forService } = await bench.databases.postgres();
  const rounds = Math.max(5, bench.pace.rounds);
  const rows: Row[] = [];
  for (const [count, goal] of counts) {
    const main = await manyService(bench, count);
    const node: number[] = [];
    const service: number[] = [];
    // The first round only brings the files into the system's cache.
    for (let round = 0; round <= rounds; round++) {
      const [bare, whole] = [await bareNode(bench), await firstAnswer(bench, main, count, forService)];
      if (round === 0) continue;
      node.push(bare);
      service.push(whole);
    }
    rows.push({
      job: 'start',
      goal: `From start to first response with ${count} operations, beyond Node's own start`,
      target: atMost(goal, 's'),
      figures: service.map((seconds, round) => seconds - (node[round] ?? NaN)),
      parts: [
        { name: `${count} operations`, seen: `${median(service).toFixed(3)} s` },
        { name: 'node -e 0', seen: `${median(node).toFixed(3)} s` },
      ],
    });
  }
  return rows;
}

async function bareNode({ cores }: Bench): Promise<number> {
  const begin = performance.now();
  await runNode(['-e', '0'], heldTo(cores.all, []));
  return (performance.now() - begin) / 1000;
}

/** Seconds; the response needs the database. */
async function firstAnswer(
  bench: Bench,
  main: string,
  count: number,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const begin = performance.now();
  const server = await startService(bench, main, environment, bench.cores.all);
  try {
    const response = await fetch(server.url + lastPath(count, '1'));
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The status of the first response was ${response.status}.`);
    return (performance.now() - begin) / 1000;
  } finally {
    await server.stop();
  }
}
