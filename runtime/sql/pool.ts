/** A pool of connections that a failure cannot poison: knex keeps the connections; deadlines and the removal of connections are here. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { knex as Knex } from 'knex';
import type { ConnectionCounts } from '../server/contracts.js';
import { beforeDeadline, settledBefore } from './deadline.js';
import { DatabaseFailure, type Failure } from './failure.js';
import { Meter, type ResultLimits } from './meter.js';

/** What the pool has to know of a driver. */
export interface PoolDriver<Connection extends object> {
  /** Maximum milliseconds to open a connection. */
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  /** Makes a connection. Throws the errors of the driver. */
  connect(): Promise<Connection & EventEmitter>;
  /** Prepares a new connection for its first statement. */
  startSession(connection: Connection): Promise<void>;
  /** Closes the connection cleanly. */
  end(connection: Connection): Promise<void>;
  /** The socket below the connection. */
  socketOf(connection: Connection): Socket;
  /** What an error of the driver means; `text` is the statement, undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
  /** How many rows of the result that is arriving have arrived on the connection. */
  rowsOf(connection: Connection): number;
  /** Whether something has changed the session, and it stayed. */
  isChanged?(connection: Connection): boolean;
  /** Asks the server to end the statement that runs on the connection. Never fails. */
  cancel?(connection: Connection): void | Promise<void>;
}

/** How long a statement may wait for a connection where nothing else is set (POOL_WAIT). */
const defaultWait = 2_000;

/** Milliseconds for which a server that refuses more connections is asked for no more. */
const refusalPause = 5_000;

/** How many statements may wait for each connection; what bounds the wait itself is the time. */
const waitersPerConnection = 100;

const idleTimeout = 30_000;

/** A server that was replaced behind its name is found after this time, and a tenth of it, at the latest. */
const maxLifetime = 30 * 60_000;

/** Milliseconds that a statement which is cancelled gets to report what became of it, and that the request to end it gets. */
export const cancelTimeLimit = 500;

/** Maximum milliseconds of a clean close. */
const closeTimeout = 250;

/** What is known of an open connection. */
interface Open {
  readonly born: number;
  readonly expires: number;
  readonly meter: Meter;
  /** The first error while nothing ran on it. */
  failure?: unknown;
}

export class ConnectionPool<Connection extends object> {
  /** Made for the first connection: many services read over shared ones alone, and loading knex is a third of their start. */
  private pool: Knex.KnexPool<Connection> | undefined;
  private readonly open = new Map<Connection, Open>();
  /** Of those that have ended too: what ran on them asks. */
  private readonly known = new WeakMap<Connection, Open>();
  /** Those that are never to be used again. */
  private readonly discarded = new WeakSet<Connection>();
  private readonly inUse = new Set<Connection>();
  private readonly cancelled = new WeakSet<Connection>();
  /** How many have a connection, or wait for one. */
  private inside = 0;
  private readonly idleListeners: (() => void)[] = [];
  private readonly closing = new AbortController();
  /** Until when the server is asked for no more connections, because it refused one. */
  private refusedUntil = -Infinity;
  /** When the server last responded, in milliseconds of `performance.now()`. */
  respondedAt = -Infinity;

  /** `wait`: the milliseconds that a statement may wait for a connection. */
  constructor(
    private readonly driver: PoolDriver<Connection>,
    private readonly limits: ResultLimits,
    private readonly wait: number = defaultWait,
  ) {}

  /**
   * A connection for one statement at a time, to be returned with `release`; with `since`, one that was opened after that time. Waits until
   * the deadline (milliseconds of `performance.now()`), at most as long as set. If the server refuses more connections, it waits for an
   * open one. Throws a DatabaseFailure, or the driver's error if the database cannot be reached.
   */
  async acquire(deadline: number, since = 0): Promise<Connection> {
    const until = Math.min(deadline, performance.now() + this.wait);
    if (this.closing.signal.aborted)
      throw new DatabaseFailure({ kind: 'unavailable', reason: 'the service is stopping' });
    if (this.inside >= this.driver.pool.max * (waitersPerConnection + 1))
      throw busy('all connections are in use, and too many calls wait');
    this.inside += 1;
    try {
      let connection = await this.take(until);
      while ((this.open.get(connection)?.born ?? Infinity) < since) {
        this.discard(connection);
        this.pool?.release(connection);
        connection = await this.take(until);
      }
      this.inUse.add(connection);
      return connection;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Returns a connection to the pool. */
  release(connection: Connection): void {
    this.inUse.delete(connection);
    this.pool?.release(connection);
    this.leave();
  }

  /** Cuts a connection whose state is unknown. It must still be released. */
  discard(connection: Connection): void {
    this.discarded.add(connection);
    this.driver.socketOf(connection).destroy();
  }

  /** What counts the results on the connection. */
  meterOf(connection: Connection): Meter | undefined {
    return this.known.get(connection)?.meter;
  }

  /** Whether what runs on the connection was cancelled because the service stops. */
  isCancelled(connection: Connection): boolean {
    return this.cancelled.has(connection);
  }

  /** Why a connection has ended, if the server has reported it while nothing ran. */
  failureOf(connection: Connection): Pick<Failure, 'code' | 'reason'> | undefined {
    const failure = this.known.get(connection)?.failure;
    if (failure === undefined) return undefined;
    const { code, reason } = this.driver.failureOf(failure, '');
    return { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  }

  /**
   * Waits until the deadline for the connections in use, then closes all. Statements that still run are cancelled shortly before: otherwise
   * the server would continue them without a client.
   */
  async close(deadline: number): Promise<void> {
    this.closing.abort();
    await settledBefore(this.idle(), deadline - cancelTimeLimit);
    const cancelled = [...this.inUse].map((connection) => {
      this.cancelled.add(connection);
      return this.driver.cancel?.(connection);
    });
    const timeLimit = Math.max(deadline, performance.now() + cancelTimeLimit);
    if (cancelled.length > 0) await settledBefore(Promise.all([...cancelled, this.idle()]), timeLimit);
    // A connection in use did not finish in time, and the network may lose the closing message.
    if (this.pool)
      await settledBefore(this.pool.destroy(), Math.max(deadline, performance.now() + closeTimeout));
    for (const connection of this.open.keys()) this.discard(connection);
  }

  get counts(): ConnectionCounts {
    const waiting = Math.max(0, this.inside - this.limit);
    return { used: this.inUse.size, free: this.open.size - this.inUse.size, waiting };
  }

  /** Whether the maximum number of connections is open and in use. */
  get isBusy(): boolean {
    return this.inUse.size >= this.limit;
  }

  /** Whether the server responds to an additional connection, until the deadline. Never fails. */
  async probe(deadline: number): Promise<boolean> {
    const pending = this.driver.connect();
    try {
      await beforeDeadline(pending, deadline, () => new DatabaseFailure({ kind: 'unavailable' }));
      return true;
    } catch (error) {
      // A server that refuses one more is there.
      return !(error instanceof DatabaseFailure) && this.driver.failureOf(error, undefined).full === true;
    } finally {
      pending.then((connection) => this.end(connection)).catch(nothing);
    }
  }

  /** The current maximum number of connections. */
  private get limit(): number {
    return this.isRefused ? Math.max(1, this.open.size) : this.driver.pool.max;
  }

  private get isRefused(): boolean {
    return performance.now() < this.refusedUntil;
  }

  private leave(): void {
    this.inside -= 1;
    if (this.inside === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  private async idle(): Promise<void> {
    if (this.inside > 0) await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  private async make(): Promise<Knex.KnexPool<Connection>> {
    const { default: knex } = await import('knex');
    this.pool ??= new knex.KnexPool<Connection>({
      ...this.driver.pool,
      create: () => this.create(),
      destroy: (connection) => this.end(connection),
      validate: (connection) => this.isUsable(connection),
      // A caller that waits for a connection that cannot be opened gets the reason at once.
      propagateCreateError: true,
      idleTimeoutMillis: idleTimeout,
      acquireTimeoutMillis: this.driver.connectTimeout + 1000,
      // Our limit applies; if the server refuses connections, there is no such limit.
      createTimeoutMillis: longest,
    });
    return this.pool;
  }

  private async take(until: number): Promise<Connection> {
    const pool = this.pool ?? (await this.make());
    const pending = pool.acquire();
    return beforeDeadline(pending.promise, until, () => {
      // It may still arrive: then the next caller uses it. While it is pending, another one is opened for the next caller.
      pending.promise.then((connection) => pool.release(connection), nothing);
      return this.isBusy
        ? busy('all connections are in use')
        : new DatabaseFailure({ kind: 'unavailable', reason: 'no connection within the time allowed' });
    });
  }

  /** If the server accepts no more connections, waiting callers get the open ones. The server is asked again later. */
  private async create(): Promise<Connection> {
    for (;;) {
      try {
        if (!this.isRefused || this.open.size === 0) return await this.connect();
      } catch (error) {
        const isRefused = this.driver.failureOf(error, undefined).full === true;
        // Other callers may get one now.
        if (!isRefused || (this.open.size === 0 && (this.pool?.numPendingCreates() ?? 0) <= 1)) throw error;
        this.refusedUntil = performance.now() + refusalPause;
      }
      const { signal } = this.closing;
      await delay(Math.max(0, this.refusedUntil - performance.now()), undefined, { signal, ref: false });
    }
  }

  private async connect(): Promise<Connection> {
    const until = performance.now() + this.driver.connectTimeout + 500;
    const pending = this.driver.connect();
    const late = () => {
      pending.then((connection) => this.driver.socketOf(connection).destroy(), nothing);
      return new DatabaseFailure({ kind: 'unavailable', reason: 'no response while connecting' });
    };
    const connection = await beforeDeadline(pending, until, late);
    const socket = this.driver.socketOf(connection);
    const born = performance.now();
    const open: Open = {
      born,
      expires: born + maxLifetime * (1 + Math.random() / 10),
      meter: new Meter(socket, this.limits, () => this.driver.rowsOf(connection)),
    };
    this.open.set(connection, open);
    this.known.set(connection, open);
    socket.once('close', () => this.open.delete(connection));
    socket.setKeepAlive(true, 10_000);
    // What ends by itself is never used again.
    connection.on('end', () => this.discarded.add(connection));
    connection.on('error', (error) => {
      this.discarded.add(connection);
      open.failure ??= error;
    });
    try {
      await beforeDeadline(this.driver.startSession(connection), until, late);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return connection;
  }

  private isUsable(connection: Connection): boolean {
    const isOld = performance.now() > (this.open.get(connection)?.expires ?? -Infinity);
    if (this.driver.isChanged?.(connection) === true) return false;
    return !isOld && !this.discarded.has(connection) && !this.driver.socketOf(connection).destroyed;
  }

  private async end(connection: Connection): Promise<void> {
    if (!this.driver.socketOf(connection).destroyed) await this.driver.end(connection);
  }
}

/** Milliseconds; the maximum of timers. */
const longest = 2 ** 31 - 1;

function busy(reason: string): DatabaseFailure {
  return new DatabaseFailure({ kind: 'busy', reason });
}

function nothing(): void {
  // Everything worth a log entry is thrown as a failure.
}
