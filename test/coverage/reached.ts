/** For each own source file: which of its positions were run. */

/** By file; a position is there when the code that is made of it was loaded, and is 1 when it ran. */
type Places = Readonly<Record<string, Readonly<Record<string, 0 | 1>>>>;

export class Reached {
  readonly #files = new Map<string, Map<number, boolean>>();

  add(path: string, position: number, isReached: boolean): void {
    let positions = this.#files.get(path);
    if (positions === undefined) this.#files.set(path, (positions = new Map()));
    positions.set(position, isReached || positions.get(position) === true);
  }

  addJson(text: string): void {
    for (const [path, places] of Object.entries(JSON.parse(text) as Places))
      for (const [position, isReached] of Object.entries(places))
        this.add(path, Number(position), isReached === 1);
  }

  toJson(): string {
    const files = [...this.#files].map(([path, positions]) => {
      const places = [...positions].map(([position, isReached]) => [position, isReached ? 1 : 0]);
      return [path, Object.fromEntries(places)];
    });
    return JSON.stringify(Object.fromEntries(files));
  }

  /** Whether something ran from one position to before the other; undefined where nothing is known of it. */
  between(path: string, start: number, end: number): boolean | undefined {
    let isKnown = false;
    for (const [position, isReached] of this.#files.get(path) ?? []) {
      if (position < start || position >= end) continue;
      if (isReached) return true;
      isKnown = true;
    }
    return isKnown ? false : undefined;
  }
}
