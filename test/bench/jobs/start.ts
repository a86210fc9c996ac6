/** The time from the start of a service to its first response, minus the start of Node; and the memory of the idle service. */
import { setTimeout as pause } from 'node:timers/promises';
import { startService, type Bench, type Job } from '../bench.js';
import { lastPath } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { median } from '../statistics.js';
import { runNode } from '../workshop.js';
import { manyService } from './many.js';

export const start: Job = { name: 'start', run };

const counts = [
  [10, 0.12],
  [1000, 0.3],
] as const;

async function run(bench: Bench): Promise<Row[]> {
  const { forService } = await bench.databases.postgres();
  const rounds = Math.max(5, bench.schedule.rounds);
  const rows: Row[] = [];
  for (const [count, goal] of counts) {
    const main = await manyService(bench, count);
    const node: number[] = [];
    const service: number[] = [];
    const idle: number[] = [];
    // The first round is not measured, because it fills the page cache.
    for (let round = 0; round <= rounds; round++) {
      const bare = await bareNode(bench);
      const { seconds, memory } = await firstResponse(bench, main, count, forService);
      if (round === 0) continue;
      node.push(bare);
      service.push(seconds);
      idle.push(memory / 2 ** 20);
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
    if (count === 10)
      rows.push({
        job: 'start',
        goal: `Resident memory with ${count} operations, a second after the first response`,
        target: atMost(60, 'MiB'),
        figures: idle,
        parts: [],
      });
  }
  return rows;
}

async function bareNode({ cores }: Bench): Promise<number> {
  const begin = performance.now();
  await runNode(['-e', '0'], heldTo(cores.all, []));
  return (performance.now() - begin) / 1000;
}

/** Seconds until the first response, which needs the database; and resident memory in bytes, a second later. */
async function firstResponse(
  bench: Bench,
  main: string,
  count: number,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly seconds: number; readonly memory: number }> {
  const begin = performance.now();
  const server = await startService(bench, main, environment, bench.cores.all);
  try {
    const response = await fetch(server.url + lastPath(count, '1'));
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The status of the first response was ${response.status}.`);
    const seconds = (performance.now() - begin) / 1000;
    await pause(1000);
    return { seconds, memory: server.memory() };
  } finally {
    await server.stop();
  }
}
