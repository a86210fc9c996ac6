/** The keeper of a datasource's connections: it opens them, leases them to one statement or transaction, shares others among quick reads, and closes them. */
import { settledBefore, beforeDeadline, Clock } from './clock.js';
import type { ConnectionCounts } from '../server/contracts.js';
import { cancelTimeLimit, Connection } from './connection.js';
import type { Driver } from './driver.js';
import { asFailure, DatabaseFailure } from './failure.js';
import type { ResultLimits } from './meter.js';

/** The settings of the keeper, from those of the datasource; times in milliseconds. */
export interface KeeperSettings {
  /** How many connections of their own statements may have, and how few of them stay open. */
  readonly min: number;
  readonly max: number;
  /** How long a statement may wait for a connection. */
  readonly wait: number;
  readonly limits: ResultLimits;
  readonly isReplica?: boolean | undefined;
}

/** Milliseconds for which a server that refuses more connections is asked for no more. */
const refusalPause = 5_000;

/** Milliseconds without another shared connection, after one made room for others. */
const roomPause = 16_000;

/** How many statements may wait for each connection; what bounds the wait itself is the time. */
const waitersPerConnection = 100;

/** Milliseconds after which a connection that carries nothing is closed, and between two looks for such. */
const idleTimeout = 30_000;
const reaperInterval = 5_000;

/** Maximum milliseconds of a clean close; the same if statements are still in flight. */
const closeTimeout = 250;
const maxCloseTimeout = 60_000;

/** Maximum milliseconds to close a shared connection for one of its own. */
const freeingTime = 1_000;

/** While this many statements are under way on every shared connection, one more is opened. */
const busyLength = 8;

/** Milliseconds until sharing is tried again after a connection for it could not be opened: at first and at most. */
const firstBackOff = 500;
const longestBackOff = 16_000;

/** How long a statement waits for the first shared connection, before it gets one of its own. */
const firstConnection = 1_000;

/** Leases after which an old one is mostly forgotten. */
const rememberedLeases = 64;

/** Who waits for a connection of its own. */
interface Waiter {
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
  /** Only one that was opened after that time. */
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
  /** Since when, in milliseconds of `performance.now()`. */
  private readonly leased = new Map<Connection, number>();
  /** Connections that nobody has leased, the last used one last. */
  private readonly free: Connection[] = [];
  private readonly waiting: Waiter[] = [];
  private readonly rush = new Rush();
  /** How many are being opened, and for how many of these nobody waits any longer. */
  private opening = 0;
  private overdue = 0;
  /** Until when the server is asked for no more connections, because it refused one. */
  private refusedUntil = -Infinity;
  /** Settles when the shared connection that is being made has been made, or could not be made; undefined while none is. */
  private sharing: Promise<void> | undefined;
  /** The statement that waits for the first shared connection; others do not wait with it. */
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
   * A connection for one statement or transaction alone, to be returned with `release`; with `since`, one that was opened after that time.
   * Waits until the deadline (milliseconds of `performance.now()`), at most as long as set. If the server refuses more connections, it
   * waits for an open one; where others have waited for as long as that, and it would not get one in time, it fails at once. Throws a
   * DatabaseFailure.
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

  /** Takes a leased connection back, when its session is clean. */
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

  /** The shared connection that has least to do, if it accepts one more statement now. If there is none, one may be connecting. */
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
   * A shared connection without others, such as for a statement of unknown pace. If there is no connection yet, one statement waits for the
   * first. Undefined, or a promise of undefined, if none is free.
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

  /** Opens a shared connection where the way to the server and back is unknown: else the pace of no statement is known. */
  learnRoundTrip(): void {
    if (this.clock.roundTrip === undefined) this.growShared();
  }

  /**
   * Accepts nothing more, waits until the deadline for the connections in use, and closes all. Statements that still run are cancelled
   * shortly before: otherwise the server would continue them without a client.
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

  /** How many connections may be used by responses that are written while rows arrive. */
  get maxStreams(): number {
    return Math.max(1, Math.floor(this.settings.max / 2));
  }

  /** Whether the maximum number of connections of their own is open and in use. */
  get isBusy(): boolean {
    return this.leased.size >= this.limit;
  }

  /** When the server last responded, in milliseconds of `performance.now()`. */
  get respondedAt(): number {
    return Math.max(...this.open.map(({ respondedAt }) => respondedAt));
  }

  /** Whether the server responds to an additional connection, until the deadline. Never fails. */
  async probe(deadline: number): Promise<boolean> {
    const { driver } = this;
    const pending = driver.connect(false);
    try {
      await beforeDeadline(pending, deadline, () => new DatabaseFailure({ kind: 'unavailable' }));
      return true;
    } catch (error) {
      // A server that refuses one more is there.
      return asFailure(error, () => driver.failureOf(error, undefined)).failure.aftermath === 'full';
    } finally {
      pending.then((session) => session.end()).catch(nothing);
    }
  }

  private get open(): readonly Connection[] {
    return [...new Set([...this.own, ...this.leased.keys(), ...this.shared])];
  }

  /** The current maximum number of connections of their own. */
  private get limit(): number {
    return this.isRefused ? Math.max(1, this.own.size) : this.settings.max;
  }

  /** Whether who waits from now on would not get a connection in time. A burst that is over within the wait is let in as a whole. */
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

  /** Passes the connection to who waits for one, or keeps it. */
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

  /** Opens connections for those who wait. */
  private grow(): void {
    while (this.opening - this.overdue < this.waiting.length && this.own.size + this.opening < this.limit)
      void this.openOwn();
  }

  /** Never fails: the first who waits gets the failure. */
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

  /** If the server accepts no more connections, those who wait get the open ones. The server is asked again later. */
  private async refused(failure: DatabaseFailure): Promise<void> {
    if (this.own.size === 0 && this.opening <= 1 && !(await this.makeRoom()))
      this.waiting.shift()?.reject(failure);
    else this.refusedUntil = performance.now() + refusalPause;
  }

  /** Where the shared connections are all that the server grants, one of them makes room; false if there is none. */
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

  /** Never fails: a statement that finds no connection here runs on another one, and fails there. */
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

  /** A connection that is cut while it is made is made once more. Throws the driver's errors. */
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

  /** Ends what has waited too long, or runs too long; returns whether anything is under way. */
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

  /** Of several servers, what is under way on one that has failed keeps no room from connections to the others. */
  private leaveServers(): void {
    for (const connection of this.leased.keys()) if (!connection.isTrusted) this.own.delete(connection);
    for (const connection of this.shared)
      if (connection.isOpen && !connection.isTrusted) void connection.end(maxCloseTimeout);
  }

  /** Closes what has carried nothing for long, or is too old: of their own all but the minimum. */
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

/** A time in which all connections of a datasource are in use: how long one more who waits would have to wait, by what has been returned since its begin. */
class Rush {
  /** Undefined while there is a free connection. */
  private since: number | undefined;
  private returned = 0;
  /** The average milliseconds of a lease that was returned in this rush. */
  private mean = 0;

  /** All connections are in use now, or still are. Returns for how many milliseconds they have been. */
  lasts(now: number): number {
    this.since ??= now;
    return now - this.since;
  }

  /** A connection is free that nobody waits for. */
  ends(): void {
    this.since = undefined;
    this.returned = 0;
    this.mean = 0;
  }

  /** A connection was returned after so many milliseconds. */
  returns(milliseconds: number): void {
    if (this.since === undefined) return;
    this.returned = Math.min(this.returned + 1, rememberedLeases);
    this.mean += (milliseconds - this.mean) / this.returned;
  }

  /** The milliseconds until it is the turn of somebody behind so many others; 0 as long as nothing has been returned. */
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
  // Everything worth a log entry is thrown as a failure.
}
