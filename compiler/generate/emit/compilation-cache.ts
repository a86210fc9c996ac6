/** The cache shared by builds in one process. It speeds up builds and never changes their results. */

/** Strings by the key that they were made from; `forget` keeps only entries used since the last call. */
class Texts {
  #earlier = new Map<string, string>();
  #asked = new Map<string, string>();

  get(key: string): string | undefined {
    const text = this.#asked.get(key) ?? this.#earlier.get(key);
    if (text !== undefined) this.#asked.set(key, text);
    return text;
  }

  set(key: string, text: string): void {
    this.#asked.set(key, text);
  }

  forget(): void {
    this.#earlier = this.#asked;
    this.#asked = new Map();
  }
}

/** The cache of one compiler stage, opaque to all other code. */
type Part<Kept extends object> = new () => Kept;

/** Owned by callers that compile repeatedly; the compiler itself keeps no state. */
export class CompilationCache {
  /** Formatted modules, by unformatted text. */
  readonly formatted = new Texts();

  readonly #parts = new Map<Part<object>, object>();

  /** The cache of a stage: a single object per class. */
  part<Kept extends object>(kind: Part<Kept>): Kept {
    const known = this.#parts.get(kind);
    if (known instanceof kind) return known;
    const part = new kind();
    this.#parts.set(kind, part);
    return part;
  }

  /** Drops entries not used by the current build. Call at the end of each build. */
  forget(): void {
    this.formatted.forget();
  }
}
