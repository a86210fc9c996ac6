/** Finds rows by the values of their fields, compared with `==`: `customer_id` → the rows of this customer. */
import { equal } from '../compare/compare.js';
import { isExact, isJsonNumber } from '../handler/decimal.js';
import type { Json, Row } from '../handler/json.js';
import { mapKey } from '../compare/map-key.js';

/** Positions of entries in their result, in its order. */
type Positions = readonly number[];

const none: Positions = [];

/** Of a map: `mapKey` of numbers and strings, booleans as they are. */
type Key = string | number | boolean;

/**
 * `==` is no equivalence ("7" and 7 and "7.0": the two texts differ), so one map does not do: a key that is a number finds
 * the numbers and the texts that write it, a key that is a text finds itself and the numbers that it writes.
 */
export class JoinIndex {
  /** Entries whose field is this text. */
  readonly #texts = new Map<Key, number[]>();
  /** Entries whose field is this number or boolean. */
  readonly #values = new Map<Key, number[]>();
  /** Entries whose field is a text that writes this number or boolean. */
  readonly #written = new Map<Key, number[]>();
  /** Entries whose field is an array or an object, by a text that is the same for equal ones. */
  readonly #contents = new Map<Key, number[]>();
  /** What keys have found where that took more than a look: the same list for the same key. */
  readonly #found = new Map<Json, Positions>();
  /** The entries found, by the remaining fields. */
  readonly #inner = new Map<Positions, JoinIndex>();
  readonly #field: string;
  readonly #others: readonly string[];

  constructor(
    private readonly rows: readonly Row[],
    positions: Iterable<number>,
    [field = '', ...others]: readonly string[],
  ) {
    this.#field = field;
    this.#others = others;
    for (const position of positions) this.#add(position);
  }

  /** The entries whose fields equal the keys, one key for each field; null equals nothing here. */
  positions([key, ...others]: readonly (Json | undefined)[]): Positions {
    const found = this.found(key);
    if (this.#others.length === 0 || found.length === 0) return found;
    const inner = this.#inner.get(found) ?? new JoinIndex(this.rows, found, this.#others);
    this.#inner.set(found, inner);
    return inner.positions(others);
  }

  /** The entries whose first field equals the key: the same list for the same key. */
  found(key: Json | undefined): Positions {
    if (key === null || key === undefined) return none;
    if (typeof key === 'number' && this.#written.size === 0) return this.#values.get(mapKey(key)) ?? none;
    const own = typeof key === 'object' ? key : keyOf(key);
    let found = this.#found.get(own);
    if (found === undefined) this.#found.set(own, (found = this.#find(key)));
    return found;
  }

  #add(position: number): void {
    const key = this.#valueAt(position);
    if (key === null) return;
    if (typeof key === 'object') {
      push(this.#contents, contentOf(key), position);
      return;
    }
    if (typeof key !== 'string') {
      push(this.#values, keyOf(key), position);
      return;
    }
    push(this.#texts, keyOf(key), position);
    const value = valueOf(key);
    if (value !== undefined) push(this.#written, keyOf(value), position);
  }

  #valueAt(position: number): Json {
    const row = this.rows[position] ?? {};
    return Object.hasOwn(row, this.#field) ? (row[this.#field] ?? null) : null;
  }

  #find(key: Exclude<Json, null>): Positions {
    if (typeof key === 'object') {
      const alike = this.#contents.get(contentOf(key)) ?? [];
      return alike.filter((position) => equal(key, this.#valueAt(position)));
    }
    if (typeof key !== 'string') {
      const own = keyOf(key);
      return merge(this.#values.get(own) ?? none, this.#written.get(own) ?? none);
    }
    const value = valueOf(key);
    const values = value === undefined ? none : (this.#values.get(keyOf(value)) ?? none);
    return merge(this.#texts.get(keyOf(key)) ?? none, values);
  }
}

/** The number or boolean that equals the key: a text that no double carries exactly equals no number. */
function valueOf(key: string | number | boolean): number | boolean | undefined {
  if (typeof key !== 'string') return key;
  if (key === 'true' || key === 'false') return key === 'true';
  return isJsonNumber(key) && isExact(key) ? Number(key) : undefined;
}

/** A text that is the same for all arrays and objects that equal each other; others may share it. */
function contentOf(key: Json): string {
  if (Array.isArray(key)) return `[${key.map(contentOf).join()}]`;
  if (typeof key === 'object' && key !== null) {
    const fields = Object.keys(key).sort();
    return `{${fields.map((name) => `${JSON.stringify(name)}:${contentOf(key[name] ?? null)}`).join()}}`;
  }
  return JSON.stringify(key === null ? null : (valueOf(key) ?? key));
}

function keyOf(value: string | number | boolean): Key {
  return typeof value === 'boolean' ? value : mapKey(value);
}

function push(lists: Map<Key, number[]>, key: Key, position: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [position]);
  else list.push(position);
}

/** Two lists in order that have nothing in common, as one in order. */
function merge(left: Positions, right: Positions): Positions {
  if (right.length === 0) return left;
  if (left.length === 0) return right;
  const merged: number[] = [];
  let next = 0;
  for (const position of left) {
    for (let other = right[next]; other !== undefined && other < position; other = right[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(position);
  }
  return [...merged, ...right.slice(next)];
}
