/** The time that a call of a third-party API may take, with all its redirects and repetitions. */

/** Longer timers would end immediately. */
const longestTimer = 2 ** 31 - 1;

/** Less work than an AbortSignal, which Node binds to the request, its socket and its response. */
export class TimeLimit {
  isOver = false;
  private readonly timer: NodeJS.Timeout;
  private end: (() => void) | undefined;

  /** The time begins now. Call `clear` when the call has ended. */
  constructor(milliseconds: number) {
    this.timer = setTimeout(
      () => {
        this.isOver = true;
        this.end?.();
      },
      Math.max(0, Math.min(milliseconds, longestTimer)),
    );
  }

  /**
   * Registers the function that ends the current request, in place of that of the request before. It is called immediately if the time is
   * over.
   */
  onEnd(end: () => void): void {
    this.end = end;
    if (this.isOver) end();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.end = undefined;
  }
}
