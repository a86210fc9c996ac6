/** How often each counted point was reached, across all services of a run. */
export class CoverCounts {
  readonly #counts = new Map<number, number>();

  add(counts: Readonly<Record<number, number>>): void {
    for (const [id, count] of Object.entries(counts))
      this.#counts.set(Number(id), this.of(Number(id)) + count);
  }

  /** Adds the counts of another run. */
  addAll(other: CoverCounts): void {
    this.add(Object.fromEntries(other.#counts));
  }

  of(id: number): number {
    return this.#counts.get(id) ?? 0;
  }
}
