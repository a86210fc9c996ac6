/** One connection with a queue: what is sent on it, until when it is waited for, and when the connection is of no use any more. A statement that has it alone is a queue of one. */
import type { Row } from '../handler/json.js';
import { type Clock, settledBefore } from './clock.js';
import type { Driver, DriverConnection, Query, QueryCallback, TransactionCommand } from './driver.js';
import { asFailure, DatabaseFailure, isWithoutConnection } from './failure.js';
import { Meter, type LatencyEstimate, type ResultLimits } from './meter.js';

/** Maximum number of statements in flight on a shared connection, and their maximum expected milliseconds together. */
const depth = 128;
const backlogLimit = 8;

/** The milliseconds that a statement counts of which nothing is known: nothing is sent behind it. */
const unknownCost = 1_000;

/** If the oldest statement takes this many milliseconds longer than expected, no more are sent after it. */
const gracePeriod = 5;

/** After this many milliseconds more, what was sent behind it runs elsewhere. */
const longGracePeriod = 50;

/** Milliseconds that a statement which is cancelled gets to report what became of it, and that the request to end it gets. */
export const cancelTimeLimit = 500;

/** A server that was replaced behind its name is found after this time, and a tenth of it, at the latest. */
const maxLifetime = 30 * 60_000;

/** Milliseconds for the response when a session is cleaned. */
const cleaningTime = 2_000;

/** The parts that all connections of a datasource share. */
export interface ConnectionHost {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly limits: ResultLimits;
  /** Nothing changes data on any of its connections: they lead to a replica. */
  readonly isReplica: boolean;
}

/** How a statement is waited for. */
export interface Sending {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** It may change data for good: then what the server reports of it is waited for, even if it is ended. */
  readonly changes?: boolean | undefined;
  /** Receives the milliseconds that it took. */
  readonly latency?: LatencyEstimate | undefined;
  /** Throws if the caller no longer needs the result: then the statement is ended. Undefined for what must finish. */
  readonly proceed?: (() => void) | undefined;
  /** Its transaction was begun for reading: that the server refuses a change says nothing about the server. */
  readonly readsOnly?: boolean;
}

interface Work extends Sending {
  /** The statement, for errors of the configuration in it. */
  readonly text: string;
  /** It is never cancelled: the connection is cut when its time is over. */
  readonly isFinal?: boolean;
  start(done: QueryCallback): void;
}

interface Entry {
  readonly work: Work;
  readonly reject: (error: unknown) => void;
  /** Its expected milliseconds in the database. */
  readonly cost: number;
  /** The way to the server and back is in its time, because nothing else was under way when it was sent. */
  readonly alone: boolean;
}

export class Connection {
  readonly born = performance.now();
  /** When the server last responded. */
  respondedAt = this.born;
  /** When something was under way for the last time. */
  used = this.born;
  private readonly expires = this.born + maxLifetime * (1 + Math.random() / 10);
  /** Accepts nothing more. */
  private isRetired = false;
  /** Something of what ran on it may have stayed in its session. */
  isSuspect = false;
  /** The first error while nothing ran on it. */
  private endedBy: unknown;
  /** Settles when what was under way has been cancelled, and the connection cut. */
  private cancelling: Promise<void> | undefined;
  /** The expected milliseconds of all statements in flight. */
  private backlog = 0;
  private isGathering = false;
  /** In the order of the server's results. */
  private readonly entries: Entry[] = [];
  private readonly idleListeners: (() => void)[] = [];
  /** When the oldest statement became the oldest, by the clock. */
  private headSince = 0;
  private readonly meter: Meter;

  constructor(
    readonly host: ConnectionHost,
    readonly session: DriverConnection,
    readonly isShared: boolean,
  ) {
    const { socket } = session;
    const changes = (): boolean => this.entries[0]?.work.changes === true;
    this.meter = new Meter(session, host.limits, changes, (failure) => {
      this.entries[0]?.reject(failure);
      void this.cancel();
    });
    socket.setKeepAlive(true, 10_000);
    session.onError((error) => {
      this.endedBy ??= error;
      this.isRetired = true;
    });
    socket.once('end', () => {
      this.isRetired = true;
    });
    socket.once('close', () => {
      this.isRetired = true;
      // Statements that the driver has not rejected will never get a result.
      setImmediate(() => {
        for (const { reject } of this.entries) reject(new DatabaseFailure(gone));
      });
    });
  }

  /** How many statements are under way. */
  get length(): number {
    return this.entries.length;
  }

  /** Whether something can be sent on it. */
  get isOpen(): boolean {
    return !this.isRetired && !this.session.socket.destroyed;
  }

  /** Whether it may be used for something new: it is neither too old nor has its session been changed. */
  get isUsable(): boolean {
    return (
      this.isOpen && this.session.isChanged !== true && performance.now() < this.expires && this.isTrusted
    );
  }

  /** False where its server, one of several, has failed since it was opened: it is used for nothing new. */
  get isTrusted(): boolean {
    return this.session.place?.trusts(this.born) !== false;
  }

  /** Whether it accepts one more statement beside those under way. */
  acceptsMoreAt(now: number): boolean {
    if (this.isRetired || !this.isTrusted) return false;
    const [oldest] = this.entries;
    if (oldest === undefined) return true;
    if (this.entries.length >= depth || this.backlog > backlogLimit) return false;
    return this.headTime(now) <= oldest.cost + gracePeriod;
  }

  /** The reason that the server has reported for the end of the connection while nothing ran. */
  get endReason(): { readonly code?: string | number; readonly reason?: string } {
    if (this.endedBy === undefined) return {};
    const { code, reason } = this.host.driver.failureOf(this.endedBy, '');
    return { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  }

  /**
   * Sends the statement behind those that are under way. Rejects with a DatabaseFailure, or with what `proceed` throws, which is asked
   * while it is the oldest.
   */
  query(query: Query, sending: Sending): Promise<Row[]> {
    this.isSuspect ||= query.runsUnknownCode === true;
    const { deadline, changes, latency, proceed } = sending;
    const start = (done: QueryCallback) => {
      this.session.start(query.onRow === undefined ? query : this.passing(query, query.onRow), done);
    };
    return this.send({ text: query.text, deadline, changes, latency, proceed, start });
  }

  /** The query, whose rows are not held. */
  private passing(query: Query, onRow: (row: Row) => void): Query {
    const { meter } = this;
    const { sink } = query;
    return {
      ...query,
      onRow: (row) => {
        meter.passed();
        onRow(row);
      },
      sink: sink && {
        begin: (format) => {
          sink.begin(format);
        },
        take: (bytes, from, to) => {
          meter.passed();
          return sink.take(bytes, from, to);
        },
        takeValues: (values, orderedAt) => {
          meter.passed();
          sink.takeValues(values, orderedAt);
        },
      },
    };
  }

  /** Calls it when bytes of the server have been read, with their number, until the returned function is called. */
  onBytes(listener: (bytes: number) => void): () => void {
    const { socket } = this.session;
    const onData = (chunk: Buffer): void => {
      listener(chunk.length);
    };
    socket.on('data', onData);
    return () => {
      socket.off('data', onData);
    };
  }

  /** Reads nothing more of what the server sends, until `resume`. */
  pause(): void {
    this.session.socket.pause();
  }

  resume(): void {
    this.session.socket.resume();
  }

  /** Throws a DatabaseFailure. */
  async command(command: TransactionCommand, deadline: number): Promise<void> {
    const isCommit = command === 'commit';
    await this.send({
      text: command,
      deadline,
      changes: isCommit,
      isFinal: isCommit,
      start: (done) => {
        this.session.command(command).then(() => {
          done(undefined, []);
        }, done);
      },
    });
  }

  /** Cleans the session; a connection where that fails is cut. Never fails. */
  async clean(): Promise<void> {
    this.isSuspect = false;
    const start = (done: QueryCallback) => {
      this.session.reset().then(() => {
        done(undefined, []);
      }, done);
    };
    try {
      await this.send({ text: 'reset', deadline: performance.now() + cleaningTime, start });
    } catch {
      this.cut();
    }
  }

  /** BEGIN goes with the next statement; false where it has to be sent alone. */
  beginWithNext(): boolean {
    return this.session.beginWithNext?.() === true;
  }

  /** The milliseconds of the way to the server and back: the shortest of a few tries, that also wait for this process. */
  async measure(): Promise<number> {
    let shortest = Infinity;
    for (let tries = 0; tries < 3; tries += 1) {
      const since = performance.now();
      await this.session.ping();
      shortest = Math.min(shortest, performance.now() - since);
    }
    return shortest;
  }

  /** Ends statements whose time is over, or for which nobody waits any longer; returns whether any is in flight. */
  watch(now: number): boolean {
    const [oldest] = this.entries;
    if (oldest === undefined) return false;
    this.used = now;
    if (this.session.place?.responds(now) === false && !this.isTrusted && !this.changes) {
      // Its reads run once more, on another server.
      this.cut();
      return true;
    }
    if (now > oldest.work.deadline) this.stop(oldest, new DatabaseFailure(tooLong));
    else {
      try {
        oldest.work.proceed?.();
      } catch (error) {
        this.stop(oldest, error);
      }
    }
    if (this.entries.length === 1) return true;
    // The statements after it only waited: their results may still arrive, and are ignored.
    const isSlow = this.headTime(performance.now()) > oldest.cost + gracePeriod + longGracePeriod;
    for (const entry of this.entries) {
      if (now > entry.work.deadline) entry.reject(new DatabaseFailure(tooLong));
      else if (isSlow && entry !== oldest) entry.reject(new DatabaseFailure(delayed));
    }
    return true;
  }

  /**
   * Asks the server to end the oldest statement, if there is one, then cuts the connection: a request that arrives too late could end the
   * next statement, and a pooler forgets whose it was with the connection. Never fails.
   */
  cancel(): Promise<void> {
    this.isRetired = true;
    this.cancelling ??= this.cancelOldest();
    return this.cancelling;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.entries.length > 0) await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  /** Accepts nothing more, and is closed cleanly when nothing is under way, at the latest after so many milliseconds. */
  async end(timeLimit: number): Promise<void> {
    this.isRetired = true;
    const ended = this.idle().then(() => this.session.end());
    await settledBefore(ended, performance.now() + timeLimit);
    this.cut();
  }

  /** Ends the connection and with it all that is under way: its state is unknown. */
  cut(): void {
    this.isRetired = true;
    this.session.socket.destroy();
  }

  /** Behind what is under way. Rejects as `query` does. */
  send(work: Work): Promise<Row[]> {
    const { clock } = this.host;
    const alone = this.entries.length === 0;
    if (alone) {
      clock.start();
      this.headSince = clock.now();
      this.backlog = 0;
      this.meter.restart();
    }
    const { latency } = work;
    const cost = latency === undefined || latency.isUnknown ? unknownCost : latency.mean;
    this.backlog += cost;
    if (this.isShared) this.gather();
    return new Promise((resolve, reject) => {
      const entry: Entry = { work, reject, cost, alone };
      this.entries.push(entry);
      work.start((error, rows) => {
        this.finished(entry);
        if (rows === undefined) reject(this.failureOf(error, work));
        // If a server stops waiting for its replicas, it reports success, although they may not have the change.
        else if (work.changes === true && this.cancelling !== undefined) reject(new DatabaseFailure(tooLong));
        else {
          this.respondedAt = this.used;
          resolve(rows);
        }
      });
    });
  }

  /** The milliseconds of the oldest statement in the database. */
  private headTime(now: number): number {
    const { clock } = this.host;
    return clock.at(now) - this.headSince - (clock.roundTrip ?? 0);
  }

  /** Whether something under way may change data. */
  private get changes(): boolean {
    return this.entries.some(({ work }) => work.changes === true);
  }

  private stop({ work, reject }: Entry, reason: unknown): void {
    if (work.changes !== true) reject(reason);
    void this.cancel().then(() => {
      reject(reason);
    });
  }

  private async cancelOldest(): Promise<void> {
    const [oldest, ...behind] = this.entries;
    // The cancel request ends whatever runs when it arrives, so nobody may still wait for the statements behind.
    for (const { reject } of behind) reject(new DatabaseFailure(delayed));
    if (oldest !== undefined && oldest.work.isFinal !== true) {
      const reported = oldest.work.changes === true ? this.idle() : undefined;
      const asked = Promise.all([this.session.cancel(), reported]);
      await settledBefore(asked, performance.now() + cancelTimeLimit);
    }
    this.cut();
  }

  /** All statements of one turn of the event loop go to the network at once. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { socket } = this.session;
    socket.cork();
    setImmediate(() => {
      this.isGathering = false;
      socket.uncork();
    });
  }

  private failureOf(error: unknown, { text, readsOnly }: Work): DatabaseFailure {
    const { driver } = this.host;
    if ((this.isShared || this.host.isReplica) && driver.isWrite(error))
      return new DatabaseFailure({ kind: 'unexpected', aftermath: 'writes' }, error);
    if (readsOnly === true && driver.isWrite(error))
      return new DatabaseFailure({ kind: 'unexpected' }, error);
    // The end of a connection on which nothing ran is reported by itself.
    const found = asFailure(error, () => ({ ...driver.failureOf(error, text), ...this.endReason }));
    if (isWithoutConnection(found.failure)) {
      // Not where it was cut here, after a request to cancel.
      if (this.cancelling === undefined) this.session.place?.failed(found.failure);
      this.cut();
    } else if (found.failure.aftermath !== 'unreported') this.respondedAt = this.used;
    // None of several statements in flight is known to have broken the connection.
    return this.isShared && found.failure.aftermath === 'broken'
      ? new DatabaseFailure({ ...found.failure, aftermath: 'lost' }, found.cause)
      : found;
  }

  private finished(entry: Entry): void {
    const { clock } = this.host;
    this.used = performance.now();
    const now = clock.at(this.used);
    if (clock.roundTrip !== undefined)
      entry.work.latency?.took(now - this.headSince - (entry.alone ? clock.roundTrip : 0));
    this.headSince = now;
    this.backlog -= entry.cost;
    if (this.entries[0] === entry) this.entries.shift();
    else this.entries.splice(this.entries.indexOf(entry), 1);
    if (this.entries.length === 0) for (const listener of this.idleListeners.splice(0)) listener();
    this.meter.restart();
    if (!this.isShared || this.session.isChanged !== true) return;
    // Statements that were sent behind it run in a session that is not as it should be.
    for (const { reject } of this.entries) reject(new DatabaseFailure(delayed));
    this.cut();
  }
}

const tooLong = {
  kind: 'timeout',
  aftermath: 'unreported',
  reason: 'no response within the time allowed',
} as const;

const gone = { kind: 'unavailable', aftermath: 'lost' } as const;

const delayed = {
  kind: 'timeout',
  aftermath: 'delayed',
  reason: 'a statement before it takes too long',
} as const;
