/** The shared connections of a datasource: opened if there are quick reads, closed if there are none. */
import type { Row } from '../handler/json.js';
import type { ConnectionCounts } from '../server/contracts.js';
import { settledBefore } from './deadline.js';
import type { StatementDriver, Query, SharedConnection, ReadPipelines } from './driver.js';
import { Meter, type ResultLimits, type LatencyEstimate } from './meter.js';
import { Pipe, Stopwatch } from './pipe.js';

/** While this many statements are under way on every connection, one more is opened. */
const busy = 8;

/** Milliseconds after which a connection that carries nothing is closed. */
const idleTimeout = 30_000;

/** A server that was replaced behind its name is found after this many milliseconds at the latest. */
const maxLifetime = 30 * 60_000;

const reaperInterval = 5_000;

/** Milliseconds until connecting is tried again after it failed: at first and at most. */
const firstBackOff = 500;
const longestBackOff = 16_000;

/** How long a statement waits for the first connection, before it gets one of its own. */
const firstConnection = 1_000;

/** Maximum milliseconds to close a connection for a new one. */
const freeingTime = 1_000;

/** Maximum milliseconds of a clean close. */
const closeTimeout = 250;

/** The same if statements are still in flight. */
const maxCloseTimeout = 60_000;

export class Pipelines<Connection extends object> implements ReadPipelines {
  /** Milliseconds of the way to the server and back, as far as it is known. */
  private roundTrip: number | undefined;
  private readonly pipes = new Map<Pipe<Connection>, Connection>();
  /** Settles when the connection that is being made has been made, or could not be made; undefined while none is. */
  private connecting: Promise<void> | undefined;
  /** The statement that waits for the first connection; others do not wait with it. */
  private waiting: Promise<unknown> | undefined;
  private backOff = 0;
  private retryAt = 0;
  private closed = false;
  private reaper: NodeJS.Timeout | undefined;
  private readonly stopwatch = new Stopwatch(() => this.watch());

  constructor(
    private readonly driver: StatementDriver<Connection>,
    /** The maximum milliseconds of a statement. */
    private readonly timeout: number,
    private readonly limits: ResultLimits,
  ) {}

  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> | undefined {
    const pipe = this.find();
    return pipe && this.sendOn(pipe, query, deadline, latency);
  }

  sendAlone(
    query: Query,
    deadline: number,
    latency: LatencyEstimate,
    proceed: () => void,
  ): Promise<Row[] | undefined> | undefined {
    const sendOn = (pipe: Pipe<Connection> | undefined) =>
      pipe && this.sendOn(pipe, query, deadline, latency, proceed);
    const pipe = this.idlePipe();
    if (pipe !== undefined || this.pipes.size > 0 || this.waiting) return sendOn(pipe);
    this.grow();
    if (this.connecting === undefined) return undefined;
    const until = Math.min(deadline, performance.now() + firstConnection);
    const sent = settledBefore(this.connecting, until).then(() => {
      this.waiting = undefined;
      proceed();
      return sendOn(this.idlePipe());
    });
    this.waiting = sent.catch(() => undefined);
    return sent;
  }

  pinnedConnection(): SharedConnection | undefined {
    const pipe = this.find();
    if (pipe === undefined) return undefined;
    return {
      reads: this,
      send: (query, deadline, latency) =>
        pipe.isOpen ? this.sendOn(pipe, query, deadline, latency) : undefined,
    };
  }

  /** Does work that runs on a connection of its own, so that its pace is known. */
  async timed<Result>(latency: LatencyEstimate, work: () => Promise<Result>): Promise<Result> {
    if (this.roundTrip === undefined) this.grow();
    const since = this.stopwatch.now();
    const result = await work();
    if (this.roundTrip !== undefined) latency.took(this.stopwatch.now() - since - this.roundTrip);
    return result;
  }

  get counts(): ConnectionCounts {
    const used = [...this.pipes.keys()].filter((pipe) => pipe.length > 0).length;
    return { used, free: this.pipes.size - used, waiting: 0 };
  }

  /** Accepts no more statements, waits for those in flight until the deadline, and closes all. */
  async close(deadline: number): Promise<void> {
    if (this.waiting) await settledBefore(this.waiting, deadline);
    this.closed = true;
    clearInterval(this.reaper);
    const ends = [...this.pipes].map(([pipe, connection]) => this.end(pipe, connection));
    await settledBefore(Promise.all(ends), Math.max(deadline, performance.now() + closeTimeout));
    await Promise.all([...this.pipes.keys()].map((pipe) => pipe.cancel()));
  }

  /** Ends one connection, for a server that accepts no more, and opens none for a while; false if there is none. */
  async freeConnection(): Promise<boolean> {
    const [first] = this.pipes;
    this.retryAt = performance.now() + longestBackOff;
    if (first === undefined) return false;
    await settledBefore(this.end(...first), performance.now() + freeingTime);
    return true;
  }

  /** When the server last responded on one of them, in milliseconds of `performance.now()`. */
  get respondedAt(): number {
    return Math.max(...[...this.pipes.keys()].map((pipe) => pipe.respondedAt));
  }

  private sendOn(
    pipe: Pipe<Connection>,
    query: Query,
    deadline: number,
    latency: LatencyEstimate,
    proceed?: () => void,
  ): Promise<Row[]> {
    return pipe.send(query, Math.min(deadline, performance.now() + this.timeout), latency, proceed);
  }

  /** A connection that accepts a statement now. If there is none, one may be connecting. */
  private find(): Pipe<Connection> | undefined {
    let best: Pipe<Connection> | undefined;
    for (const pipe of this.pipes.keys()) {
      if (pipe.isOpen && (best === undefined || pipe.length < best.length)) best = pipe;
    }
    if (best === undefined || best.length >= busy) this.grow();
    return best;
  }

  private idlePipe(): Pipe<Connection> | undefined {
    for (const pipe of this.pipes.keys()) if (pipe.isOpen && pipe.length === 0) return pipe;
    return undefined;
  }

  private watch(): boolean {
    let isUnderWay = false;
    for (const pipe of this.pipes.keys()) isUnderWay = pipe.watch() || isUnderWay;
    return isUnderWay;
  }

  private grow(): void {
    if (this.connecting !== undefined || this.closed || performance.now() < this.retryAt) return;
    if (this.pipes.size >= this.driver.shared.count) return;
    this.connecting = this.connect().finally(() => {
      this.connecting = undefined;
    });
  }

  /** Never fails: a statement that finds no connection here runs on another one, and fails there. */
  private async connect(): Promise<void> {
    let pipe: Pipe<Connection> | undefined;
    const state = { isLost: false };
    const lost = () => {
      state.isLost = true;
      if (pipe === undefined) return;
      pipe.lost();
      this.pipes.delete(pipe);
    };
    try {
      const connection = await this.driver.shared.connect(lost);
      const roundTrip = await this.measure(connection);
      const rows = () => this.driver.rowsOf(connection);
      const meter = new Meter(this.driver.socketOf(connection), this.limits, rows);
      pipe = new Pipe(this.driver, connection, { stopwatch: this.stopwatch, roundTrip, meter });
      this.backOff = 0;
      if (this.closed) pipe.cut();
      else if (!state.isLost) this.pipes.set(pipe, connection);
      this.reaper ??= setInterval(() => {
        this.takeCare();
      }, reaperInterval).unref();
    } catch {
      this.backOff = Math.min(Math.max(this.backOff * 2, firstBackOff), longestBackOff);
      this.retryAt = performance.now() + this.backOff;
    }
  }

  /** The milliseconds of the way to the server and back: the shortest of a few tries, that also wait for this process. */
  private async measure(connection: Connection): Promise<number> {
    let shortest = Infinity;
    for (let tries = 0; tries < 3; tries += 1) {
      const since = performance.now();
      await this.driver.shared.ping(connection);
      shortest = Math.min(shortest, performance.now() - since);
    }
    this.roundTrip = Math.min(shortest, this.roundTrip ?? Infinity);
    return shortest;
  }

  private takeCare(): void {
    const now = performance.now();
    for (const [pipe, connection] of this.pipes) {
      const isIdle = pipe.length === 0 && now - pipe.used > idleTimeout;
      if (!pipe.retired && (isIdle || now - pipe.born > maxLifetime)) void this.end(pipe, connection);
    }
  }

  /** Statements in flight finish first. */
  private async end(pipe: Pipe<Connection>, connection: Connection): Promise<void> {
    pipe.retired = true;
    const ended = pipe.idle().then(() => this.driver.end(connection));
    await settledBefore(ended, performance.now() + maxCloseTimeout);
    pipe.cut();
  }
}
