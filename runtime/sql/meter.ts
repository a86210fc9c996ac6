/** Counts what arrives on a connection, so that no result fills the memory. */
import type { Socket } from 'node:net';
import { DatabaseFailure } from './failure.js';

/** What the result of one statement may be at most. */
export interface ResultLimits {
  readonly rows: number;
  /** As the server sends them. */
  readonly bytes: number;
}

/** ROW_LIMIT and RESULT_LIMIT where they are not set. */
export const defaultLimits: ResultLimits = { rows: 100_000, bytes: 64 * 1024 * 1024 };

export class Meter {
  private bytes = 0;
  private report: ((failure: DatabaseFailure) => void) | undefined;

  /** `rows`: how many rows of the result have arrived. */
  constructor(
    private readonly socket: Socket,
    private readonly limits: ResultLimits,
    private readonly rows: () => number,
  ) {
    // Those who read the rows were there before, so the rows of the chunk are counted.
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      const excess = this.report && this.excess();
      if (excess !== undefined) this.stop(excess);
    });
  }

  /**
   * A new result begins. `report` is called once, as soon as it is too large; then nothing more is read from the connection, which
   * is to be cut.
   */
  watch(report: (failure: DatabaseFailure) => void): void {
    this.bytes = 0;
    this.report = report;
  }

  private stop(excess: string): void {
    const { report } = this;
    this.report = undefined;
    this.socket.pause();
    report?.(new DatabaseFailure({ kind: 'unexpected', unanswered: true, reason: excess }));
  }

  private excess(): string | undefined {
    if (this.bytes > this.limits.bytes)
      return `the result is larger than RESULT_LIMIT (${this.limits.bytes} bytes)`;
    return this.rows() > this.limits.rows
      ? `the result has more rows than ROW_LIMIT (${this.limits.rows})`
      : undefined;
  }
}
