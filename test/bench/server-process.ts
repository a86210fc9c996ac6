/** A server under test, or one that it depends on, as a separate process on chosen cores. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { heldTo } from './cores.js';
import { timeWithChildren } from './processor-time.js';

/** A listening server. */
export interface ServerProcess {
  readonly url: string;
  /** Peak resident memory in bytes; NaN if the system does not report it. */
  peakMemory(): number;
  /** Current resident memory in bytes; NaN if the system does not report it. */
  memory(): number;
  /** Seconds of processor time used so far, also by its child processes; NaN if the system does not report it. */
  processorTime(): number;
  stop(): Promise<void>;
}

/** How to start a server. */
export interface Launch {
  /** The program; Node if it is missing. */
  readonly program?: string;
  /** The command-line arguments: for Node, they end with a JavaScript file. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cores: string | undefined;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Resolves when the server prints its address; throws the server's output if it exits instead. */
export async function startServer({
  program: command,
  args,
  environment,
  cores,
}: Launch): Promise<ServerProcess> {
  const [program = '', ...rest] = heldTo(cores, [command ?? process.execPath, ...args]);
  const child = spawn(program, rest, {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', HOST: '127.0.0.1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      children.delete(child);
      resolve();
    });
  });
  const url = await listeningUrl(child);
  return {
    url,
    peakMemory: () => memoryOf(child.pid ?? 0, 'VmHWM'),
    memory: () => memoryOf(child.pid ?? 0, 'VmRSS'),
    processorTime: () => timeWithChildren(child.pid ?? 0) / 1000,
    async stop() {
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(insist);
    },
  };
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const listen = (chunk: string) => {
      // Later output is drained, so that the pipe never fills.
      if (printed.length > 100_000) return;
      printed += chunk;
      const url = /http:\/\/[^\s"]+:\d+/.exec(printed)?.[0];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.setEncoding('utf8').on('data', listen);
    child.stderr?.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) => {
      reject(new Error(`A server ended with ${String(code)}:\n${printed}`));
    });
    child.once('error', reject);
  });
}

/** Resident memory of a process in bytes, peak or current; NaN if the system does not report it. */
export function memoryOf(pid: number, line: 'VmHWM' | 'VmRSS'): number {
  const status = processFile(pid, 'status').split('\n');
  const found = status.find((one) => one.startsWith(`${line}:`));
  return Number(/(\d+) kB/.exec(found ?? '')?.[1]) * 1024;
}

/** Empty if the file does not exist. */
function processFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
