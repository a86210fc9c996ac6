/** Sends the stored requests of one datasource: several in parallel, but requests with the same key in order. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { describeFailure, type Log } from '../server/log.js';
import type { RestDatasource } from '../rest/rest.js';
import { attempt, type Outcome } from './attempt.js';
import { batch } from './statements.js';
import type { Claimed, OutboxStore } from './store.js';

/** Maximum number of requests that a process sends to the datasource concurrently. */
const slots = 2 * batch;
/** Milliseconds between two checks for requests left behind by other processes. */
const pollInterval = 5_000;
/** Milliseconds before an unresponsive database is asked again. */
const databasePause = 1_000;
/** Duration of a lease in timeouts of the datasource: a token may have to be requested, and the request repeated. */
const timeouts = 3;
/** Additional milliseconds of a lease, to record the result in the database. */
const leaseMargin = 5_000;

export class Delivery {
  protected log: Log | undefined;
  private readonly inFlight = new Map<string, { readonly lease: string; readonly done: Promise<void> }>();
  /** Requests that have arrived, by position, until this is recorded in the database. */
  private readonly arrived = new Map<string, Claimed>();
  private marking: Promise<void> | undefined;
  private claiming: Promise<void> | undefined;
  /** Whether requests may have been stored, or have become available, since the last claim. */
  private wanted = false;
  private runsTimers = false;
  private isStopped = false;
  private readonly timers = new Set<NodeJS.Timeout>();
  private poll: NodeJS.Timeout | undefined;

  constructor(
    protected readonly datasource: RestDatasource,
    protected readonly store: OutboxStore,
  ) {}

  open(log: Log): void {
    this.log = log;
  }

  /** Starts timers for requests left behind by other processes, and for retries. */
  start(): void {
    this.runsTimers = true;
    this.poll = setInterval(() => {
      this.wake();
      this.clean();
      void this.sweep();
    }, pollInterval);
    this.wake();
  }

  /** Sends due requests. Never fails. */
  wake(): void {
    this.wanted = true;
    if (this.claiming !== undefined || this.isStopped) return;
    this.claiming = this.claim().finally(() => {
      this.claiming = undefined;
      if (this.wanted && this.hasRoom) this.wake();
    });
  }

  /** Resolves when no requests are due. Never fails. */
  async idle(): Promise<void> {
    while (this.claiming !== undefined || this.inFlight.size > 0) await this.nextEnd();
  }

  /** Stops claiming requests. Requests that are not sent within `time` milliseconds are released. Never fails. */
  async stop(time: number): Promise<void> {
    this.isStopped = true;
    clearInterval(this.poll);
    for (const timer of this.timers) clearTimeout(timer);
    const isOver = await Promise.race([this.idle().then(() => true), delay(time, false)]);
    if (isOver) return;
    const leases = [...this.inFlight.values()].map(({ lease }) => lease);
    await this.store.release(leases).catch((error: unknown) => {
      this.log?.warn(this.labels(describeFailure(error)), 'leases of the outbox end by themselves');
    });
  }

  private async nextEnd(): Promise<void> {
    await (this.claiming ?? Promise.all([...this.inFlight.values()].map(({ done }) => done)));
    // Let the handlers of completed requests run first.
    await nextTurn();
  }

  private get hasRoom(): boolean {
    return !this.isStopped && this.inFlight.size <= slots - batch;
  }

  protected get leaseTime(): number {
    return timeouts * this.datasource.timeout + leaseMargin;
  }

  private async claim(): Promise<void> {
    while (this.wanted && this.hasRoom) {
      this.wanted = false;
      try {
        const { requests, hasMore } = await this.store.claim(this.datasource.name, this.leaseTime);
        for (const request of requests) this.send(request);
        if (await hasMore()) this.wanted = true;
      } catch (error) {
        this.log?.warn(this.labels(describeFailure(error)), 'the outbox cannot be read, and is tried again');
        this.wakeIn(databasePause);
        return;
      }
    }
  }

  private send(request: Claimed): void {
    const { position, lease } = request;
    // A request that arrived after an earlier claim, but is not yet recorded in the database, is not sent again.
    const done = this.arrived.has(position) ? this.mark() : this.sendNow(request);
    this.inFlight.set(position, { lease, done });
    void done.then(() => {
      this.inFlight.delete(position);
      // Continues with the next request of the key, or with one that had to wait for a free slot.
      if (request.orderKey !== null || this.wanted) this.wake();
    });
  }

  protected async sendNow(request: Claimed): Promise<void> {
    const outcome = await this.attempt(request);
    if (outcome.state === 'sent') {
      this.arrived.set(request.position, request);
      await this.mark();
    } else await this.noteFailure(request, outcome);
  }

  protected attempt(request: Claimed): Promise<Outcome> {
    return attempt(request, this.datasource, this.leaseTime - leaseMargin);
  }

  /** Records arrived requests in the database, without a time limit: otherwise they would be sent again. */
  private mark(): Promise<void> {
    this.marking ??= this.markAll().finally(() => {
      this.marking = undefined;
    });
    return this.marking;
  }

  private async markAll(): Promise<void> {
    while (this.arrived.size > 0) {
      const requests = [...this.arrived.values()];
      try {
        await this.store.sent(requests);
        for (const { position } of requests) this.arrived.delete(position);
      } catch (error) {
        this.log?.warn(
          this.labels(describeFailure(error)),
          'the outbox cannot be written, and is tried again',
        );
        await delay(databasePause);
      }
    }
  }

  private async noteFailure(
    request: Claimed,
    outcome: Exclude<Outcome, { readonly state: 'sent' }>,
  ): Promise<void> {
    const { id, operation, fulfillment, attempts } = request;
    const { state, reason } = outcome;
    const pause = this.pauseOf(request, outcome.pause);
    const entry = this.labels({ operation, fulfillment, id, attempts, reason });
    if (state === 'failed') this.log?.error(entry, 'a request of the outbox has failed: see outbox list');
    else
      this.log?.warn(
        { ...entry, seconds: Math.round(pause / 1000) },
        'a request of the outbox is sent again',
      );
    try {
      await this.store.notSent(request, { state, reason, pause });
    } catch (error) {
      // The lease expires on its own.
      this.log?.warn(this.labels(describeFailure(error)), 'the outbox cannot be written');
      return;
    }
    if (state === 'waiting' && this.runsTimers) this.wakeIn(pause);
  }

  protected pauseOf(_request: Claimed, pause: number): number {
    return pause;
  }

  /** Longer pauses are left to the regular check. */
  private wakeIn(milliseconds: number): void {
    if (this.isStopped || milliseconds > pollInterval) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.wake();
    }, milliseconds);
    this.timers.add(timer);
  }

  private clean(): void {
    this.store.clean(this.datasource.name).catch((error: unknown) => {
      this.log?.warn(this.labels(describeFailure(error)), 'old rows of the outbox were not removed');
    });
  }

  /** Runs `sweep`. Never fails. */
  private async sweep(): Promise<void> {
    try {
      if ((await this.store.sweep(this.datasource.name)) > 0) this.wake();
    } catch (error) {
      this.log?.warn(
        this.labels(describeFailure(error)),
        'rows of the outbox that are held up were not read',
      );
    }
  }

  protected labels<Fields extends object>(fields: Fields): Fields & { readonly datasource: string } {
    return { ...fields, datasource: this.datasource.name };
  }
}
