/** The one timer of a datasource: it looks after everything that is under way, and knows the time in which this process was blocked. */

/** Milliseconds between two looks. */
const interval = 5;

export class Clock {
  /** Milliseconds of the way to the server and back, as far as it is known. */
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

  /** A time in milliseconds without those in which this process was blocked. Only differences are meaningful. */
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
