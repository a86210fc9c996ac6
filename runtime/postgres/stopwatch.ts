/** Tells how long statements take, without the time in which this process was busy and could not look. */

/** Milliseconds between two looks at the clock. */
const interval = 5;

export class Stopwatch {
  private lastLook = 0;
  /** Milliseconds in which nobody could look, since the process began to watch. */
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `watch` is called at every look as long as it gives true, at first when `start` was called. */
  constructor(private readonly watch: () => boolean) {}

  /** Begins to look at the clock, unless it does so already. */
  start(): void {
    if (this.timer !== undefined) return;
    this.lastLook = performance.now();
    this.timer = setInterval(() => {
      this.look();
    }, interval);
  }

  /** The moment, in milliseconds that this process was there to see; only differences mean something. */
  now(): number {
    const now = performance.now();
    const unseen = this.timer === undefined ? 0 : Math.max(0, now - this.lastLook - interval);
    return now - this.missed - unseen;
  }

  private look(): void {
    const now = performance.now();
    this.missed += Math.max(0, now - this.lastLook - interval);
    this.lastLook = now;
    if (this.watch()) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
