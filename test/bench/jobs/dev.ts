/**
 * The time after a saved change: a rebuild by `apikiln build --watch` among 1,000 operations, and a restart of the service by `apikiln
 * dev`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Job } from '../bench.js';
import { lastPath, manyOperations } from '../configs/many.js';
import { freePort } from '../../helpers/free-port.js';
import { heldTo } from '../cores.js';
import { atMost, type Row } from '../row.js';
import { processorTime } from '../processor-time.js';
import { startServer } from '../server-process.js';
import { median } from '../statistics.js';
import { apikiln, runNode } from '../workshop.js';

export const dev: Job = { name: 'dev', run };

interface Rebuild {
  /** From writing the configuration until the changed module is on disk. */
  readonly seconds: number;
  /** Processor time, including the rest of the build. */
  readonly processor: number;
}

async function run(bench: Bench): Promise<Row[]> {
  await bench.workshop.compiler();
  const rebuilds = await rebuild(bench, bench.quick ? 5 : 15);
  const processor = median(rebuilds.map((one) => one.processor));
  return [
    {
      job: 'dev',
      goal: 'Rebuild after one operation changed, in a running build --watch with 1,000 operations',
      target: atMost(0.2, 's'),
      figures: rebuilds.map(({ seconds }) => seconds),
      parts: [{ name: 'Processor time of a rebuild', seen: `${processor.toFixed(2)} s` }],
    },
    {
      job: 'dev',
      goal: "From a saved change to the first response of it, in a running dev with init's service",
      target: atMost(0.3, 's'),
      figures: await swap(bench, bench.quick ? 5 : 15),
      parts: [],
    },
  ];
}

/** Changes a message of the service `times` times, and polls the service without a pause. */
async function swap({ workshop, cores }: Bench, times: number): Promise<number[]> {
  const folder = join(workshop.folder, 'started');
  await runNode([apikiln, 'init', folder]);
  const config = join(folder, 'config.yaml');
  const text = readFileSync(config, 'utf8');
  const server = await startServer({
    args: [apikiln, 'dev', config, '--port', String(await freePort())],
    environment: { HOME: folder },
    cores: cores.all,
  });
  try {
    const seconds: number[] = [];
    for (let time = -2; time < times; time++) {
      const message = `Number ${time} is not there`;
      // People save rarely, so background work of the previous change has finished.
      await pause(1500);
      const begin = performance.now();
      writeFileSync(config, text.replace('There is no task :[PARAM(id)]', message));
      while (!(await (await fetch(`${server.url}/tasks/77`)).text()).includes(message)) await pause(2);
      if (time >= 0) seconds.push((performance.now() - begin) / 1000);
    }
    return seconds;
  } finally {
    await server.stop();
  }
}

/** Changes the message of the first operation `times` times. */
async function rebuild({ workshop, cores }: Bench, times: number): Promise<Rebuild[]> {
  const count = 1000;
  const out = join(workshop.folder, 'watched');
  const config = workshop.writeConfig('dev', manyOperations(count));
  const args = [process.execPath, apikiln, 'build', config, '--out', out, '--watch'];
  const [program = '', ...rest] = heldTo(cores.all, args);
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      if (child.exitCode !== null) throw new Error(`build --watch ended:\n${printed}`);
      await pause(2);
    }
  };
  const waiting = () => printed.includes('Waiting for changes');
  try {
    await until(waiting);
    const rebuilds: Rebuild[] = [];
    for (let time = 0; time < times; time++) {
      printed = '';
      const before = processorTime(child.pid ?? 0);
      const begin = performance.now();
      const message = `No news of number ${time}`;
      workshop.writeConfig('dev', manyOperations(count, message));
      await until(() => textOf(join(out, firstModule)).includes(`'${message}'`));
      const seconds = (performance.now() - begin) / 1000;
      await until(waiting);
      rebuilds.push({ seconds, processor: processorTime(child.pid ?? 0) - before });
    }
    return rebuilds;
  } finally {
    kill();
    process.off('exit', kill);
  }
}

const firstModule = `src/operations/get${lastPath(1, 'by-id').replaceAll('/', '-')}.ts`;

/** Empty if the file does not exist. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
