/** Ranges of a text, sorted for fast lookup. */

/** Ranges in order of their start. */
export class Stretches {
  readonly #starts: number[] = [];
  /** For each range, the maximum end of all ranges up to and including it. */
  readonly #farthest: number[] = [];

  add(start: number, end: number): void {
    const index = this.#indexBehind(start);
    this.#starts.splice(index, 0, start);
    this.#farthest.splice(index, 0, Math.max(end, this.#farthest[index - 1] ?? 0));
    for (let next = index + 1; (this.#farthest[next] ?? end) < end; next += 1) this.#farthest[next] = end;
  }

  /** Whether a range contains everything from `start` to `end`. */
  hold(start: number, end: number): boolean {
    return (this.#farthest[this.#indexBehind(start) - 1] ?? -1) >= end;
  }

  /** The number of ranges that begin at or before `start`. */
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
