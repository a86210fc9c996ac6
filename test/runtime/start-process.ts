/** Starts a hand-written service as a separate process. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The environment variable with the folder of the programs built by the run, each at its relative path. */
export const builtPrograms = 'BUILT_PROGRAMS';

const root = fileURLToPath(new URL('../..', import.meta.url));

const running = new Set<ChildProcess>();

/** Kills all processes that are still running. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A process with its output and its end. */
export class Started {
  out = '';
  errors = '';
  /** The exit status; null if the process was ended by a signal. */
  readonly ended: Promise<number | null>;

  constructor(readonly child: ChildProcess) {
    running.add(child);
    child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.ended = once(child, 'close').then(() => {
      running.delete(child);
      return child.exitCode;
    });
  }

  /** The log entries. */
  get log(): Record<string, unknown>[] {
    const lines = this.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits until the text has been printed. */
  async until(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`ended before '${text}': ${this.out}${this.errors}`);
      await delay(10);
    }
  }

  /** Waits until the process listens, and returns the port. */
  async port(): Promise<number> {
    await this.until('listening on ');
    await this.until('\n');
    return Number(/listening on http:\/\/localhost:(\d+)["\n]/.exec(this.out)?.[1]);
  }
}

/** Runs the module, a path relative to this folder, with these variables and arguments. */
export function startProcess(
  module: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  stdio: StdioOptions = 'pipe',
): Started {
  const env = { PATH: process.env.PATH, PORT: '0', ...variables };
  return new Started(spawn(process.execPath, [...programOf(module), ...args], { env, stdio }));
}

/** The program built by the run; in watch mode, the sources are run instead. */
function programOf(module: string): string[] {
  const main = fileURLToPath(new URL(module, import.meta.url));
  const built = process.env[builtPrograms];
  if (built === undefined) return ['--import', 'tsx', main];
  return ['--enable-source-maps', join(built, relative(root, main)).replace(/\.ts$/, '.js')];
}
