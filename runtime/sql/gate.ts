/** Lets a limited number of statements through at a time, and a limited number wait. */
import { DatabaseFailure } from './failure.js';

interface Waiter {
  readonly enter: () => void;
  readonly timer: NodeJS.Timeout;
}

/** A queue that is served in order of arrival; nobody waits in it beyond a deadline. */
export class Gate {
  private inside = 0;
  private limit: number;
  private widening: NodeJS.Timeout | undefined;
  private waiters: Waiter[] = [];
  private readonly idleListeners: (() => void)[] = [];

  /** `places` may be inside at a time, `queue` may wait; whoever comes then is sent away at once. */
  constructor(
    private readonly places: number,
    private readonly queue: number,
  ) {
    this.limit = places;
  }

  /** How many are inside, how many wait, and how many may be inside at the moment. */
  get counts(): { readonly inside: number; readonly waiting: number; readonly limit: number } {
    return { inside: this.inside, waiting: this.waiters.length, limit: this.limit };
  }

  /**
   * Waits for a place until the deadline (milliseconds of `performance.now()`), before all others with `first`. Throws a
   * DatabaseFailure without one.
   */
  async enter(deadline: number, first = false): Promise<void> {
    if (this.inside < this.limit && (first || this.waiters.length === 0)) {
      this.inside += 1;
      return;
    }
    if (!first && this.waiters.length >= this.queue)
      throw busy('all connections are in use, and too many calls wait');
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.waiters = this.waiters.filter((other) => other !== waiter);
          reject(busy('all connections are in use'));
        },
        Math.max(0, deadline - performance.now()),
      );
      const waiter: Waiter = { enter: resolve, timer };
      if (first) this.waiters.unshift(waiter);
      else this.waiters.push(waiter);
    });
  }

  /** Gives the place to the one who has waited longest. */
  leave(): void {
    this.inside -= 1;
    this.admit();
    if (this.inside === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  /** Lets only so many be inside, at least one, for so many milliseconds. Those who are inside may stay. */
  narrow(limit: number, milliseconds: number): void {
    this.limit = Math.min(this.places, Math.max(1, limit));
    clearTimeout(this.widening);
    this.widening = setTimeout(() => {
      this.limit = this.places;
      this.admit();
    }, milliseconds).unref();
  }

  /** Resolves as soon as nobody is inside. */
  async idle(): Promise<void> {
    if (this.inside === 0) return;
    await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  private admit(): void {
    while (this.inside < this.limit) {
      const next = this.waiters.shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      this.inside += 1;
      next.enter();
    }
  }
}

function busy(reason: string): DatabaseFailure {
  return new DatabaseFailure({ kind: 'busy', reason });
}
