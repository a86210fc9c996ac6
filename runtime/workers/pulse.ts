/** Whether the event loops of the workers turn: one that is stuck answers nothing, and does not end by itself. */
import type { Worker } from 'node:cluster';

/** Milliseconds between two looks. */
const interval = 1000;
/** Milliseconds after which a worker that gave no sign counts as stuck. */
const stuckAfter = 5_000;
/** Milliseconds after which it is replaced. */
const replacedAfter = 10_000;

export class Pulse {
  /** When each worker last gave a sign, in milliseconds of `performance.now()`. */
  private readonly signs = new Map<Worker, number>();
  private readonly timer: NodeJS.Timeout;
  private lastLook = performance.now();

  /** `onStuck` is called with each worker that must be replaced, once, and the seconds for which it gave no sign. */
  constructor(private readonly onStuck: (worker: Worker, seconds: number) => void) {
    this.timer = setInterval(() => {
      this.look();
    }, interval);
    this.timer.unref();
  }

  /** To be called with every sign of life. */
  beat(worker: Worker): void {
    this.signs.set(worker, performance.now());
  }

  /** To be called with every worker that ended. */
  end(worker: Worker): void {
    this.signs.delete(worker);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** How many of the workers turn, and how many do not. */
  get counts(): { readonly turning: number; readonly stuck: number } {
    const now = performance.now();
    const stuck = [...this.signs.values()].filter((sign) => now - sign > stuckAfter).length;
    return { turning: this.signs.size - stuck, stuck };
  }

  private look(): void {
    const now = performance.now();
    // Where this process stood still itself, it has heard of nobody meanwhile.
    const pause = Math.max(0, now - this.lastLook - 2 * interval);
    this.lastLook = now;
    for (const [worker, sign] of this.signs) {
      const silence = now - sign - pause;
      if (pause > 0) this.signs.set(worker, sign + pause);
      if (silence < replacedAfter) continue;
      this.signs.delete(worker);
      this.onStuck(worker, Math.round(silence / 1000));
    }
  }
}
