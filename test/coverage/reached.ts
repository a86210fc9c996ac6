/** For each source file of the repository: the executed positions. */

/** By file: each position whose code was loaded, with 1 if it was executed. */
type Places = Readonly<Record<string, Readonly<Record<string, 0 | 1>>>>;

export class Reached {
  readonly #files = new Map<string, Map<number, boolean>>();

  add(path: string, position: number, isReached: boolean): void {
    const positions = this.#files.get(path) ?? new Map<number, boolean>();
    this.#files.set(path, positions);
    positions.set(position, isReached || positions.get(position) === true);
  }

  addJson(text: string): void {
    for (const [path, places] of Object.entries(JSON.parse(text) as Places))
      for (const [position, isReached] of Object.entries(places))
        this.add(path, Number(position), isReached === 1);
  }

  toJson(): string {
    const places: Record<string, Record<string, 0 | 1>> = {};
    for (const [path, positions] of this.#files) {
      const ofFile: Record<string, 0 | 1> = {};
      for (const [position, isReached] of positions) ofFile[position] = isReached ? 1 : 0;
      places[path] = ofFile;
    }
    return JSON.stringify(places);
  }

  /** Whether code ran between two positions; undefined if that is unknown. */
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
