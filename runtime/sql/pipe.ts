/** One connection that many quick reads share: each is sent without waiting for the result of the one before. */
import type { Row } from '../handler/json.js';
import type { Query, StatementDriver } from './driver.js';
import { settledBefore } from './deadline.js';
import { asFailure } from './execution.js';
import { cancelTimeLimit } from './pool.js';
import { DatabaseFailure } from './failure.js';
import type { Meter, LatencyEstimate } from './meter.js';

/** Maximum number of statements in flight, and their maximum expected milliseconds together. */
const depth = 128;
const backlogLimit = 8;

/** If the oldest statement takes this many milliseconds longer than expected, no more are sent after it. */
const gracePeriod = 5;

/** After this many milliseconds more, what was sent behind it runs elsewhere. */
const longGracePeriod = 50;

interface Entry {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly reject: (failure: DatabaseFailure) => void;
  readonly latency: LatencyEstimate;
  /** Its expected milliseconds in the database. */
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
  /** When the server last responded. */
  respondedAt = this.born;
  /** When something was under way for the last time. */
  used = this.born;
  /** Accepts no more statements. */
  retired = false;
  /** The expected milliseconds of all statements in flight. */
  backlog = 0;
  private isGathering = false;
  private isCancelled = false;
  /** In the order of the server's results. */
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

  /** Whether it accepts one more statement. */
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

  /** Ends statements that have waited too long; returns whether any is in flight. */
  watch(): boolean {
    const now = performance.now();
    const [oldest] = this.entries;
    if (oldest === undefined) return false;
    this.used = now;
    if (now > oldest.deadline) void this.cancel();
    // The statements after it only waited: their results may still arrive, and are ignored.
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

  /** The connection has ended: statements that its driver has not rejected will never get a result. */
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
    // None of the statements in flight is known to have broken the connection.
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
  return new DatabaseFailure({ kind: 'timeout', reason: 'no response within the time allowed' });
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
  /** Milliseconds in which this process was blocked, since it began to watch. */
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `watch` is called at every check as long as it returns true, first when `start` was called. */
  constructor(private readonly watch: () => boolean) {}

  /** Begins to look at the clock, unless it does so already. */
  start(): void {
    if (this.timer !== undefined) return;
    this.lastLook = performance.now();
    this.timer = setInterval(() => {
      this.look();
    }, interval);
  }

  /** A time in milliseconds without those in which this process was blocked. Only differences are meaningful. */
  now(): number {
    return this.at(performance.now());
  }

  /** The same for a time just before now. */
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
