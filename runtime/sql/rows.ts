/** Converts result columns to rows of JSON values. A decoder is created once for each shape of results, and cached with the SQL. */
import type { Json, Row } from '../handler/json.js';

/** A result column. The names and types of all columns define the shape of a result. */
export interface Column<Type> {
  readonly name: string;
  readonly type: Type;
}

/** Converts a column value to JSON; never called for NULL. */
export type Decode<Raw> = (raw: Raw) => Json;

/** Converts the raw values of a row, in column order. */
export type RowDecoder<Raw> = (raw: readonly (Raw | null)[]) => Row;

/**
 * Creates rows as plain objects with fields in column order. If several columns have the same name, the last one wins. A column named
 * `__proto__` becomes an ordinary field.
 */
export function rowDecoder<Raw>(names: readonly string[], decoders: readonly Decode<Raw>[]): RowDecoder<Raw> {
  const decodeAt = (index: number, raw: readonly (Raw | null)[]): Json => {
    const value = raw[index] ?? null;
    return value === null ? null : (decoders[index]?.(value) ?? null);
  };
  if (names.includes('__proto__')) {
    return (raw) => Object.fromEntries(names.map((name, index) => [name, decodeAt(index, raw)]));
  }
  return (raw) => {
    const row: Row = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = decodeAt(index, raw);
    return row;
  };
}

/** Compares short lists of names or types, which are usually the same object. */
export function areSame<Item>(one: readonly Item[] | undefined, other: readonly Item[] | undefined): boolean {
  if (one === other) return true;
  return one?.length === other?.length && one?.every((item, index) => item === other?.[index]) === true;
}

/**
 * A cache of at most `limit` entries. When it is full, each new entry replaces one that has not been used recently. Two generations
 * approximate the exact order, so that an entry is only moved if it is old. `forget` is called for every removed entry.
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

  /** Removes all entries. */
  clear(): void {
    for (const generation of [this.young, this.old]) {
      for (const value of generation.values()) this.forget(value);
      generation.clear();
    }
  }

  set(key: Key, value: Value): void {
    if (!this.young.has(key) && !this.old.delete(key)) this.makeRoom();
    this.young.set(key, value);
  }

  private makeRoom(): void {
    if (this.young.size >= this.limit / 2) {
      for (const [key, value] of this.young) this.old.set(key, value);
      this.young = new Map();
    }
    if (this.size < this.limit) return;
    for (const [key, value] of this.old) {
      this.old.delete(key);
      this.forget(value);
      return;
    }
  }
}
