/** Ranges of a text that are looked for again and again. */

/** In the order of their starts. */
export class Stretches {
  readonly #starts: number[] = [];
  /** For each the farthest end of it and of all before it. */
  readonly #farthest: number[] = [];

  add(start: number, end: number): void {
    const index = this.#indexBehind(start);
    this.#starts.splice(index, 0, start);
    this.#farthest.splice(index, 0, Math.max(end, this.#farthest[index - 1] ?? 0));
    for (let next = index + 1; (this.#farthest[next] ?? end) < end; next += 1) this.#farthest[next] = end;
  }

  /** Whether one of them holds all from `start` to `end`. */
  hold(start: number, end: number): boolean {
    return (this.#farthest[this.#indexBehind(start) - 1] ?? -1) >= end;
  }

  /** The number of those that begin at `start` or before. */
  #indexBehind(start: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
