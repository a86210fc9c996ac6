/** Combines the metrics and health of several processes, and detects a process whose event loop is stuck. */
import type { Worker } from 'node:cluster';
import type { Liveness, Management } from '../management/listener.js';
import { gauge, merge, type Family } from '../management/metrics.js';
import { replicasOf, type Readiness } from '../management/readiness.js';
import { isWorkerResponse, type WorkerResponse, type Question } from './worker.js';

/** Milliseconds to wait for the response of a worker, which may be stuck. Probes expect a result within three seconds. */
const timeLimit = 2900;

/** Queries all workers, and combines their responses. */
export class WorkersManagement implements Management {
  private questions = 0;
  private readonly waiting = new Map<number, (response: WorkerResponse['response']) => void>();
  /** The latest metrics of each worker, by its id. */
  private readonly latest = new Map<number, readonly Family[]>();
  /** Counters of workers that have ended, because counters must never decrease. */
  private gone: readonly Family[] = [];
  private restarts = 0;

  /** `workers` returns the workers that currently serve requests. */
  constructor(
    private readonly workers: () => readonly Worker[],
    private readonly service: { readonly closing: boolean },
    private readonly pulse: Pick<Pulse, 'counts'>,
  ) {}

  /** Call with every message from a worker. */
  hear(message: unknown): void {
    if (isWorkerResponse(message)) this.waiting.get(message.id)?.(message.response);
  }

  /** Call with every worker that ends. */
  ended(worker: Worker): void {
    const last = this.latest.get(worker.id) ?? [];
    this.latest.delete(worker.id);
    this.gone = merge([this.gone, last.filter(({ type }) => type !== 'gauge')]);
    this.restarts += 1;
  }

  /** Live while the event loop of at least one worker runs. Stuck workers are replaced. */
  liveness(): Liveness {
    const workers = this.pulse.counts;
    return { status: workers.turning > 0 || workers.stuck === 0 ? 'live' : 'stuck', workers };
  }

  async readiness(): Promise<Readiness> {
    if (this.service.closing) return { status: 'stopping', datasources: {} };
    const states = await Promise.all(this.workers().map((worker) => this.ask(worker, 'readiness')));
    const received = states.filter((response) => response !== undefined) as readonly Readiness[];
    const isReady =
      received.length > 0 &&
      received.length === states.length &&
      received.every(({ status }) => status === 'ready');
    // A datasource counts as unreachable if any worker cannot reach it.
    const datasources: Record<string, 'reachable' | 'unreachable'> = {};
    for (const [name, state] of received.flatMap((response) => Object.entries(response.datasources)))
      datasources[name] = datasources[name] === 'unreachable' ? 'unreachable' : state;
    const replicas = replicasOf(received.flatMap((response) => Object.entries(response.replicas ?? {})));
    return { status: isReady ? 'ready' : 'not ready', datasources, ...replicas };
  }

  async metrics(): Promise<readonly Family[]> {
    const workers = this.workers();
    await Promise.all(
      workers.map(async (worker) => {
        const response = (await this.ask(worker, 'metrics')) as readonly Family[] | undefined;
        if (response !== undefined && !worker.isDead()) this.latest.set(worker.id, response);
      }),
    );
    return [
      ...merge([this.gone, ...this.latest.values()]),
      gauge('service_workers', 'Processes that serve requests.', [[{}, workers.length]]),
      gauge('service_workers_stuck', 'Processes whose event loop is blocked.', [
        [{}, this.pulse.counts.stuck],
      ]),
      {
        name: 'service_worker_ends_total',
        help: 'Processes that ended by themselves, or were replaced because they were stuck.',
        type: 'counter',
        together: 'sum',
        samples: [['', this.restarts]],
      },
    ];
  }

  /** The response of a worker; undefined if it does not respond in time. */
  private ask(worker: Worker, ask: Question['ask']): Promise<WorkerResponse['response'] | undefined> {
    this.questions += 1;
    const id = this.questions;
    return new Promise<WorkerResponse['response'] | undefined>((resolve) => {
      const timer = setTimeout(resolve, timeLimit, undefined);
      this.waiting.set(id, (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      if (worker.isConnected()) worker.send({ id, ask } satisfies Question);
    }).finally(() => this.waiting.delete(id));
  }
}

/** Milliseconds between two checks. */
const interval = 1000;
/** Milliseconds without a report after which a worker counts as stuck. */
const stuckAfter = 5_000;
/** Milliseconds without a report after which a worker is replaced. */
const replacedAfter = 10_000;

export class Pulse {
  /** The time of each worker's last report, in milliseconds of `performance.now()`. */
  private readonly lastReports = new Map<Worker, number>();
  private readonly timer: NodeJS.Timeout;
  private lastLook = performance.now();

  /** `onStuck` is called once for each worker that must be replaced, with the seconds since its last report. */
  constructor(private readonly onStuck: (worker: Worker, seconds: number) => void) {
    this.timer = setInterval(() => {
      this.look();
    }, interval);
    this.timer.unref();
  }

  /** Call with every report from a worker. */
  beat(worker: Worker): void {
    this.lastReports.set(worker, performance.now());
  }

  /** Call with every worker that has ended. */
  end(worker: Worker): void {
    this.lastReports.delete(worker);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The number of running and stuck workers. */
  get counts(): { readonly turning: number; readonly stuck: number } {
    const now = performance.now();
    const stuck = [...this.lastReports.values()].filter((time) => now - time > stuckAfter).length;
    return { turning: this.lastReports.size - stuck, stuck };
  }

  private look(): void {
    const now = performance.now();
    // If this process itself was blocked, it could not receive reports.
    const pause = Math.max(0, now - this.lastLook - 2 * interval);
    this.lastLook = now;
    for (const [worker, time] of this.lastReports) {
      const silence = now - time - pause;
      if (pause > 0) this.lastReports.set(worker, time + pause);
      if (silence < replacedAfter) continue;
      this.lastReports.delete(worker);
      this.onStuck(worker, Math.round(silence / 1000));
    }
  }
}
