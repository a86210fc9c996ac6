/**
 * Counts requests by key in windows of time, in bounded memory and without timers. If there are too many keys, those with the lowest counts
 * are forgotten, so that many new keys cannot reset the count of a key that is nearly at its limit.
 */

/** A request that was counted. */
export interface Counted {
  /** Removes the request from the count, if its window has not ended. */
  giveBack(): void;
}

/** A request over the limit, which was not counted. */
export interface Exceeded {
  /** Milliseconds until a request can be counted. */
  readonly timeLeft: number;
}

/** The count of a key in its current window. */
interface Count {
  readonly key: string;
  readonly end: number;
  requests: number;
}

/** Maximum number of keys of a limit. */
const maxKeys = 100_000;

/** Maximum number of ended windows that one request removes: more than it can add. */
const removedAtOnce = 2;

/** The counts of all limits of this process, for tests that begin without counts. */
const all = new Set<WeakRef<Forgetful>>();

/** Counts that can be forgotten. */
export interface Forgetful {
  forget(): void;
}

/** Includes the counts in those that `forgetCounts` forgets, as long as they are used. */
export function register(counts: Forgetful): void {
  all.add(new WeakRef(counts));
}

/** Forgets all counts in this process. */
export function forgetCounts(): void {
  for (const reference of all) reference.deref()?.forget();
}

export class Counters implements Forgetful {
  /** In the order of their ends, because all windows have the same length. */
  private readonly counts = new Map<string, Count>();
  /** The counts by their number of requests, each in the order in which they reached it. */
  private readonly levels = new Map<number, Set<Count>>();

  /** At most `times` requests with the same key are counted in `milliseconds`. */
  constructor(
    private readonly times: number,
    private readonly milliseconds: number,
    private readonly capacity = maxKeys,
  ) {
    register(this);
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.counts.size;
  }

  /** Counts a request. `now` is a time in milliseconds that never goes back. */
  take(key: string, now = performance.now()): Counted | Exceeded {
    this.removeEnded(now);
    let count = this.counts.get(key);
    if (count !== undefined && count.end <= now) {
      this.remove(count);
      count = undefined;
    }
    if (count === undefined) {
      const full = this.makeRoom(now);
      if (full !== undefined) return full;
      count = { key, end: now + this.milliseconds, requests: 0 };
      this.counts.set(key, count);
    } else if (count.requests >= this.times) return { timeLeft: count.end - now };
    this.move(count, count.requests + 1);
    return this.counted(count);
  }

  forget(): void {
    this.counts.clear();
    this.levels.clear();
  }

  private counted(count: Count): Counted {
    return {
      giveBack: () => {
        if (this.counts.get(count.key) !== count) return;
        if (count.requests > 1) this.move(count, count.requests - 1);
        // A window begins with a counted request.
        else this.remove(count);
      },
    };
  }

  /** Returns an Exceeded if every key is at the limit. */
  private makeRoom(now: number): Exceeded | undefined {
    if (this.counts.size < this.capacity) return undefined;
    const lowest = Math.min(...this.levels.keys());
    const [oldest] = this.levels.get(lowest) ?? [];
    if (oldest === undefined || lowest >= this.times) {
      const [first] = this.counts.values();
      return { timeLeft: (first?.end ?? now) - now };
    }
    this.remove(oldest);
    return undefined;
  }

  private removeEnded(now: number): void {
    let removed = 0;
    for (const count of this.counts.values()) {
      if (count.end > now || removed === removedAtOnce) return;
      this.remove(count);
      removed += 1;
    }
  }

  private move(count: Count, requests: number): void {
    this.leave(count);
    count.requests = requests;
    const level = this.levels.get(requests);
    if (level === undefined) this.levels.set(requests, new Set([count]));
    else level.add(count);
  }

  private leave(count: Count): void {
    const level = this.levels.get(count.requests);
    level?.delete(count);
    if (level?.size === 0) this.levels.delete(count.requests);
  }

  private remove(count: Count): void {
    this.leave(count);
    this.counts.delete(count.key);
  }
}
