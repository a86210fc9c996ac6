/**
 * Measures of statements: the size of results, so that they do not fill the memory, and the time of statements, which decides whether they
 * may share a connection.
 */
import type { Socket } from 'node:net';
import { shareOfCopies, uncounted } from '../handler/memory.js';
import { ServiceError } from '../handler/reply.js';
import { DatabaseFailure, type Failure } from './failure.js';

/** The maximum size of the result of one statement. */
export interface ResultLimits {
  readonly rows: number;
  /** As the server sends them. */
  readonly bytes: number;
}

/** The defaults of ROW_LIMIT and RESULT_LIMIT. */
export const defaultLimits: ResultLimits = { rows: 100_000, bytes: 64 * 1024 * 1024 };

/** The parts of a connection that are measured. */
interface Metered {
  readonly socket: Socket;
  readonly rows: number;
}

export class Meter {
  private bytes = 0;
  /** A row of the chunk has been passed on. */
  private hasPassed = false;
  private isStopped = false;
  private readonly memory = shareOfCopies();

  /**
   * `report` is called once, as soon as a result is too large or the process has no memory for it. After that the connection is not read
   * any more, and must be cut. `changes`: whether the arriving bytes may be the result of a change.
   */
  constructor(
    private readonly connection: Metered,
    private readonly limits: ResultLimits,
    private readonly changes: () => boolean,
    report: (failure: DatabaseFailure) => void,
  ) {
    const { socket } = connection;
    // Readers of rows were registered before, so the rows of the chunk are counted.
    socket.on('data', (chunk: Buffer) => {
      this.bytes = this.hasPassed ? 0 : this.bytes + chunk.length;
      this.hasPassed = false;
      const failure = this.isStopped ? undefined : (this.excess() ?? this.shortage());
      if (failure === undefined) return;
      this.isStopped = true;
      socket.pause();
      this.memory.release();
      report(new DatabaseFailure(failure));
    });
    socket.once('close', () => {
      this.memory.release();
    });
  }

  /** A new result begins. */
  restart(): void {
    this.bytes = 0;
    this.memory.release();
  }

  /** A row has been passed on, so only later bytes are held. */
  passed(): void {
    this.hasPassed = true;
  }

  private excess(): Failure | undefined {
    const { limits } = this;
    const reason =
      this.bytes > limits.bytes
        ? `the result is larger than RESULT_LIMIT (${limits.bytes} bytes)`
        : this.connection.rows > limits.rows
          ? `the result has more rows than ROW_LIMIT (${limits.rows})`
          : undefined;
    return reason === undefined ? undefined : { kind: 'unexpected', aftermath: 'unreported', reason };
  }

  private shortage(): Failure | undefined {
    if (this.bytes < uncounted) return undefined;
    try {
      this.memory.growTo(this.bytes, this.changes());
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'busy', aftermath: 'unreported', reason: String(error.details.log?.['reason']) };
    }
  }
}

/** The maximum average milliseconds of a statement on a shared connection, and the maximum average to return to one after it was slower. */
const trusted = 10;
const trustedAgain = 5;

/** A single run counts for this many milliseconds at most. */
const longest = 1_000;

/** Runs that have to be known before it is trusted, and runs after which an old one is mostly forgotten. */
const proof = 3;
const memory = 64;

export class LatencyEstimate {
  private runs = 0;
  /** Its average milliseconds; the latest runs count most. */
  mean = 0;
  private limit = trusted;

  /** Whether it has run too seldom to be trusted or not. */
  get isUnknown(): boolean {
    return this.runs < proof;
  }

  get isQuick(): boolean {
    return this.runs >= proof && this.mean <= this.limit;
  }

  /** Records the milliseconds of a run. */
  took(milliseconds: number): void {
    this.runs = Math.min(this.runs + 1, memory);
    this.mean += (Math.min(Math.max(milliseconds, 0), longest) - this.mean) / this.runs;
    if (this.mean > trusted) this.limit = trustedAgain;
    else if (this.mean <= trustedAgain) this.limit = trusted;
  }
}
