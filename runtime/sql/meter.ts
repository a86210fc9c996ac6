/**
 * Measurements of statements: the size of results, which limits memory, and the duration of statements, which determines whether they
 * may share a connection.
 */
import type { Socket } from 'node:net';
import { shareOfCopies, uncounted } from '../handler/memory.js';
import { ServiceError } from '../handler/reply.js';
import { DatabaseFailure, type Failure } from './failure.js';

/** The maximum result size of a statement. */
export interface ResultLimits {
  readonly rows: number;
  /** Bytes in the format of the server. */
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
  /** Whether a row of the current chunk has been passed on. */
  private hasPassed = false;
  private isStopped = false;
  private readonly memory = shareOfCopies();

  /**
   * `report` is called once, when a result is too large or the process does not have enough memory. Afterwards, the connection is no
   * longer read, and must be cut. `changes` returns whether the arriving bytes may be the result of a change.
   */
  constructor(
    private readonly connection: Metered,
    private readonly limits: ResultLimits,
    private readonly changes: () => boolean,
    report: (failure: DatabaseFailure) => void,
  ) {
    const { socket } = connection;
    // Other listeners were registered earlier, so they have already counted the rows of the chunk.
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

  /** Starts measuring a new result. */
  restart(): void {
    this.bytes = 0;
    this.memory.release();
  }

  /** Records that a row was passed on, so that only later bytes are held. */
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

/**
 * Maximum average milliseconds of a statement on a shared connection, and the maximum average for returning to a shared connection
 * after being slower.
 */
const trusted = 10;
const trustedAgain = 5;

/** The maximum milliseconds that a single run counts for. */
const longest = 1_000;

/** Number of runs before a statement is trusted, and number of recent runs that dominate the average. */
const proof = 3;
const memory = 64;

export class LatencyEstimate {
  private runs = 0;
  /** Average milliseconds, dominated by recent runs. */
  mean = 0;
  private limit = trusted;

  /** Whether there are too few runs to judge the statement. */
  get isUnknown(): boolean {
    return this.runs < proof;
  }

  get isQuick(): boolean {
    return this.runs >= proof && this.mean <= this.limit;
  }

  /** Records the duration of a run in milliseconds. */
  took(milliseconds: number): void {
    this.runs = Math.min(this.runs + 1, memory);
    this.mean += (Math.min(Math.max(milliseconds, 0), longest) - this.mean) / this.runs;
    if (this.mean > trusted) this.limit = trustedAgain;
    else if (this.mean <= trustedAgain) this.limit = trusted;
  }
}
