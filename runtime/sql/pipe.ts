/** One connection that many quick reads share: each is sent without waiting for the answer of the one before. */
import type { Row } from '../handler/json.js';
import type { Query, StatementDriver } from './driver.js';
import { settledBefore } from './deadline.js';
import { asFailure } from './execution.js';
import { cancelTimeLimit } from './pool.js';
import { DatabaseFailure } from './failure.js';
import type { Meter, LatencyEstimate } from './meter.js';

/** How many statements may be under way, and how many milliseconds they may take together by what is known of them. */
const depth = 128;
const backlogLimit = 8;

/** While the oldest statement takes this many milliseconds longer than it should, no more are sent behind it. */
const gracePeriod = 5;

/** After this many milliseconds more, what was sent behind it runs elsewhere. */
const longGracePeriod = 50;

interface Entry {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly reject: (failure: DatabaseFailure) => void;
  readonly latency: LatencyEstimate;
  /** The milliseconds that it should take in the database. */
  readonly cost: number;
  /** The way to the server and back is in its time, because nothing else was under way when it was sent. */
  readonly alone: boolean;
}

/** What a connection is measured with. */
export interface PipeMeasures {
  readonly stopwatch: Stopwatch;
  /** The milliseconds of the way to the server and back. */
  readonly roundTrip: number;
  readonly meter: Meter;
}

export class Pipe<Connection extends object> {
  readonly born = performance.now();
  /** When the server answered for the last time. */
  respondedAt = this.born;
  /** When something was under way for the last time. */
  used = this.born;
  /** Takes no more statements. */
  retired = false;
  /** The milliseconds that all that is under way should take. */
  backlog = 0;
  private isGathering = false;
  private isCancelled = false;
  /** In the order in which the server answers. */
  private readonly entries: Entry[] = [];
  private readonly idleListeners: (() => void)[] = [];
  /** When the oldest statement became the oldest, by the stopwatch. */
  private headSince = 0;

  private readonly stopwatch: Stopwatch;
  private readonly roundTrip: number;
  private readonly meter: Meter;

  constructor(
    private readonly driver: StatementDriver<Connection>,
    private readonly connection: Connection,
    { stopwatch, roundTrip, meter }: PipeMeasures,
  ) {
    this.stopwatch = stopwatch;
    this.roundTrip = roundTrip;
    this.meter = meter;
  }

  /** How many statements are under way. */
  get length(): number {
    return this.entries.length;
  }

  /** Whether it takes one more statement. */
  get isOpen(): boolean {
    if (this.retired) return false;
    const [oldest] = this.entries;
    if (oldest === undefined) return true;
    if (this.entries.length >= depth || this.backlog > backlogLimit) return false;
    return this.stopwatch.now() - this.headSince <= this.roundTrip + oldest.cost + gracePeriod;
  }

  /** Sends the statement behind those that are under way. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> {
    const alone = this.entries.length === 0;
    if (alone) {
      this.stopwatch.start();
      this.headSince = this.stopwatch.now();
      this.backlog = 0;
      this.meter.watch(this.tooLarge);
    }
    this.backlog += latency.mean;
    this.gather();
    return new Promise((resolve, reject) => {
      const entry: Entry = { deadline, reject, latency, cost: latency.mean, alone };
      this.entries.push(entry);
      this.driver.start(this.connection, query, (error, rows) => {
        this.finished(entry);
        if (rows === undefined) reject(this.failureOf(error, query));
        else resolve(rows);
      });
    });
  }

  /** Ends what has waited too long; gives whether anything is under way. */
  watch(): boolean {
    const now = performance.now();
    const [oldest] = this.entries;
    if (oldest === undefined) return false;
    this.used = now;
    if (now > oldest.deadline) void this.cancel();
    // Those behind it only wait: their answers may still come, to nobody.
    const isSlow =
      this.stopwatch.now() - this.headSince > this.roundTrip + oldest.cost + gracePeriod + longGracePeriod;
    for (const entry of this.entries) {
      if (now > entry.deadline) entry.reject(tooLong());
      else if (isSlow && entry !== oldest) entry.reject(delayed());
    }
    return true;
  }

  /** Asks the server to end the oldest statement, if there is one, then ends the connection: a pooler forgets whose it was with the connection. */
  async cancel(): Promise<void> {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.retired = true;
    // The request may reach the server when the oldest has ended: what it ends then must be nothing that anybody waits for.
    for (const entry of this.entries.slice(1)) entry.reject(delayed());
    if (this.entries.length > 0) {
      const asked = Promise.resolve(this.driver.cancel?.(this.connection));
      await settledBefore(asked, performance.now() + cancelTimeLimit);
    }
    this.cut();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.entries.length > 0) await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  /** The connection has ended: what its driver has told nothing of will never be answered. */
  lost(): void {
    this.retired = true;
    setImmediate(() => {
      for (const entry of this.entries) entry.reject(gone());
    });
  }

  /** Ends the connection and with it all that is under way. */
  cut(): void {
    this.retired = true;
    this.driver.socketOf(this.connection).destroy();
  }

  /** What is sent in one turn of the event loop goes to the network at once. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const socket = this.driver.socketOf(this.connection);
    socket.cork();
    setImmediate(() => {
      this.isGathering = false;
      socket.uncork();
    });
  }

  private failureOf(error: unknown, query: Query): DatabaseFailure {
    if (this.driver.shared.isWrite(error))
      return new DatabaseFailure({ kind: 'unexpected', writes: true }, error);
    const known = asFailure(error, () => this.driver.failureOf(error, query.text));
    if (known.failure.died !== true && known.failure.broken !== true) return known;
    this.cut();
    // Whatever has broken the connection is the fault of none that is under way on it.
    return new DatabaseFailure({ ...known.failure, died: true }, known.cause);
  }

  /** A result that is too large ends the connection; those behind it run elsewhere. */
  private readonly tooLarge = (failure: DatabaseFailure): void => {
    this.entries[0]?.reject(failure);
    this.cut();
  };

  private finished(entry: Entry): void {
    this.respondedAt = performance.now();
    const now = this.stopwatch.at(this.respondedAt);
    entry.latency.took(now - this.headSince - (entry.alone ? this.roundTrip : 0));
    this.headSince = now;
    this.backlog -= entry.cost;
    if (this.entries[0] === entry) this.entries.shift();
    else this.entries.splice(this.entries.indexOf(entry), 1);
    if (this.entries.length === 0) for (const listener of this.idleListeners.splice(0)) listener();
    this.meter.watch(this.tooLarge);
  }
}

function tooLong(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'timeout', reason: 'no answer within the time allowed' });
}

function gone(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unavailable', died: true, withoutResult: true });
}

function delayed(): DatabaseFailure {
  return new DatabaseFailure({
    kind: 'timeout',
    delayed: true,
    reason: 'a statement before it takes too long',
  });
}

/** Milliseconds between two looks at the clock. */
const interval = 5;

export class Stopwatch {
  private lastLook = 0;
  /** Milliseconds in which nobody could look, since the process began to watch. */
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `watch` is called at every look as long as it gives true, at first when `start` was called. */
  constructor(private readonly watch: () => boolean) {}

  /** Begins to look at the clock, unless it does so already. */
  start(): void {
    if (this.timer !== undefined) return;
    this.lastLook = performance.now();
    this.timer = setInterval(() => {
      this.look();
    }, interval);
  }

  /** The moment, in milliseconds that this process was there to see; only differences mean something. */
  now(): number {
    return this.at(performance.now());
  }

  /** The same for a moment that has just been. */
  at(now: number): number {
    const unseen = this.timer === undefined ? 0 : Math.max(0, now - this.lastLook - interval);
    return now - this.missed - unseen;
  }

  private look(): void {
    const now = performance.now();
    this.missed += Math.max(0, now - this.lastLook - interval);
    this.lastLook = now;
    if (this.watch()) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
