/** Lets a limited number of statements through at a time, and a limited number wait. */
import { DatabaseFailure } from './failure.js';

interface Waiter {
  readonly enter: () => void;
  readonly timer: NodeJS.Timeout;
}

/** A queue that is served in order of arrival; nobody waits in it beyond a deadline. */
export class Gate {
  private inside = 0;
  private readonly waiters = new Set<Waiter>();
  private readonly idleListeners: (() => void)[] = [];

  /** `places` may be inside at a time, `queue` may wait; whoever comes then is sent away at once. */
  constructor(
    private readonly places: number,
    private readonly queue: number,
  ) {}

  /** How many are inside, and how many wait. */
  get counts(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.inside, waiting: this.waiters.size };
  }

  /** Waits for a place until the deadline (milliseconds of `performance.now()`). Throws a DatabaseFailure without one. */
  async enter(deadline: number): Promise<void> {
    if (this.inside < this.places) {
      this.inside += 1;
      return;
    }
    if (this.waiters.size >= this.queue) throw busy('all connections are in use, and too many calls wait');
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.waiters.delete(waiter);
          reject(busy('all connections are in use'));
        },
        Math.max(0, deadline - performance.now()),
      );
      const waiter: Waiter = { enter: resolve, timer };
      this.waiters.add(waiter);
    });
  }

  /** Gives the place to the one who has waited longest. */
  leave(): void {
    const [next] = this.waiters;
    if (next !== undefined) {
      this.waiters.delete(next);
      clearTimeout(next.timer);
      next.enter();
      return;
    }
    this.inside -= 1;
    if (this.inside === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  /** Resolves as soon as nobody is inside. */
  async idle(): Promise<void> {
    if (this.inside === 0) return;
    await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }
}

function busy(reason: string): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unavailable', reason });
}
