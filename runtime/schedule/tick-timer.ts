/** Waits for the ticks of one trigger, also when the system clock changes. */
import type { CronRule } from './cron.js';

/** Who is told of the ticks. */
export interface TickListener {
  /** `tick` is the time that the schedule says, not the time that it is. */
  tick(tick: Date): void;
  /** From this tick on some were missed: the process stood still, or the clock was moved. They are not made up. */
  missed(first: Date): void;
}

/** Milliseconds; a tick that is noticed later than this is missed. */
const longestDelay = 60_000;

/** Milliseconds; a clock that was moved is noticed by then. */
const longestWait = 30_000;

export class TickTimer {
  private timer: NodeJS.Timeout | undefined;
  /** The last tick that was told of, in milliseconds since 1970. */
  private last = -Infinity;

  constructor(
    private readonly rule: CronRule,
    private readonly listener: TickListener,
  ) {}

  /** Ticks after now are told of, each one once. */
  start(): void {
    this.waitAfter(Date.now());
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private waitAfter(moment: number): void {
    const next = this.rule.next(new Date(moment));
    if (next !== undefined) this.wait(next);
  }

  private wait(tick: Date): void {
    const milliseconds = Math.min(longestWait, Math.max(0, tick.getTime() - Date.now()));
    this.timer = setTimeout(() => {
      this.wake(tick);
    }, milliseconds);
  }

  private wake(tick: Date): void {
    const now = Date.now();
    const delay = now - tick.getTime();
    if (delay < 0) {
      // Not yet; and should the clock have been set back, other ticks come before this one.
      this.waitAfter(this.last - now > longestDelay ? now : Math.max(now, this.last));
    } else if (delay > longestDelay) {
      this.listener.missed(tick);
      // The tick of this very millisecond is not among them.
      this.waitAfter(now - 1);
    } else {
      this.last = tick.getTime();
      this.waitAfter(this.last);
      this.listener.tick(tick);
    }
  }
}
