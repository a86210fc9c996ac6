/**
 * Converts the columns of a result to rows of JSON values. The decoder is created once for each shape of a statement's results, and kept
 * with its SQL.
 */
import type { Json, Row } from '../handler/json.js';

/** A column of a result: the names and types of all columns are its shape. */
export interface Column<Type> {
  readonly name: string;
  readonly type: Type;
}

/** Converts the value of one column to JSON; it is never called with null. */
export type Decode<Raw> = (raw: Raw) => Json;

/** One row, from its raw values in the order of the columns. */
export type RowDecoder<Raw> = (raw: readonly (Raw | null)[]) => Row;

/**
 * Rows are plain objects whose fields have the order of the columns. If two columns have the same name, the last one counts.
 * A column named `__proto__` becomes a field like any other.
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

/** Lists of a few names or types; most are one and the same list. */
export function areSame<Item>(one: readonly Item[] | undefined, other: readonly Item[] | undefined): boolean {
  if (one === other) return true;
  return one?.length === other?.length && one?.every((item, index) => item === other?.[index]) === true;
}

/**
 * Keeps at most `limit` entries. After that, each new entry replaces one that was not used while half of them were added. Two generations
 * replace an exact order: an entry is moved only if it is old. `forget` is called for every removed entry.
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
