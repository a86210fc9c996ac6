/** Waits for the ticks of a trigger, and handles changes of the system clock. */
import type { CronRule } from './cron.js';

/** The receiver of ticks. */
export interface TickListener {
  /** `tick` is the scheduled time, not the current time. */
  tick(tick: Date): void;
  /** Ticks from `first` on were missed, because the process was blocked or the clock was changed. They are not run later. */
  missed(first: Date): void;
}

/** Milliseconds after which a late tick counts as missed. */
const longestDelay = 60_000;

/** Milliseconds within which a clock change is noticed. */
const longestWait = 30_000;

export class TickTimer {
  private timer: NodeJS.Timeout | undefined;
  /** The last reported tick, in milliseconds since 1970. */
  private last = -Infinity;

  constructor(
    private readonly rule: CronRule,
    private readonly listener: TickListener,
  ) {}

  /** Starts the timer: each tick after now is reported once. */
  start(): void {
    this.waitAfter(Date.now());
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private waitAfter(time: number): void {
    const next = this.rule.next(new Date(time));
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
      // The tick is not due. If the clock was set back, there may be earlier ticks.
      this.waitAfter(this.last - now > longestDelay ? now : Math.max(now, this.last));
    } else if (delay > longestDelay) {
      this.listener.missed(tick);
      // Include a tick of the current millisecond.
      this.waitAfter(now - 1);
    } else {
      this.last = tick.getTime();
      this.waitAfter(this.last);
      this.listener.tick(tick);
    }
  }
}
