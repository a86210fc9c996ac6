/** Starts a service with an outbox, or runs an outbox command: `node dist/main.js outbox list`. */
import { gauge, type Family } from '../management/metrics.js';
import type { Schedule, ScheduleHost, Service } from '../server/contracts.js';
import { StartError } from '../server/environment.js';
import { describeFailure } from '../server/log.js';
import { prepare, startService } from '../server/service.js';
import { setTimeout as delay } from 'node:timers/promises';
import { outboxCommand } from './command.js';
import type { DeferredOperation } from './call-receiver.js';
import type { Outbox } from './outbox.js';
import { MissingTables, type Count, type OutboxStore } from './store.js';

/** A service whose operations may be called after a commit. */
export interface ServiceWithOutbox extends Service {
  readonly afterCommit?: readonly DeferredOperation[];
}

/** Like `startService`, for a service with an outbox. */
export async function startWithOutbox(
  outbox: Outbox,
  { afterCommit = [], ...service }: ServiceWithOutbox,
): Promise<void> {
  const whole = {
    ...service,
    schedule: new OutboxSchedule(outbox, service.schedule),
    readers: [outbox.cipher],
  };
  for (const receiver of outbox.calls) receiver.declare(afterCommit, service.authentications ?? []);
  const [command, ...args] = process.argv.slice(2);
  if (command !== 'outbox') {
    await startService(whole);
    return;
  }
  try {
    await outboxCommand(outbox.stores, args, () => prepare(whole, false));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.problems.join('\n')}\n`);
    process.exit(1);
  }
}

/** Milliseconds between two attempts to create the tables, and between two counts for metrics. */
const pause = 5_000;
const countInterval = 5_000;
/** Milliseconds of SHUTDOWN_TIMEOUT reserved for releasing leases. */
const releaseTime = 500;

/** Combines the timers of the service with the outbox, which is sent by the processes that run timers. */
class OutboxSchedule implements Schedule {
  private host: ScheduleHost | undefined;
  private counts: readonly Count[] = [];
  private isMeasured = false;
  private counting: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly outbox: Outbox,
    private readonly timers: Schedule | undefined,
  ) {}

  /** Creates the tables. Throws a StartError if the user lacks the privileges. */
  async open(host: ScheduleHost): Promise<void> {
    this.host = host;
    for (const receiver of this.outbox.calls) receiver.open(host.settings.requestTimeout);
    for (const delivery of this.outbox.deliveries) delivery.open(host.log);
    const hostOfTimers = { ...host, settled: () => this.finished() };
    await this.timers?.open(hostOfTimers);
    const collectors = host.observer?.collectors;
    this.isMeasured = collectors !== undefined;
    collectors?.push({ collect: () => familiesOf(this.counts) });
    const results = await Promise.allSettled(this.outbox.stores.map((store) => store.prepare()));
    const refused = results.flatMap((result) =>
      result.status === 'rejected' && result.reason instanceof MissingTables ? [result.reason.message] : [],
    );
    if (refused.length > 0) throw new StartError(refused);
    results.forEach((result, index) => {
      const store = this.outbox.stores[index];
      if (result.status === 'rejected' && store !== undefined) void this.prepareLater(store, result.reason);
    });
  }

  start(): void {
    const { host } = this;
    this.timers?.start();
    if (host?.settings.schedule !== true) return;
    for (const delivery of this.outbox.deliveries) delivery.start();
    if (!this.isMeasured) return;
    this.counting = setInterval(() => void this.count(), countInterval);
    void this.count();
  }

  async stop(): Promise<void> {
    this.closing.abort();
    clearInterval(this.counting);
    await Promise.all([this.timers?.stop(), this.settled(this.timeToFinish)]);
  }

  run(operation: string): Promise<boolean> {
    if (this.timers === undefined) throw new Error(`no timed operation '${operation}'`);
    return this.timers.run(operation);
  }

  async runOnce(args: readonly string[], prepared: () => Promise<unknown>): Promise<void> {
    if (this.timers !== undefined) {
      await this.timers.runOnce(args, prepared);
      return;
    }
    process.stderr.write('This service has no timed operation\n');
    process.exit(2);
  }

  /** Sends due requests, within the time limit of a shutdown. */
  private async finished(): Promise<void> {
    const idle = Promise.all(this.outbox.deliveries.map((delivery) => delivery.idle()));
    await Promise.race([idle, delay(this.timeToFinish)]);
    await this.settled(0);
  }

  private get timeToFinish(): number {
    return Math.max(0, (this.host?.settings.shutdownTimeout ?? 0) - releaseTime);
  }

  /** Finishes requests that are being sent, and releases the others. */
  private async settled(time: number): Promise<void> {
    await Promise.all(this.outbox.deliveries.map((delivery) => delivery.stop(time)));
  }

  /** Retries in the background, so that the service starts while its database is unavailable. */
  private async prepareLater(store: OutboxStore, first: unknown): Promise<void> {
    const { signal } = this.closing;
    for (let error = first; ;) {
      const reason = error instanceof MissingTables ? { reason: error.message } : describeFailure(error);
      const entry = { datasource: store.name, ...reason };
      if (error instanceof MissingTables) this.host?.log.error(entry, 'the outbox has no tables');
      else this.host?.log.warn(entry, 'the outbox is not ready, and is tried again');
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await store.prepare();
        return;
      } catch (again) {
        error = again;
      }
    }
  }

  /** Counts waiting and failed requests, in the processes that run timers. */
  private async count(): Promise<void> {
    try {
      this.counts = (await Promise.all(this.outbox.stores.map((store) => store.count()))).flat();
    } catch {
      // The previous counts are kept until the database responds.
    }
  }
}

function familiesOf(counts: readonly Count[]): Family[] {
  const labelled = (value: (count: Count) => number): Parameters<typeof gauge>[2] =>
    counts.map((count) => [{ datasource: count.datasource, state: count.state }, value(count)]);
  return [
    gauge(
      'outbox_requests',
      'Stored requests and calls that wait, or have failed.',
      labelled(({ requests }) => requests),
    ),
    gauge(
      'outbox_oldest_seconds',
      'The age of the oldest of them.',
      labelled(({ age }) => age),
    ),
  ];
}
