/**
 * The timer of a datasource, which watches everything in flight and measures the time in which this process was blocked; and waits with a
 * deadline.
 */
import { DatabaseFailure } from './failure.js';

/** Milliseconds between two looks. */
const interval = 5;

export class Clock {
  /** Milliseconds of a round trip to the server, if known. */
  roundTrip: number | undefined;
  private lastLook = 0;
  /** Milliseconds in which this process was blocked, since it began to watch. */
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `watch` is called at every look as long as it returns true, first when `start` was called. */
  constructor(private readonly watch: (now: number) => boolean) {}

  /** Begins to look, unless it does so already. */
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

  /** The time of this clock for a value of `performance.now()` just before now. */
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
 * The result of the work. At the deadline (milliseconds of `performance.now()`), a DatabaseFailure from `expired`, which may also close the
 * connection of the work. A later outcome of the work is ignored.
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

/** Resolves when the work has ended with any outcome, or at the deadline. */
export async function settledBefore(work: Promise<unknown>, deadline: number): Promise<void> {
  const expired = () => new DatabaseFailure({ kind: 'timeout' });
  await beforeDeadline(work, deadline, expired).catch(() => undefined);
}
