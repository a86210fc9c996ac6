/** A compiled service that runs as a separate local process. */
import { listeningPort } from './listening-port.js';
import { resolverArguments, resolverEnvironment } from './plug-and-play.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { askToStop } from '../../../runtime/server/stop-process.js';

export interface LocalServiceOptions {
  /** The folder with `dist/main.js`. */
  readonly folder: string;
  /** Another program in the folder; `dist/main.js` by default. */
  readonly main?: string;
  /** Settings of the service; PORT is any free port unless set here. Only PATH and the time zone are inherited from this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Receives each printed line, except the line with the address. */
  readonly print?: (line: string) => void;
}

/** Thrown if a service ended before it listened; contains the lines that it printed. */
export class ServiceEnded extends Error {
  override readonly name = 'ServiceEnded';

  constructor(
    readonly status: number | null,
    readonly output: readonly string[],
  ) {
    super(`The service ended with status ${String(status)}.`);
  }
}

/** Milliseconds for a service to stop by itself. */
const timeLimit = 15_000;

export class LocalService {
  #messages: (message: unknown) => void = ignore;

  private constructor(
    /** Such as `http://127.0.0.1:41234`. */
    readonly url: string,
    private readonly child: ChildProcess,
    /** Resolves with the exit status, whatever ended the process; null if a signal did. */
    readonly ended: Promise<number | null>,
  ) {
    child.on('message', (message) => {
      this.#messages(message);
    });
  }

  /** Resolves when the service listens. Throws a ServiceEnded if it ends instead. */
  static async start({
    folder,
    main = 'dist/main.js',
    environment,
    print,
  }: LocalServiceOptions): Promise<LocalService> {
    const { PATH, TZ } = process.env;
    const args = ['--enable-source-maps', ...resolverArguments(folder), join(folder, main)];
    const own = { PATH, ...(TZ === undefined ? {} : { TZ }), ...resolverEnvironment() };
    const child = spawn(process.execPath, args, {
      env: { ...own, PORT: '0', HOST: '127.0.0.1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C signals the whole process group, but this process must be stopped gracefully by its parent.
      detached: true,
      windowsHide: true,
    });
    const output: string[] = [];
    let listening: (url: string) => void = ignore;
    let failed: (error: Error) => void = ignore;
    const url = new Promise<string>((resolve, reject) => {
      listening = resolve;
      failed = reject;
    });
    const take = (line: string): void => {
      const address = listeningPort(line);
      if (address !== undefined) listening(`http://127.0.0.1:${address}`);
      else {
        if (output.length < 100) output.push(line);
        print?.(line);
      }
    };
    const ends = [inLines(child.stdout, take), inLines(child.stderr, take)];
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => {
        resolve(null);
      });
      child.once('close', (status) => {
        for (const end of ends) end();
        failed(new ServiceEnded(status, output));
        resolve(status);
      });
    });
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    // The service must not outlive this process.
    process.once('exit', kill);
    void ended.then(() => process.off('exit', kill));
    return new LocalService(await url, child, ended);
  }

  /** Sends a message to the program, which may receive it with `process.on('message')`. */
  send(message: object): void {
    this.child.send(message, () => undefined);
  }

  /** Sets the receiver of the program's messages. */
  listen(take: (message: unknown) => void): void {
    this.#messages = take;
  }

  /** Stops the service gracefully, or kills it after a time limit; returns its exit status. */
  async stop(): Promise<number | null> {
    askToStop(this.child);
    const timer = setTimeout(() => this.child.kill('SIGKILL'), timeLimit);
    try {
      return await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills a service that is no longer used. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** Splits output into lines; returns a function that emits the unfinished last line. */
function inLines(stream: NodeJS.ReadableStream | null, take: (line: string) => void): () => void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  return () => {
    if (rest !== '') take(rest);
  };
}

function ignore(): void {
  // Messages are ignored until a receiver is set.
}
