/** A map with a bound: what has not been used for long is forgotten. */

/**
 * Keeps at least half of `limit` entries, the ones used last, and never more than `limit`. Two generations instead of an order:
 * an entry is only moved when it has grown old. `forget` is called for every entry that goes.
 */
export class RecentMap<Key, Value> {
  private young = new Map<Key, Value>();
  private old = new Map<Key, Value>();

  constructor(
    private readonly limit: number,
    private readonly forget: (value: Value) => void = () => undefined,
  ) {}

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const aged = this.old.get(key);
    if (aged === undefined) return undefined;
    this.old.delete(key);
    this.set(key, aged);
    return aged;
  }

  set(key: Key, value: Value): void {
    if (this.young.size >= this.limit / 2 && !this.young.has(key)) {
      for (const aged of this.old.values()) this.forget(aged);
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
