/** A generated service as a separate process, as users run it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export class RunningService {
  /** The exit status; null if the process was killed by a signal. */
  readonly ended: Promise<number | null>;

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly output: { text: string },
  ) {
    this.ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /** Starts `dist/main.js` in the folder on a free port, prefixed by `launcher`; throws the output if the process ends first. */
  static async start(
    folder: string,
    environment: Readonly<Record<string, string>>,
    launcher: readonly string[] = [],
  ): Promise<RunningService> {
    const [command = '', ...words] = [
      ...launcher,
      ...[process.execPath, '--enable-source-maps', join(folder, 'dist/main.js')],
    ];
    const child = spawn(command, words, {
      env: { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { text: '' };
    const url = await new Promise<string>((resolve, reject) => {
      const listen = (chunk: string): void => {
        output.text += chunk;
        const found = /http:\/\/[^\s"]+:\d+/.exec(output.text)?.[0];
        if (found !== undefined) resolve(found);
      };
      child.stdout.setEncoding('utf8').on('data', listen);
      child.stderr.setEncoding('utf8').on('data', listen);
      child.once('exit', (code) => {
        reject(new Error(`The service ended with ${String(code)}:\n${output.text}`));
      });
      child.once('error', reject);
    });
    return new RunningService(url, child, output);
  }

  /** The output so far. */
  get printed(): string {
    return this.output.text;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Process ids of the service and its workers. */
  get pids(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return [this.pid, ...children.trim().split(/\s+/).filter(Boolean).map(Number)];
  }

  /** Kills the service and its workers if they still run, and waits for the end. */
  async killAll(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const pids = this.pids;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await ended;
  }

  /** Sends SIGTERM and returns the exit status. */
  async stop(): Promise<number | null> {
    this.kill('SIGTERM');
    return this.ended;
  }

  /** Sends a signal to the main process only. */
  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}
