/** Shows the current stage of a command on one line that appears after a second and is removed at the end. */

/** Writes text to the terminal. */
export type Draw = (text: string) => void;

/** Milliseconds before the line appears, and between redraws. */
const delay = 1000;
const interval = 250;

/** Moves to the beginning of the line and erases it. */
const erased = '\r\u001b[2K';

export class Progress {
  #stage: string | undefined;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor(
    private readonly draw: Draw,
    /** Maximum number of characters per line. */
    private readonly width: () => number,
  ) {}

  /** Sets the current stage; undefined removes the line. */
  stage(text: string | undefined): void {
    if (text === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.erase();
    } else if (this.#timer === undefined) {
      this.#since = performance.now();
      this.#timer = setInterval(() => {
        this.#show();
      }, interval);
      // The timer must not keep the process alive.
      this.#timer.unref();
    }
    this.#stage = text;
  }

  /** Call before writing any other output. */
  erase(): void {
    if (this.#isDrawn) this.draw(erased);
    this.#isDrawn = false;
  }

  #show(): void {
    const time = performance.now() - this.#since;
    if (this.#stage === undefined || time < delay) return;
    const line = `${this.#stage} (${Math.floor(time / 1000)} s)`;
    this.draw(erased + line.slice(0, Math.max(10, this.width() - 1)));
    this.#isDrawn = true;
  }
}
