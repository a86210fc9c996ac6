/** A compiled service as a process of its own on this machine, as long as somebody needs it. */
import { listeningPort } from './listening-port.js';
import { resolverArguments, resolverEnvironment } from './plug-and-play.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface LocalServiceOptions {
  /** The folder with `dist/main.js`. */
  readonly folder: string;
  /** Another program of the folder; `dist/main.js` when it is left out. */
  readonly main?: string;
  /** Settings of the service; PORT is any free one unless they name it. Nothing else of this process' environment but PATH and time zone. */
  readonly environment: Readonly<Record<string, string>>;
  /** Receives each line that it prints, except the one with its address. */
  readonly print?: (line: string) => void;
}

/** A service that ended before it listened, with the lines that it printed. */
export class ServiceEnded extends Error {
  override readonly name = 'ServiceEnded';

  constructor(
    readonly status: number | null,
    readonly output: readonly string[],
  ) {
    super(`The service ended with status ${String(status)}.`);
  }
}

/** Milliseconds that a service has to end by itself. */
const timeLimit = 15_000;

export class LocalService {
  #messages: (message: unknown) => void = ignore;

  private constructor(
    /** `http://127.0.0.1:41234`. */
    readonly url: string,
    private readonly child: ChildProcess,
    /** Resolves with its exit status, whoever ended it; null where a signal did. */
    readonly ended: Promise<number | null>,
  ) {
    child.on('message', (message) => {
      this.#messages(message);
    });
  }

  /** Resolves when it listens. Throws a ServiceEnded when it ends instead. */
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
      // Ctrl-C reaches a whole group of processes; this one is stopped in good order by us.
      detached: true,
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
    // Whatever ends this process also ends the service.
    process.once('exit', kill);
    void ended.then(() => process.off('exit', kill));
    return new LocalService(await url, child, ended);
  }

  /** Sends a message to the program, which may listen to them (`process.on('message')`). */
  send(message: object): void {
    this.child.send(message, () => undefined);
  }

  /** From now on receives the messages of the program. */
  listen(take: (message: unknown) => void): void {
    this.#messages = take;
  }

  /** Stops it gracefully, or kills it after some time; returns its exit status. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), timeLimit);
    try {
      return await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills it: for one that is no longer used. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

/** Returns the rest of the last line. */
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
  // No caller asked for it.
}
