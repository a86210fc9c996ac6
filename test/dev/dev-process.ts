/** `apikiln dev` as a separate process, with all its files in a separate folder. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { freePort } from '../helpers/free-port.js';
import { builtTool } from '../helpers/shared-servers.js';
import type { Workspace } from '../commands/workspace.js';

export interface DevOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** `dev` when it is left out. */
  readonly command?: 'dev' | 'serve';
}

export class DevProcess {
  #printed = '';
  readonly ended: Promise<number | null>;

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly temporary: string,
  ) {
    const take = (text: string): void => {
      this.#printed += text;
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    this.ended = new Promise((resolve) => child.once('close', resolve));
  }

  /** Starts `apikiln dev` in the folder of the workspace. */
  static async start(
    space: Workspace,
    { args = [], environment = {}, port, command: name = 'dev' }: DevOptions = {},
  ): Promise<DevProcess> {
    const temporary = space.path('.tmp');
    mkdirSync(temporary, { recursive: true });
    const free = port ?? (await freePort());
    const { PATH, HOME } = process.env;
    // As in vitest.config.ts.
    const command = ['--liftoff-only', await builtTool(), name, '--port', String(free), ...args];
    const child = spawn(process.execPath, command, {
      cwd: space.folder,
      env: { PATH, HOME, TMPDIR: temporary, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new DevProcess(`http://localhost:${free}`, child, temporary);
  }

  get printed(): string {
    return this.#printed;
  }

  /** Waits until the output after the first `from` characters matches. */
  async until(pattern: RegExp, from = 0): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#printed.slice(from))?.[0];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`It has ended:\n${this.#printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Saves the file, and waits for the resulting output. */
  async save(
    space: Workspace,
    path: string,
    text: string,
    pattern = /Ready in|Nothing has changed/,
  ): Promise<string> {
    const from = this.#printed.length;
    space.write(path, text);
    return this.until(pattern, from);
  }

  /** Returns the exit status. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    if (this.child.exitCode === null) this.child.kill(signal);
    return this.ended;
  }

  /** The running service processes. */
  children(): string[] {
    return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(this.temporary));
  }

  /** The files left in the temporary folder, except those that Node keeps there. */
  left(): string[] {
    return readdirSync(this.temporary).filter((name) => name !== 'node-compile-cache');
  }
}
