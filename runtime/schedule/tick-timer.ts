/** Waits for the ticks of one trigger, also when the system clock changes. */
import type { CronRule } from './cron.js';

/** The receiver of ticks. */
export interface TickListener {
  /** `tick` is the scheduled time, not the current time. */
  tick(tick: Date): void;
  /** Ticks from this one on were missed: the process was blocked, or the clock was changed. They are not run later. */
  missed(first: Date): void;
}

/** Milliseconds. A tick that is noticed later than this is missed. */
const longestDelay = 60_000;

/** Milliseconds within which a change of the clock is noticed. */
const longestWait = 30_000;

export class TickTimer {
  private timer: NodeJS.Timeout | undefined;
  /** The last tick that was reported, in milliseconds since 1970. */
  private last = -Infinity;

  constructor(
    private readonly rule: CronRule,
    private readonly listener: TickListener,
  ) {}

  /** Starts: each tick after now is reported once. */
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
      // Not yet. If the clock was set back, there may be earlier ticks.
      this.waitAfter(this.last - now > longestDelay ? now : Math.max(now, this.last));
    } else if (delay > longestDelay) {
      this.listener.missed(tick);
      // The tick of this millisecond is not included.
      this.waitAfter(now - 1);
    } else {
      this.last = tick.getTime();
      this.waitAfter(this.last);
      this.listener.tick(tick);
    }
  }
}
