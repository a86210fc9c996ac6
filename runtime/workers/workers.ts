/** Several processes on one port (WORKERS): the primary process starts workers, replaces workers that end, and stops all of them. */
import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../server/log.js';
import type { Settings } from '../server/settings.js';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { askToStop } from '../server/stop-process.js';
import { stopOnSignals } from '../server/stop.js';
import { WorkersManagement, Pulse } from './aggregate.js';
import type { Signal } from './worker.js';

export { asWorker } from './worker.js';

/** Whether this is the primary process. */
export const isPrimary = cluster.isPrimary;

/** Starts the workers, and returns the port when they listen. If a worker cannot start, this process also ends. */
export async function startWorkers(
  settings: Settings,
  log: Log,
  version: string | undefined,
): Promise<number> {
  const supervisor = new Supervisor({ ...settings, port: await chosenPort(settings) }, log);
  const port = await supervisor.start();
  if (port === undefined) {
    supervisor.kill();
    process.exit(1);
  }
  const management =
    settings.managementPort === undefined
      ? undefined
      : await (
          await import('../management/listener.js')
        ).openListener(supervisor.management, { ...settings, version }, log);
  const stop = async () => {
    await supervisor.stop();
    await management?.close();
  };
  stopOnSignals(log, stop, () => {
    supervisor.end();
  });
  return port;
}

/** PORT, or a free port if PORT is 0. Chosen once, because replacement workers must listen on the same port. */
async function chosenPort({ host, port }: Settings): Promise<number> {
  if (port !== 0) return port;
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch {
    // The first worker reports why it cannot listen.
    return port;
  }
  const chosen = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  return chosen;
}

/** Milliseconds before a worker is replaced. The pause grows while workers end soon after their start. */
const shortestPause = 100;
const longestPause = 30_000;
/** A worker that ran longer than this did not fail at its start. */
const soon = 60_000;
/** Additional milliseconds for a worker to end, beyond its own limits. */
const gracePeriod = 5_000;
/** Milliseconds for a worker to exit. */
const exiting = 500;

type SupervisorSettings = Pick<Settings, 'port' | 'workers' | 'shutdownDelay' | 'shutdownTimeout'>;

/** Manages the workers. The first worker, or its replacement, runs the timed operations. */
export class Supervisor {
  closing = false;
  private readonly pulse = new Pulse((worker, seconds) => {
    const { pid } = worker.process;
    this.log.error({ pid, seconds }, 'the event loop of a worker is blocked; another worker replaces it');
    worker.process.kill('SIGKILL');
  });
  readonly management = new WorkersManagement(() => [...this.listening], this, this.pulse);
  private readonly alive = new Set<Worker>();
  private readonly listening = new Set<Worker>();
  /** Workers that have stopped listening while the service stops. */
  private readonly deaf = new Set<Worker>();
  private quickEnds = 0;
  /** Whether workers that end are replaced. */
  private started = false;

  constructor(
    private readonly settings: SupervisorSettings,
    private readonly log: Log,
  ) {}

  /** Starts the workers and returns their port; undefined if a worker ended, after its reason was printed. */
  async start(): Promise<number | undefined> {
    // Only one worker is started first, so that an error is printed once.
    const port = await this.startWorker(true);
    if (port === undefined) return undefined;
    const { workers } = this.settings;
    await Promise.all(Array.from({ length: workers - 1 }, () => this.startWorker(false)));
    this.started = this.alive.size === workers;
    return this.started ? port : undefined;
  }

  /** Stops all workers in limited time. Each worker finishes its requests in flight. */
  async stop(): Promise<void> {
    this.closing = true;
    this.pulse.stop();
    const { shutdownDelay, shutdownTimeout } = this.settings;
    const ends = [...this.alive].map((worker) => once(worker, 'exit'));
    for (const worker of this.alive) askToStop(worker.process);
    const timer = setTimeout(
      () => {
        this.kill();
      },
      shutdownDelay + shutdownTimeout + gracePeriod,
    );
    await Promise.all(ends);
    clearTimeout(timer);
  }

  /** Ends all workers now. A worker that loses its primary process exits, and resets its connections; a stuck worker is killed. */
  end(): void {
    for (const worker of this.alive) if (worker.isConnected()) worker.process.disconnect();
    setTimeout(() => {
      this.kill();
    }, exiting);
  }

  /** Kills all workers immediately. */
  kill(): void {
    for (const worker of this.alive) worker.process.kill('SIGKILL');
  }

  private fork(runsTimers: boolean): Worker {
    const PORT = String(this.settings.port);
    const worker = cluster.fork(runsTimers ? { PORT } : { PORT, SCHEDULE: 'off' });
    this.alive.add(worker);
    worker.on('message', (message) => {
      this.hear(worker, message);
    });
    worker.on('listening', () => {
      this.listening.add(worker);
      this.pulse.beat(worker);
    });
    const start = performance.now();
    worker.once('exit', (code, signal) => {
      this.alive.delete(worker);
      this.listening.delete(worker);
      this.pulse.end(worker);
      if (this.closing) this.settle();
      if (!this.started || this.closing) return;
      const { pid } = worker.process;
      const pause = this.pauseAfter(performance.now() - start);
      this.log.error({ pid, code, signal, pause }, 'a worker ended; another one replaces it');
      this.management.ended(worker);
      setTimeout(() => {
        if (!this.closing) this.fork(runsTimers);
      }, pause);
    });
    return worker;
  }

  private hear(worker: Worker, message: unknown): void {
    if (message === ('turning' satisfies Signal)) this.pulse.beat(worker);
    else if (message === ('deaf' satisfies Signal)) {
      this.deaf.add(worker);
      this.settle();
    } else this.management.hear(message);
  }

  /**
   * Reports that all processes have stopped listening: clients can now be asked to close their connections, because they cannot
   * reconnect to this service.
   */
  private settle(): void {
    const alive = [...this.alive];
    if (!alive.every((worker) => this.deaf.has(worker))) return;
    for (const worker of alive)
      if (worker.isConnected()) worker.send('settled' satisfies Signal, () => undefined);
  }

  private async startWorker(runsTimers: boolean): Promise<number | undefined> {
    const worker = this.fork(runsTimers);
    const listens = new Promise<number>((resolve) => {
      worker.once('listening', ({ port }) => {
        resolve(port);
      });
    });
    return Promise.race([listens, once(worker, 'exit').then(() => undefined)]);
  }

  /** Milliseconds before replacing a worker that ran for the given time. */
  private pauseAfter(lived: number): number {
    this.quickEnds = lived < soon ? this.quickEnds + 1 : 0;
    return Math.min(shortestPause * 2 ** this.quickEnds, longestPause);
  }
}
