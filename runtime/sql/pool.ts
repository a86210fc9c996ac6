/** A pool of connections that a fault cannot poison: knex keeps them, deadlines and the way out are here. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import type { ConnectionCounts } from '../server/contracts.js';
import { beforeDeadline, settledBefore } from './deadline.js';
import { DatabaseFailure, type Failure } from './failure.js';
import { Gate } from './gate.js';
import { Meter, type ResultLimits } from './meter.js';

/** What the pool has to know of a driver. */
export interface PoolDriver<Connection extends object> {
  /** The name of the driver's package. */
  readonly client: 'pg' | 'mysql2';
  /** The driver's settings for a new connection. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Milliseconds that a new connection may take. */
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  /** Makes a connection, where the driver's own way is not enough. Throws the errors of the driver. */
  connect?(): Promise<Connection>;
  /** Prepares a new connection for its first statement. */
  startSession(connection: Connection): Promise<void>;
  /** The socket below the connection. */
  socketOf(connection: Connection): Socket;
  /** What an error of the driver means; `text` is the statement, undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
  /** How many rows of the result that is arriving have arrived on the connection; asked first before anything has. */
  rowsOf(connection: Connection): number;
  /** Asks the server to end the statement that runs on the connection. Never fails. */
  cancel?(connection: Connection): void | Promise<void>;
}

/** The part of knex's client that is used. */
interface KnexClient {
  /** A new connection that the pool does not know. */
  acquireRawConnection(): Promise<object>;
  destroyRawConnection(connection: object): Promise<unknown>;
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<unknown>;
}

/** How long a statement may wait for a connection where nothing else is set (POOL_WAIT). */
const defaultWait = 2_000;

/** Milliseconds for which a server that refuses more connections is asked for no more. */
const refusalPause = 5_000;

/** How many statements may wait for each connection; what bounds the wait itself is the time. */
const waitersPerConnection = 100;

const idleTimeout = 30_000;

/** A server that was replaced behind its name is found after this time at the latest. */
const maxLifetime = 30 * 60_000;

/** Milliseconds that a statement which is cancelled gets to report what became of it, and that the request to end it gets. */
export const cancelPatience = 500;

/** How long a clean farewell to the server may take. */
const farewell = 250;

/** Knex's own messages hold texts of errors, and those may hold data. */
const silent = { warn: nothing, error: nothing, deprecate: nothing, debug: nothing };

function nothing(): void {
  // Everything worth a log entry is thrown as a failure.
}

export class ConnectionPool<Connection extends object> {
  private readonly instance: Knex;
  private readonly client: KnexClient;
  private readonly gate: Gate;
  /** Every open connection, and when it was made. */
  private readonly open = new Map<Connection, number>();
  private readonly meters = new WeakMap<Connection, Meter>();
  /** Errors that came while nothing ran on a connection. */
  private readonly faults = new WeakMap<Connection, unknown>();
  private readonly inUse = new Set<Connection>();
  private readonly cancelled = new WeakSet<Connection>();
  /** How many wait for a connection that may still be made. */
  private taking = 0;
  private closed = false;
  /** When the server answered to something for the last time, in milliseconds of `performance.now()`. */
  answeredAt = -Infinity;

  /** `wait`: the milliseconds that a statement may wait for a connection. */
  constructor(
    private readonly driver: PoolDriver<Connection>,
    private readonly limits: ResultLimits,
    private readonly wait: number = defaultWait,
  ) {
    this.gate = new Gate(driver.pool.max, driver.pool.max * waitersPerConnection);
    this.instance = knex.knex({
      client: driver.client,
      connection: driver.connection,
      log: silent,
      pool: {
        ...driver.pool,
        idleTimeoutMillis: idleTimeout,
        createTimeoutMillis: driver.connectTimeout + 500,
        acquireTimeoutMillis: driver.connectTimeout + 1000,
        maxConnectionLifetimeMillis: maxLifetime,
        maxConnectionLifetimeJitterMillis: maxLifetime / 10,
        afterCreate: (connection: Connection, done: (error?: unknown) => void) => {
          this.admit(connection).then(() => {
            done();
          }, done);
        },
      },
    });
    this.client = this.instance.client as KnexClient;
    if (driver.connect !== undefined) this.client.acquireRawConnection = () => this.connect();
  }

  /**
   * A connection for one statement at a time, to be given back with `release`; with `since`, one that was made after
   * that moment. Waits until the deadline (milliseconds of `performance.now()`), no longer than set; where the server refuses more
   * connections, for one of those that are there. Throws a DatabaseFailure, or the driver's error when the database cannot be
   * reached.
   */
  async acquire(deadline: number, since = 0): Promise<Connection> {
    const until = Math.min(deadline, performance.now() + this.wait);
    if (this.closed) throw new DatabaseFailure({ kind: 'unavailable', reason: 'the service is stopping' });
    await this.gate.enter(until);
    for (;;) {
      try {
        return await this.takeSince(since, until);
      } catch (error) {
        const isRefused = this.driver.failureOf(error, undefined).full === true;
        if (isRefused) this.gate.narrow(this.open.size, refusalPause);
        this.gate.leave();
        // Others may be given one at this moment.
        const isHopeless = this.open.size === 0 && this.taking === 0;
        if (!isRefused || isHopeless || performance.now() >= until) throw error;
      }
      await this.gate.enter(until, true);
    }
  }

  /** Gives a connection back. */
  release(connection: Connection): void {
    this.inUse.delete(connection);
    this.giveBack(connection);
    this.gate.leave();
  }

  /**
   * Cuts a connection whose state is unknown. It must still be released: the mark keeps it from ever being used again.
   * (A driver's own time limit would hand the dead connection to the next statement.)
   */
  discard(connection: Connection): void {
    Object.assign(connection, { __knex__disposed: 'discarded' });
    this.driver.socketOf(connection).destroy();
  }

  /** What counts the results on the connection. */
  meterOf(connection: Connection): Meter | undefined {
    return this.meters.get(connection);
  }

  /** Whether what runs on the connection was cancelled because the service stops. */
  isCancelled(connection: Connection): boolean {
    return this.cancelled.has(connection);
  }

  /** Why a connection has ended, where the server has said so while nothing ran on it. */
  faultOf(connection: Connection): Pick<Failure, 'code' | 'reason'> | undefined {
    if (!this.faults.has(connection)) return undefined;
    const { code, reason } = this.driver.failureOf(this.faults.get(connection), '');
    return { ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  }

  /**
   * Waits until the deadline for the connections in use, then closes all. Statements that run on then are cancelled shortly
   * before it: a server goes on with them otherwise, although nobody is there any more.
   */
  async close(deadline: number): Promise<void> {
    this.closed = true;
    await settledBefore(this.gate.idle(), deadline - cancelPatience);
    const cancelled = [...this.inUse].map((connection) => {
      this.cancelled.add(connection);
      return this.driver.cancel?.(connection);
    });
    const patience = Math.max(deadline, performance.now() + cancelPatience);
    if (cancelled.length > 0) await settledBefore(Promise.all([...cancelled, this.gate.idle()]), patience);
    // A connection in use is one that did not end in time, and the network may swallow a farewell.
    await settledBefore(this.instance.destroy(), Math.max(deadline, performance.now() + farewell));
    for (const connection of this.open.keys()) this.discard(connection);
  }

  get counts(): ConnectionCounts {
    const { inside, waiting } = this.gate.counts;
    // Some of those inside wait for a connection that is being made.
    const used = Math.min(inside, this.open.size);
    return { used, free: this.open.size - used, waiting };
  }

  /** Whether every connection that there may be at the moment is open and in use. */
  get isBusy(): boolean {
    return this.counts.used >= this.gate.counts.limit;
  }

  /** Whether the server answers to a connection that is none of the pool's, until the deadline. Never fails. */
  async probe(deadline: number): Promise<boolean> {
    const pending = this.client.acquireRawConnection();
    const end = (connection: object) => {
      this.client.destroyRawConnection(connection).catch(nothing);
    };
    try {
      await beforeDeadline(pending, deadline, () => new DatabaseFailure({ kind: 'unavailable' }));
      return true;
    } catch (error) {
      // A server that refuses one more is there.
      return !(error instanceof DatabaseFailure) && this.driver.failureOf(error, undefined).full === true;
    } finally {
      pending.then(end, nothing);
    }
  }

  private async takeSince(since: number, until: number): Promise<Connection> {
    let connection = await this.take(until);
    while ((this.open.get(connection) ?? Infinity) < since) {
      this.discard(connection);
      this.giveBack(connection);
      connection = await this.take(until);
    }
    this.inUse.add(connection);
    return connection;
  }

  /** As knex makes one: what ends by itself is never used again. */
  private async connect(): Promise<object> {
    const connection = (await this.driver.connect?.()) ?? {};
    const dispose = () => Object.assign(connection, { __knex__disposed: 'ended' });
    if (connection instanceof EventEmitter) connection.on('error', dispose).on('end', dispose);
    return connection;
  }

  private async take(until: number): Promise<Connection> {
    const pending = this.client.acquireConnection();
    this.taking += 1;
    const taken = () => {
      this.taking -= 1;
    };
    pending.then(taken, taken);
    return (await beforeDeadline(pending, until, () => {
      // It may still come: then it is of use to the next one.
      pending.then((connection) => {
        this.giveBack(connection);
      }, nothing);
      return new DatabaseFailure({ kind: 'unavailable', reason: 'no connection within the time allowed' });
    })) as Connection;
  }

  private giveBack(connection: object): void {
    // Knex does this at once; the promise is only of its interface.
    this.client.releaseConnection(connection).catch(nothing);
  }

  private async admit(connection: Connection): Promise<void> {
    const socket = this.driver.socketOf(connection);
    this.open.set(connection, performance.now());
    this.driver.rowsOf(connection);
    this.meters.set(connection, new Meter(socket, this.limits, () => this.driver.rowsOf(connection)));
    socket.once('close', () => this.open.delete(connection));
    socket.setKeepAlive(true, 10_000);
    if (connection instanceof EventEmitter)
      connection.once('error', (error) => this.faults.set(connection, error));
    try {
      await this.driver.startSession(connection);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }
}
