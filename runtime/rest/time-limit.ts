/** The time limit for a third-party call, including redirects and retries. */

/** Longer timers would fire immediately. */
const longestTimer = 2 ** 31 - 1;

/** A lightweight AbortSignal: Node binds an AbortSignal to the request, its socket and its response. */
export class TimeLimit {
  isOver = false;
  private readonly timer: NodeJS.Timeout;
  private end: (() => void) | undefined;

  /** Starts the timer. Call `clear` when the call has ended. */
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
   * Registers the function that ends the current request, replacing that of the previous request. Called immediately if the time limit
   * has passed.
   */
  onEnd(end: () => void): void {
    this.end = end;
    if (this.isOver) end();
  }

  /** Ends the current request before its time. */
  readonly cancel = (): void => {
    this.isOver = true;
    this.end?.();
  };

  clear(): void {
    clearTimeout(this.timer);
    this.end = undefined;
  }
}
