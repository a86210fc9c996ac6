/**
 * A connection with a queue of statements, their deadlines, and the time at which the connection becomes unusable. A statement on a
 * separate connection is a queue of one.
 */
import type { Row } from '../handler/json.js';
import { type Clock, settledBefore } from './clock.js';
import type {
  Driver,
  DriverConnection,
  Query,
  QueryCallback,
  StatementBlock,
  TransactionCommand,
} from './driver.js';
import { asFailure, DatabaseFailure, isWithoutConnection } from './failure.js';
import { Meter, type LatencyEstimate, type ResultLimits } from './meter.js';

/** Limits for statements in flight on a shared connection: their number, and the sum of their expected milliseconds. */
const depth = 128;
const backlogLimit = 8;

/** Assumed milliseconds of an unknown statement, high enough that no statement is sent after it. */
const unknownCost = 1_000;

/** If the oldest statement exceeds its expected time by this many milliseconds, no more statements are sent after it. */
const gracePeriod = 5;

/** If it exceeds its expected time by this many more milliseconds, statements sent after it run elsewhere. */
const longGracePeriod = 50;

/** Milliseconds for the outcome of a cancelled statement, and for the cancel request itself. */
export const cancelTimeLimit = 500;

/** Maximum lifetime of a connection, plus up to a tenth, after which a replacement of the server under the same name is noticed. */
const maxLifetime = 30 * 60_000;

/** Milliseconds for the response when a session is reset. */
const cleaningTime = 2_000;

/** State shared by all connections of a datasource. */
export interface ConnectionHost {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly limits: ResultLimits;
  /** Whether all connections are read-only, because they are connections to a replica. */
  readonly isReplica: boolean;
}

/** Options for sending a statement. */
export interface Sending {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Whether the statement may change data permanently. The outcome is then awaited even after cancellation. */
  readonly changes?: boolean | undefined;
  /** Receives the duration of the statement in milliseconds. */
  readonly latency?: LatencyEstimate | undefined;
  /**
   * Called regularly; throws if the caller no longer needs the result, which cancels the statement. Undefined for statements that
   * must finish.
   */
  readonly proceed?: (() => void) | undefined;
  /** Whether the transaction is read-only: a rejected change does not mean that the server is read-only. */
  readonly readsOnly?: boolean;
  /** Maximum milliseconds, counted from the end of the previous statement. */
  readonly timeLimit?: number;
}

interface Work extends Sending {
  /** The SQL, for configuration errors in it. */
  readonly text: string;
  /** Whether the statement must not be cancelled: at its deadline, only the connection is cut. */
  readonly isFinal?: boolean;
  start(done: QueryCallback): void;
}

interface Entry {
  readonly work: Work;
  readonly reject: (error: unknown) => void;
  /** In milliseconds of `performance.now()`. */
  deadline: number;
  /** Expected milliseconds in the database. */
  readonly cost: number;
  /** Whether its time includes a network round trip, because the connection was idle when it was sent. */
  readonly alone: boolean;
}

export class Connection {
  readonly born = performance.now();
  /** The time of the last response from the server. */
  respondedAt = this.born;
  /** The last time a statement was in flight. */
  used = this.born;
  private readonly expires = this.born + maxLifetime * (1 + Math.random() / 10);
  /** Whether the connection accepts no more statements. */
  private isRetired = false;
  /** Whether earlier statements may have changed the session state. */
  isSuspect = false;
  /** The first error that occurred while no statement was running. */
  private endedBy: unknown;
  /** Settles when the statement in flight has been cancelled and the connection has been cut. */
  private cancelling: Promise<void> | undefined;
  /** Total expected milliseconds of the statements in flight. */
  private backlog = 0;
  private isGathering = false;
  /** Statements in flight, in order of their results. */
  private readonly entries: Entry[] = [];
  private readonly idleListeners: (() => void)[] = [];
  /** The time, by the clock, at which the oldest statement became the oldest. */
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
      // Statements that the driver has not rejected would otherwise wait forever.
      setImmediate(() => {
        for (const { reject } of this.entries) reject(new DatabaseFailure(gone));
      });
    });
  }

  /** Number of statements in flight. */
  get length(): number {
    return this.entries.length;
  }

  /** Whether statements can be sent. */
  get isOpen(): boolean {
    return !this.isRetired && !this.session.socket.destroyed;
  }

  /** Whether the connection may be used for new statements: it is not too old, and its session is unchanged. */
  get isUsable(): boolean {
    return (
      this.isOpen && this.session.isChanged !== true && performance.now() < this.expires && this.isTrusted
    );
  }

  /** False if its server, one of several, has failed since the connection was opened: it must not be used for new statements. */
  get isTrusted(): boolean {
    return this.session.place?.trusts(this.born) !== false;
  }

  /** Whether another statement can be sent while others are in flight. */
  acceptsMoreAt(now: number): boolean {
    if (this.isRetired || !this.isTrusted) return false;
    const [oldest] = this.entries;
    if (oldest === undefined) return true;
    if (this.entries.length >= depth || this.backlog > backlogLimit) return false;
    return this.headTime(now) <= oldest.cost + gracePeriod;
  }

  /** The server's reason for closing the connection while no statement was running. */
  get endReason(): { readonly code?: string | number; readonly reason?: string } {
    if (this.endedBy === undefined) return {};
    const { code, reason } = this.host.driver.failureOf(this.endedBy, '');
    return { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  }

  /**
   * Sends the statement after those in flight. Rejects with a DatabaseFailure, or with the error of `proceed`, which is called while
   * the statement is the oldest in flight.
   */
  query(query: Query, sending: Sending): Promise<Row[]> {
    this.isSuspect ||= query.runsUnknownCode === true;
    const { deadline, changes, latency, proceed } = sending;
    const start = (done: QueryCallback) => {
      this.session.start(query.onRow === undefined ? query : this.passing(query, query.onRow), done);
    };
    return this.send({ text: query.text, deadline, changes, latency, proceed, start });
  }

  /** Sends a statement of a transaction after those in flight. Undefined if it must wait for their results. Rejects like `query`. */
  queryAfter(query: Query, sending: Sending): Promise<Row[]> | undefined {
    const start = this.isOpen ? this.session.after?.(query) : undefined;
    return start && this.send({ ...sending, text: query.text, start });
  }

  /** Runs a block of statements of a transaction. Rejects like `query`. */
  async runBlock(block: StatementBlock, sending: Sending): Promise<void> {
    const start = block.start.bind(block);
    await this.send({
      ...sending,
      get text() {
        return block.text;
      },
      start,
    });
  }

  /** The query, with rows that are passed on instead of being held. */
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

  /** Calls the listener with the number of bytes read from the server, until the returned function is called. */
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

  /** Stops reading from the server until `resume` is called. */
  pause(): void {
    this.session.socket.pause();
  }

  resume(): void {
    this.session.socket.resume();
  }

  /** Runs a transaction command. Throws a DatabaseFailure. */
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

  /** Resets the session, and cuts the connection if that fails. Never fails. */
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

  /** Sends BEGIN together with the next statement; false if BEGIN must be sent separately. */
  beginWithNext(): boolean {
    return this.session.beginWithNext?.() === true;
  }

  /** The network round-trip time in milliseconds: the minimum of several measurements, which include delays of this process. */
  async measure(): Promise<number> {
    let shortest = Infinity;
    for (let tries = 0; tries < 3; tries += 1) {
      const since = performance.now();
      await this.session.ping();
      shortest = Math.min(shortest, performance.now() - since);
    }
    return shortest;
  }

  /** Ends statements whose deadline has passed or whose result is no longer needed. Returns whether any are in flight. */
  watch(now: number): boolean {
    const [oldest] = this.entries;
    if (oldest === undefined) return false;
    this.used = now;
    if (this.session.place?.responds(now) === false && !this.isTrusted && !this.changes) {
      // Reads in flight are retried on another server.
      this.cut();
      return true;
    }
    if (now > oldest.deadline) this.stop(oldest, new DatabaseFailure(tooLong));
    else {
      try {
        oldest.work.proceed?.();
      } catch (error) {
        this.stop(oldest, error);
      }
    }
    // Statements of a transaction only wait for each other.
    if (this.entries.length === 1 || !this.isShared) return true;
    // The statements after the oldest only waited. Their results may still arrive, but are ignored.
    const isSlow = this.headTime(performance.now()) > oldest.cost + gracePeriod + longGracePeriod;
    for (const entry of this.entries) {
      if (now > entry.deadline) entry.reject(new DatabaseFailure(tooLong));
      else if (isSlow && entry !== oldest) entry.reject(new DatabaseFailure(delayed));
    }
    return true;
  }

  /**
   * Asks the server to cancel the oldest statement, if any, then cuts the connection: a late cancel request could hit the next
   * statement, and a pooler can no longer assign the statement once its connection is closed. Never fails.
   */
  cancel(): Promise<void> {
    this.isRetired = true;
    this.cancelling ??= this.cancelOldest();
    return this.cancelling;
  }

  /** Resolves when no statement is in flight. */
  async idle(): Promise<void> {
    if (this.entries.length > 0) await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  /** Stops accepting statements, and closes the connection cleanly when it is idle, or after `timeLimit` milliseconds. */
  async end(timeLimit: number): Promise<void> {
    this.isRetired = true;
    const ended = this.idle().then(() => this.session.end());
    await settledBefore(ended, performance.now() + timeLimit);
    this.cut();
  }

  /** Closes the connection, because its state is unknown; this also ends all statements in flight. */
  cut(): void {
    this.isRetired = true;
    this.session.socket.destroy();
  }

  /** Sends work after everything in flight. Rejects like `query`. */
  send(work: Work): Promise<Row[]> {
    const { clock } = this.host;
    const alone = this.entries.length === 0;
    if (alone) {
      clock.start();
      this.headSince = clock.now();
      this.backlog = 0;
      this.meter.restart();
    }
    const { latency, timeLimit } = work;
    const cost = latency === undefined || latency.isUnknown ? unknownCost : latency.mean;
    this.backlog += cost;
    if (this.isShared || timeLimit !== undefined) this.gather();
    const deadline = alone ? this.deadlineOf(work) : work.deadline;
    return new Promise((resolve, reject) => {
      const entry: Entry = { work, reject, deadline, cost, alone };
      this.entries.push(entry);
      work.start((error, rows) => {
        this.finished(entry);
        if (rows === undefined) reject(this.failureOf(error, work));
        // After a cancel request, a server that stops waiting for its replicas reports success, although the replicas may lack the
        // change.
        else if (work.changes === true && this.cancelling !== undefined) reject(new DatabaseFailure(tooLong));
        else {
          this.respondedAt = this.used;
          resolve(rows);
        }
      });
    });
  }

  /** The deadline of work that is now the oldest. */
  private deadlineOf({ deadline, timeLimit = Infinity }: Work): number {
    return Math.min(deadline, performance.now() + timeLimit);
  }

  /** How long the oldest statement has been running, in milliseconds. */
  private headTime(now: number): number {
    const { clock } = this.host;
    return clock.at(now) - this.headSince - (clock.roundTrip ?? 0);
  }

  /** Whether a statement in flight may change data. */
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
    // The cancel request ends whatever statement is running when it arrives, so waiting for statements after the oldest would be
    // unsafe.
    for (const { reject } of behind) reject(new DatabaseFailure(delayed));
    if (oldest !== undefined && oldest.work.isFinal !== true) {
      const reported = oldest.work.changes === true ? this.idle() : undefined;
      const asked = Promise.all([this.session.cancel(), reported]);
      await settledBefore(asked, performance.now() + cancelTimeLimit);
    }
    this.cut();
  }

  /** Combines all statements sent within one turn of the event loop into one write to the network. */
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
    // If the connection ended while no statement was running, it has its own error.
    const found = asFailure(error, () => ({ ...driver.failureOf(error, text), ...this.endReason }));
    if (isWithoutConnection(found.failure)) {
      // Skipped if the service itself has cut the connection after a cancel request.
      if (this.cancelling === undefined) this.session.place?.failed(found.failure);
      this.cut();
    } else if (found.failure.aftermath !== 'unreported') this.respondedAt = this.used;
    // With several statements in flight, it is unknown which statement broke the connection.
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
    const [next] = this.entries;
    if (next !== undefined) next.deadline = this.deadlineOf(next.work);
    if (this.entries.length === 0) for (const listener of this.idleListeners.splice(0)) listener();
    this.meter.restart();
    if (!this.isShared || this.session.isChanged !== true) return;
    // Statements sent after the command would run in a session with the wrong state.
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
