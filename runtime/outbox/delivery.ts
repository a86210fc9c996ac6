/** Processes the stored rows of one datasource: several in parallel, but rows with the same key in order. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { describeFailure, type Log } from '../server/log.js';
import { refused, type NotSent, type Outcome } from './outcome.js';
import { SealedRow, type RowCipher } from './row-cipher.js';
import { batch } from './statements.js';
import type { Claimed, OutboxStore } from './store.js';
import { callMethod, messageMethod } from './stored-request.js';

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

/** Sends what the rows of one datasource contain. */
export interface Receiver {
  /** The column `datasource` of its rows. */
  readonly name: string;
  /** Milliseconds of one attempt. */
  readonly timeout: number;
  /** Makes one attempt within `timeLimit` milliseconds. Never fails. */
  attempt(row: Claimed, timeLimit: number): Promise<Outcome>;
}

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
    protected readonly receiver: Receiver,
    protected readonly store: OutboxStore,
    private readonly cipher: RowCipher,
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
    return timeouts * this.receiver.timeout + leaseMargin;
  }

  private async claim(): Promise<void> {
    while (this.wanted && this.hasRoom) {
      this.wanted = false;
      try {
        const { requests, hasMore } = await this.store.claim(this.receiver.name, this.leaseTime);
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
    if (outcome.state === 'marked') return;
    if (outcome.state === 'sent') {
      this.arrived.set(request.position, request);
      await this.mark();
    } else await this.noteFailure(request, outcome);
  }

  protected attempt(request: Claimed): Promise<Outcome> {
    const opened = this.opened(request);
    return 'state' in opened
      ? Promise.resolve(opened)
      : this.receiver.attempt(opened, this.leaseTime - leaseMargin);
  }

  /** The row with its content decrypted; a failure if no key decrypts it. */
  protected opened(row: Claimed): Claimed | NotSent {
    try {
      return this.cipher.open(row);
    } catch (error) {
      if (!(error instanceof SealedRow)) throw error;
      return refused(error.message);
    }
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

  private async noteFailure(request: Claimed, outcome: NotSent): Promise<void> {
    const { id, operation, fulfillment, attempts } = request;
    const { state, reason, log } = outcome;
    const pause = this.pauseOf(request, outcome.pause);
    const entry = this.labels({ operation, fulfillment, id, attempts, reason, ...log });
    const { noun, repeated } = wordsOf(request);
    if (state === 'failed') this.log?.error(entry, `a ${noun} of the outbox has failed: see outbox list`);
    else
      this.log?.warn(
        { ...entry, seconds: Math.round(pause / 1000) },
        `a ${noun} of the outbox is ${repeated} again`,
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
    this.store.clean(this.receiver.name).catch((error: unknown) => {
      this.log?.warn(this.labels(describeFailure(error)), 'old rows of the outbox were not removed');
    });
  }

  /** Runs `sweep`. Never fails. */
  private async sweep(): Promise<void> {
    try {
      if ((await this.store.sweep(this.receiver.name)) > 0) this.wake();
    } catch (error) {
      this.log?.warn(
        this.labels(describeFailure(error)),
        'rows of the outbox that are held up were not read',
      );
    }
  }

  protected labels<Fields extends object>(fields: Fields): Fields & { readonly datasource: string } {
    return { ...fields, datasource: this.receiver.name };
  }
}

/** The words for a row in logs. */
export function wordsOf({ method }: Pick<Claimed, 'method'>): {
  readonly noun: string;
  readonly repeated: string;
} {
  if (method === callMethod) return { noun: 'call', repeated: 'made' };
  return { noun: method === messageMethod ? 'message' : 'request', repeated: 'sent' };
}
