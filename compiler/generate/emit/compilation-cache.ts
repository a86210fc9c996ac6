/** The cache that builds in one process share. It makes a build faster and never changes its result. */

/** Strings by the key from which they are made; `forget` keeps only those requested since its last call. */
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

/** The cache of one stage of the compiler; only the stage looks into it. */
type Part<Kept extends object> = new () => Kept;

/** Belongs to whoever calls the compiler several times; the compiler itself keeps nothing. */
export class CompilationCache {
  /** Formatted modules, by their text before. */
  readonly formatted = new Texts();

  readonly #parts = new Map<Part<object>, object>();

  /** The cache of a stage: one object of each class. */
  part<Kept extends object>(kind: Part<Kept>): Kept {
    const known = this.#parts.get(kind);
    if (known instanceof kind) return known;
    const part = new kind();
    this.#parts.set(kind, part);
    return part;
  }

  /** To be called at the end of a build: entries that it did not need are forgotten. */
  forget(): void {
    this.formatted.forget();
  }
}
