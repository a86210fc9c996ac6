/** Starts a service written by hand as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const running = new Set<ChildProcess>();

/** Ends every process that is still there. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A process, what it has printed, and its end. */
export class Started {
  out = '';
  errors = '';
  /** The exit status; null when a signal ended it. */
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

  /** The entries of the log. */
  get log(): Record<string, unknown>[] {
    const lines = this.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits until it has printed the text. */
  async until(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`ended before '${text}': ${this.out}${this.errors}`);
      await delay(10);
    }
  }

  /** Waits until it listens. */
  async port(): Promise<number> {
    await this.until('listening on ');
    await this.until('\n');
    return Number(/listening on http:\/\/localhost:(\d+)\n/.exec(this.out)?.[1]);
  }
}

/** Runs the module, a path below this folder, with these variables and arguments. */
export function startProcess(
  module: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Started {
  const main = fileURLToPath(new URL(module, import.meta.url));
  const env = { PATH: process.env.PATH, PORT: '0', ...variables };
  return new Started(spawn(process.execPath, ['--import', 'tsx', main, ...args], { env, stdio: 'pipe' }));
}
