/**
 * Manages the connections of a datasource: opens and closes them, leases them to single statements and transactions, and shares others
 * among quick reads.
 */
import { settledBefore, beforeDeadline, Clock } from './clock.js';
import type { ConnectionCounts } from '../server/contracts.js';
import { cancelTimeLimit, Connection } from './connection.js';
import type { Driver } from './driver.js';
import { asFailure, DatabaseFailure } from './failure.js';
import type { ResultLimits } from './meter.js';

/** The settings of the pool, derived from those of the datasource. Times are in milliseconds. */
export interface KeeperSettings {
  /** Minimum number of open and maximum number of leased connections. */
  readonly min: number;
  readonly max: number;
  /** Maximum time that a statement waits for a connection. */
  readonly wait: number;
  readonly limits: ResultLimits;
  readonly isReplica?: boolean | undefined;
}

/** Milliseconds before more connections are requested from a server that has refused one. */
const refusalPause = 5_000;

/** Milliseconds before a shared connection is opened again, after one was closed to make room. */
const roomPause = 16_000;

/** Maximum number of waiting statements per connection. The wait itself is limited by time. */
const waitersPerConnection = 100;

/** Milliseconds after which an idle connection is closed, and between two checks for idle connections. */
const idleTimeout = 30_000;
const reaperInterval = 5_000;

/** Maximum milliseconds for closing a connection cleanly, and the same with statements in flight. */
const closeTimeout = 250;
const maxCloseTimeout = 60_000;

/** Maximum milliseconds for closing a shared connection to make room for a leased one. */
const freeingTime = 1_000;

/** Number of statements in flight on every shared connection at which another one is opened. */
const busyLength = 8;

/** Milliseconds before the next attempt after a shared connection could not be opened: initial and maximum. */
const firstBackOff = 500;
const longestBackOff = 16_000;

/** Maximum milliseconds that a statement waits for the first shared connection before it leases one. */
const firstConnection = 1_000;

/** Number of recent leases that dominate the average. */
const rememberedLeases = 64;

/** A statement or transaction that waits for a connection. */
interface Waiter {
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
  /** Only connections opened after this time are acceptable. */
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

export class Connections {
  readonly clock = new Clock((now) => this.watch(now));
  readonly limits: ResultLimits;
  readonly isReplica: boolean;
  private readonly own = new Set<Connection>();
  private readonly shared = new Set<Connection>();
  /** Leased connections, with the time of the lease in milliseconds of `performance.now()`. */
  private readonly leased = new Map<Connection, number>();
  /** Connections available for lease, most recently used last. */
  private readonly free: Connection[] = [];
  private readonly waiting: Waiter[] = [];
  private readonly rush = new Rush();
  /** Number of connections being opened, and how many of them have exceeded the waiting time. */
  private opening = 0;
  private overdue = 0;
  /** The time before which no more connections are requested, because the server refused one. */
  private refusedUntil = -Infinity;
  /** Settles when the shared connection being opened is open or has failed; undefined if no connection is being opened. */
  private sharing: Promise<void> | undefined;
  /** The statement that waits for the first shared connection. Other statements lease connections meanwhile. */
  private firstWaiter: Promise<unknown> | undefined;
  private backOff = 0;
  private sharesAgainAt = 0;
  private isClosing = false;
  private idleListeners: (() => void)[] = [];
  private reaper: NodeJS.Timeout | undefined;

  constructor(
    readonly driver: Driver,
    private readonly settings: KeeperSettings,
  ) {
    this.limits = settings.limits;
    this.isReplica = settings.isReplica === true;
  }

  /**
   * Leases a connection for a single statement or transaction, to be returned with `release`. With `since`, only connections opened
   * after that time are used.
   * Waits until the deadline, in milliseconds of `performance.now()`, but not longer than configured. If the server refuses more
   * connections, waits for an open one. Fails immediately if other statements have waited for the maximum time and this one would not
   * get a connection in time. Throws a DatabaseFailure.
   */
  lease(deadline: number, since = 0): Promise<Connection> {
    const { max, wait } = this.settings;
    if (this.isClosing) return Promise.reject(new DatabaseFailure(stopping));
    const free = this.takeFree(since);
    const now = performance.now();
    if (free !== undefined) {
      this.leased.set(free, now);
      return Promise.resolve(free);
    }
    const until = Math.min(deadline, now + wait);
    if (this.waiting.length >= max * waitersPerConnection || this.isHopeless(until, now))
      return Promise.reject(busy('all connections are in use, and too many calls wait'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ until, since, resolve, reject });
      this.clock.start();
      this.grow();
    });
  }

  /** Returns a leased connection, after its session has been reset if necessary. */
  release(connection: Connection): void {
    if (connection.isSuspect && connection.isUsable) {
      void connection.clean().then(() => {
        this.release(connection);
      });
      return;
    }
    const now = performance.now();
    this.rush.returns(now - (this.leased.get(connection) ?? now));
    this.leased.delete(connection);
    this.offer(connection);
    if (this.leased.size > 0 || this.waiting.length > 0) return;
    for (const listener of this.idleListeners.splice(0)) listener();
  }

  /** The shared connection with the least work, if it accepts another statement now. Otherwise, another one may be opened. */
  share(now = performance.now()): Connection | undefined {
    if (this.isClosing) return undefined;
    let best: Connection | undefined;
    for (const connection of this.shared) {
      if (connection.acceptsMoreAt(now) && (best === undefined || connection.length < best.length))
        best = connection;
    }
    if (best === undefined || best.length >= busyLength) this.growShared();
    return best;
  }

  /**
   * An idle shared connection, for example for a statement of unknown duration. If none is open yet, one statement waits for the first.
   * Undefined, or a promise of undefined, if all are busy.
   */
  shareAlone(deadline: number): Connection | Promise<Connection | undefined> | undefined {
    if (this.isClosing) return undefined;
    const idle = this.idleShared();
    if (idle !== undefined || this.shared.size > 0 || this.firstWaiter) return idle;
    this.growShared();
    if (this.sharing === undefined) return undefined;
    const first = settledBefore(this.sharing, Math.min(deadline, performance.now() + firstConnection)).then(
      () => {
        this.firstWaiter = undefined;
        return this.idleShared();
      },
    );
    this.firstWaiter = first;
    return first;
  }

  /** Opens a shared connection if the round-trip time is unknown, because the duration of statements could not be measured. */
  learnRoundTrip(): void {
    if (this.clock.roundTrip === undefined) this.growShared();
  }

  /**
   * Rejects new leases, waits until the deadline for leased connections, and closes all connections. Running statements are cancelled
   * shortly before the deadline: otherwise the server would continue them.
   */
  async close(deadline: number): Promise<void> {
    this.isClosing = true;
    clearInterval(this.reaper);
    for (const connection of this.free.splice(0)) void connection.end(closeTimeout);
    const underWay = [this.idle(), ...[...this.shared].map((connection) => connection.idle())];
    await settledBefore(Promise.all(underWay), deadline - cancelTimeLimit);
    await Promise.all(this.open.filter(({ length }) => length > 0).map((connection) => connection.cancel()));
    await settledBefore(this.idle(), Math.max(deadline, performance.now() + closeTimeout));
    await Promise.all(this.open.map((connection) => connection.end(closeTimeout)));
    this.own.clear();
    this.shared.clear();
  }

  get counts(): ConnectionCounts {
    const isUsed = (connection: Connection) => connection.length > 0 || this.leased.has(connection);
    const used = this.open.filter(isUsed).length;
    return {
      used,
      free: this.open.length - used,
      waiting: Math.max(0, this.leased.size + this.waiting.length - this.limit),
    };
  }

  /** Maximum number of connections for streamed responses. */
  get maxStreams(): number {
    return Math.max(1, Math.floor(this.settings.max / 2));
  }

  /** Whether the maximum number of connections is leased. */
  get isBusy(): boolean {
    return this.leased.size >= this.limit;
  }

  /** The time of the last response from the server, in milliseconds of `performance.now()`. */
  get respondedAt(): number {
    return Math.max(...this.open.map(({ respondedAt }) => respondedAt));
  }

  /** Whether an additional connection to the server gets a response before the deadline. Never fails. */
  async probe(deadline: number): Promise<boolean> {
    const { driver } = this;
    const pending = driver.connect(false);
    try {
      await beforeDeadline(pending, deadline, () => new DatabaseFailure({ kind: 'unavailable' }));
      return true;
    } catch (error) {
      // A server that refuses additional connections is running.
      return asFailure(error, () => driver.failureOf(error, undefined)).failure.aftermath === 'full';
    } finally {
      pending.then((session) => session.end()).catch(nothing);
    }
  }

  private get open(): readonly Connection[] {
    return [...new Set([...this.own, ...this.leased.keys(), ...this.shared])];
  }

  /** The current maximum number of leased connections. */
  private get limit(): number {
    return this.isRefused ? Math.max(1, this.own.size) : this.settings.max;
  }

  /** Whether a new waiter would not get a connection in time. A burst that ends within the waiting time is accepted completely. */
  private isHopeless(until: number, now: number): boolean {
    if (this.waiting.length === 0 && !this.isBusy) this.rush.ends();
    if (!this.isBusy || this.rush.lasts(now) < this.settings.wait) return false;
    return now + this.rush.wait(this.leased.values(), this.waiting.length, now) > until;
  }

  private get isRefused(): boolean {
    return performance.now() < this.refusedUntil;
  }

  private idle(): Promise<void> {
    if (this.leased.size === 0 && this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  private takeFree(since: number): Connection | undefined {
    for (let connection = this.free.pop(); connection !== undefined; connection = this.free.pop()) {
      if (connection.isUsable && connection.born >= since) return connection;
      void connection.end(closeTimeout);
    }
    return undefined;
  }

  /** Passes the connection to the first waiter, or makes it available. */
  private offer(connection: Connection): void {
    const [first] = this.waiting;
    const isUsable = connection.isUsable && connection.born >= (first?.since ?? 0);
    if (isUsable && first !== undefined) {
      this.waiting.shift();
      this.leased.set(connection, performance.now());
      first.resolve(connection);
    } else if (isUsable && !this.isClosing) {
      this.free.push(connection);
      this.rush.ends();
    } else {
      if (connection.isOpen) void connection.end(closeTimeout);
      this.grow();
    }
  }

  /** Opens connections for waiting statements. */
  private grow(): void {
    while (this.opening - this.overdue < this.waiting.length && this.own.size + this.opening < this.limit)
      void this.openOwn();
  }

  /** Opens a connection for leases. Never fails: the first waiter receives the failure. */
  private async openOwn(): Promise<void> {
    this.opening += 1;
    try {
      const connection = await this.make(false);
      this.own.add(connection);
      this.offer(connection);
    } catch (error) {
      const failure = asFailure(error, () => this.driver.failureOf(error, undefined));
      if (failure.failure.aftermath === 'full') await this.refused(failure);
      else this.waiting.shift()?.reject(failure);
    } finally {
      this.opening -= 1;
      this.overdue = Math.min(this.overdue, this.opening);
      this.grow();
    }
  }

  /** Handles a server that refuses more connections: waiters get the open ones, and the server is asked again later. */
  private async refused(failure: DatabaseFailure): Promise<void> {
    if (this.own.size === 0 && this.opening <= 1 && !(await this.makeRoom()))
      this.waiting.shift()?.reject(failure);
    else this.refusedUntil = performance.now() + refusalPause;
  }

  /** Closes a shared connection if the server does not allow more than the shared connections; false if there are none. */
  private async makeRoom(): Promise<boolean> {
    const [first] = this.shared;
    this.sharesAgainAt = performance.now() + roomPause;
    if (first === undefined) return false;
    await first.end(freeingTime);
    return true;
  }

  private idleShared(): Connection | undefined {
    for (const connection of this.shared)
      if (connection.isOpen && connection.isTrusted && connection.length === 0) return connection;
    return undefined;
  }

  private growShared(): void {
    if (this.sharing !== undefined || this.isClosing || performance.now() < this.sharesAgainAt) return;
    if (this.shared.size >= this.driver.shared) return;
    this.sharing = this.openShared().finally(() => {
      this.sharing = undefined;
    });
  }

  /** Opens a shared connection. Never fails: statements without a shared connection lease one, and report the failure. */
  private async openShared(): Promise<void> {
    try {
      const connection = await this.make(true);
      const roundTrip = await connection.measure();
      this.clock.roundTrip = Math.min(roundTrip, this.clock.roundTrip ?? Infinity);
      this.backOff = 0;
      if (this.isClosing) connection.cut();
      else if (connection.isOpen) this.shared.add(connection);
    } catch {
      this.backOff = Math.min(Math.max(this.backOff * 2, firstBackOff), longestBackOff);
      this.sharesAgainAt = performance.now() + this.backOff;
    }
  }

  /** Opens a connection, and tries again if it is cut while being opened. Throws the errors of the driver. */
  private async make(isShared: boolean): Promise<Connection> {
    const session = await this.driver.connect(isShared).catch((error: unknown) => {
      const { aftermath } = asFailure(error, () => this.driver.failureOf(error, undefined)).failure;
      if (aftermath !== 'ended') throw error;
      return this.driver.connect(isShared);
    });
    const connection = new Connection(this, session, isShared);
    session.socket.once('close', () => {
      this.forget(connection);
    });
    this.reaper ??= setInterval(() => {
      this.closeIdle();
    }, reaperInterval).unref();
    return connection;
  }

  private forget(connection: Connection): void {
    this.own.delete(connection);
    this.shared.delete(connection);
    const index = this.free.indexOf(connection);
    if (index !== -1) this.free.splice(index, 1);
    this.grow();
  }

  /** Ends waits and statements that have timed out. Returns whether anything is in flight. */
  private watch(now: number): boolean {
    for (const waiter of this.waiting.filter(({ until }) => now > until)) {
      this.waiting.splice(this.waiting.indexOf(waiter), 1);
      this.overdue = Math.min(this.overdue + 1, this.opening);
      waiter.reject(this.isBusy ? busy('all connections are in use') : new DatabaseFailure(none));
    }
    this.leaveServers();
    this.grow();
    let isUnderWay = this.waiting.length > 0;
    for (const connections of [this.leased.keys(), this.shared])
      for (const connection of connections) isUnderWay = connection.watch(now) || isUnderWay;
    return isUnderWay;
  }

  /** Drops connections to a failed server of several: its statements in flight must not take room from connections to other servers. */
  private leaveServers(): void {
    for (const connection of this.leased.keys()) if (!connection.isTrusted) this.own.delete(connection);
    for (const connection of this.shared)
      if (connection.isOpen && !connection.isTrusted) void connection.end(maxCloseTimeout);
  }

  /** Closes connections that are too old or idle for too long. A minimum number of connections for leases stays open while idle. */
  private closeIdle(): void {
    const now = performance.now();
    const isIdle = (connection: Connection) => connection.length === 0 && now - connection.used > idleTimeout;
    for (const connection of this.shared) {
      if (connection.isOpen && (isIdle(connection) || !connection.isUsable))
        void connection.end(maxCloseTimeout);
    }
    for (const connection of [...this.free]) {
      const isSpare = this.own.size > this.settings.min && isIdle(connection);
      if (!isSpare && connection.isUsable) continue;
      this.free.splice(this.free.indexOf(connection), 1);
      void connection.end(closeTimeout);
    }
  }
}

/**
 * A period in which all connections of a datasource are in use. Estimates the waiting time of another statement from the leases that
 * have ended in this period.
 */
class Rush {
  /** Start of the period; undefined while a connection is available. */
  private since: number | undefined;
  private returned = 0;
  /** Average duration of the leases that ended in this period, in milliseconds. */
  private mean = 0;

  /** Records that all connections are in use. Returns the duration of the period in milliseconds. */
  lasts(now: number): number {
    this.since ??= now;
    return now - this.since;
  }

  /** Records that a connection is available and nothing is waiting. */
  ends(): void {
    this.since = undefined;
    this.returned = 0;
    this.mean = 0;
  }

  /** Records that a connection was returned after the given milliseconds. */
  returns(milliseconds: number): void {
    if (this.since === undefined) return;
    this.returned = Math.min(this.returned + 1, rememberedLeases);
    this.mean += (milliseconds - this.mean) / this.returned;
  }

  /** The estimated waiting time after `others` waiters, in milliseconds; 0 before the first lease has ended. */
  wait(leasedAt: Iterable<number>, others: number, now: number): number {
    const left = [...leasedAt]
      .map((at) => Math.max(0, at + this.mean - now))
      .sort((one, other) => one - other);
    return Math.floor(others / left.length) * this.mean + (left[others % left.length] ?? 0);
  }
}

const stopping = { kind: 'unavailable', reason: 'the service is stopping' } as const;

const none = { kind: 'unavailable', reason: 'no connection within the time allowed' } as const;

function busy(reason: string): DatabaseFailure {
  return new DatabaseFailure({ kind: 'busy', reason });
}

function nothing(): void {
  // Errors worth logging are thrown as failures.
}
