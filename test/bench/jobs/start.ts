/**
 * The time from the start of a service to its first response, and the memory of the idle service: beyond those of Node, and against those
 * of a bare node:http server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startPeer, startService, type Bench, type Job } from '../bench.js';
import { lastPath } from '../configs/many.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { median, ratios } from '../statistics.js';
import type { ServerProcess } from '../server-process.js';
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
    const used: number[] = [];
    const usedByServer: number[] = [];
    const idleServer: number[] = [];
    // The first round is not measured, because it fills the page cache.
    for (let round = 0; round <= rounds; round++) {
      const bare = await bareNode(bench);
      const own = await firstResponse(lastPath(count, '1'), () =>
        startService(bench, main, forService, bench.cores.all),
      );
      const bareServer = await firstResponse('/', () =>
        startPeer(bench, 'node-http', { BODY_LENGTH: '1000' }, bench.cores.all),
      );
      if (round === 0) continue;
      node.push(bare);
      service.push(own.seconds);
      idle.push(own.memory / 2 ** 20);
      used.push(own.processor);
      usedByServer.push(bareServer.processor);
      idleServer.push(bareServer.memory / 2 ** 20);
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
      rows.push(
        {
          job: 'start',
          goal: `Processor time from start to first response with ${count} operations, against a bare node:http server`,
          target: atMost(2),
          figures: ratios(used, usedByServer),
          parts: [
            { name: `${count} operations`, seen: `${median(used).toFixed(3)} s` },
            { name: 'node:http', seen: `${median(usedByServer).toFixed(3)} s` },
          ],
        },
        {
          job: 'start',
          goal: `Resident memory with ${count} operations, a second after the first response`,
          target: atMost(60, 'MiB'),
          figures: idle,
          parts: [],
        },
        {
          job: 'start',
          goal: 'The same, beyond that of a bare node:http server',
          target: atMost(10, 'MiB'),
          figures: idle.map((memory, round) => memory - (idleServer[round] ?? NaN)),
          parts: [{ name: 'node:http', seen: `${median(idleServer).toFixed(1)} MiB` }],
        },
      );
  }
  return rows;
}

async function bareNode({ cores }: Bench): Promise<number> {
  const begin = performance.now();
  await runNode(['-e', '0'], heldTo(cores.all, []));
  return (performance.now() - begin) / 1000;
}

/** Seconds until the first response, and of processor time until then; and resident memory in bytes, a second later. */
async function firstResponse(
  path: string,
  start: () => Promise<ServerProcess>,
): Promise<{ readonly seconds: number; readonly processor: number; readonly memory: number }> {
  const begin = performance.now();
  const server = await start();
  try {
    const response = await fetch(server.url + path);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The status of the first response was ${response.status}.`);
    const seconds = (performance.now() - begin) / 1000;
    const processor = server.processorTime();
    await pause(1000);
    return { seconds, processor, memory: server.memory() };
  } finally {
    await server.stop();
  }
}
