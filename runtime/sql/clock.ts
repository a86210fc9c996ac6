/**
 * The timer of a datasource, which monitors statements in flight and measures how long this process was blocked; and helpers that wait
 * with a deadline.
 */
import { DatabaseFailure } from './failure.js';

/** Milliseconds between two checks. */
const interval = 5;

export class Clock {
  /** The round-trip time to the server in milliseconds, if known. */
  roundTrip: number | undefined;
  private lastLook = 0;
  /** Total milliseconds in which this process was blocked while the timer was running. */
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `watch` is called at every check, and returns whether to continue. */
  constructor(private readonly watch: (now: number) => boolean) {}

  /** Starts the checks, unless they are running. */
  start(): void {
    if (this.timer !== undefined) return;
    this.lastLook = performance.now();
    this.timer = setInterval(() => {
      this.look();
    }, interval);
  }

  /** A time in milliseconds that excludes periods in which this process was blocked. Only differences are meaningful. */
  now(): number {
    return this.at(performance.now());
  }

  /** Converts a recent value of `performance.now()` to the time of this clock. */
  at(now: number): number {
    const unseen = this.timer === undefined ? 0 : Math.max(0, now - this.lastLook - interval);
    return now - this.missed - unseen;
  }

  private look(): void {
    const now = performance.now();
    this.missed += Math.max(0, now - this.lastLook - interval);
    this.lastLook = now;
    if (this.watch(now)) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/**
 * Returns the result of the work. At the deadline, in milliseconds of `performance.now()`, throws the DatabaseFailure returned by
 * `expired`, which may also close the connection. Later outcomes of the work are ignored.
 */
export async function beforeDeadline<Result>(
  work: Promise<Result>,
  deadline: number,
  expired: () => DatabaseFailure,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const end = (): void => {
      reject(expired());
    };
    timer = setTimeout(end, Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the work has ended, successfully or not, or at the deadline. */
export async function settledBefore(work: Promise<unknown>, deadline: number): Promise<void> {
  const expired = () => new DatabaseFailure({ kind: 'timeout' });
  await beforeDeadline(work, deadline, expired).catch(() => undefined);
}
