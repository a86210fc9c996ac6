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
class Count {
  requests = 0;
  readonly inTime: Links = { previous: undefined, next: undefined };
  readonly inLevel: Links = { previous: undefined, next: undefined };

  constructor(
    readonly key: string,
    readonly end: number,
  ) {}
}

/** The neighbours of a count in a queue. */
interface Links {
  previous: Count | undefined;
  next: Count | undefined;
}

/** Counts in the order in which they were added. A Map has this order, too, but its first entry is slow to find after many deletions. */
class Queue {
  first: Count | undefined;
  private last: Count | undefined;

  constructor(private readonly links: 'inTime' | 'inLevel') {}

  add(count: Count): void {
    const own = count[this.links];
    own.previous = this.last;
    own.next = undefined;
    if (this.last === undefined) this.first = count;
    else this.last[this.links].next = count;
    this.last = count;
  }

  delete(count: Count): void {
    const { previous, next } = count[this.links];
    if (previous === undefined) this.first = next;
    else previous[this.links].next = next;
    if (next === undefined) this.last = previous;
    else next[this.links].previous = previous;
  }
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

/** Makes `forgetCounts` reset these counts, as long as they are used. */
export function register(counts: Forgetful): void {
  all.add(new WeakRef(counts));
}

/** Forgets all counts in this process. */
export function forgetCounts(): void {
  for (const reference of all) reference.deref()?.forget();
}

export class Counters implements Forgetful {
  private readonly counts = new Map<string, Count>();
  /** In the order of their ends, because all windows have the same length. */
  private windows = new Queue('inTime');
  /** The counts by their number of requests, each in the order in which they reached it. */
  private readonly levels = new Map<number, Queue>();

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
      count = new Count(key, now + this.milliseconds);
      this.counts.set(key, count);
      this.windows.add(count);
    } else if (count.requests >= this.times) return { timeLeft: count.end - now };
    this.move(count, count.requests + 1);
    return this.counted(count);
  }

  forget(): void {
    this.counts.clear();
    this.levels.clear();
    this.windows = new Queue('inTime');
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
    const oldest = this.levels.get(lowest)?.first;
    if (oldest === undefined || lowest >= this.times)
      return { timeLeft: (this.windows.first?.end ?? now) - now };
    this.remove(oldest);
    return undefined;
  }

  private removeEnded(now: number): void {
    for (let removed = 0; removed < removedAtOnce; removed += 1) {
      const { first } = this.windows;
      if (first === undefined || first.end > now) return;
      this.remove(first);
    }
  }

  private move(count: Count, requests: number): void {
    this.leave(count);
    count.requests = requests;
    let level = this.levels.get(requests);
    if (level === undefined) {
      level = new Queue('inLevel');
      this.levels.set(requests, level);
    }
    level.add(count);
  }

  private leave(count: Count): void {
    // A new count is in no level.
    const level = this.levels.get(count.requests);
    if (level === undefined) return;
    level.delete(count);
    if (level.first === undefined) this.levels.delete(count.requests);
  }

  private remove(count: Count): void {
    this.leave(count);
    this.windows.delete(count);
    this.counts.delete(count.key);
  }
}
