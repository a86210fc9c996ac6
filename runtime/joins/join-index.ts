/** Finds rows by field values with `==`: `customer_id` → the rows of this customer. */
import { equal } from '../compare/compare.js';
import { isExact, isJsonNumber, readDecimal } from '../handler/decimal.js';
import type { Json, Row } from '../handler/json.js';
import { mapKey } from '../compare/map-key.js';
import { timeKey } from '../compare/times.js';

/** Positions of rows in a result, in ascending order. */
type Positions = readonly number[];

const none: Positions = [];

/** A map key: the `mapKey` of numbers and strings, and booleans unchanged. */
type Key = string | number | boolean;

/**
 * One map is not enough, because `==` is not transitive: "7" == 7 and 7 == "7.0", but "7" != "7.0". A number finds equal numbers and
 * their strings; a string finds itself and the number that it represents.
 */
export class JoinIndex {
  /** Rows by a field that is a string. */
  readonly #texts = new Map<Key, number[]>();
  /** Rows by a field that is a number or boolean. */
  readonly #values = new Map<Key, number[]>();
  /** Rows by the number or boolean represented by a string field. */
  readonly #written = new Map<Key, number[]>();
  /** Rows by a field that is an array or object, using a string that is the same for equal values. */
  readonly #contents = new Map<Key, number[]>();
  /** A cache of lookups that needed several maps, so that the same key returns the same list. */
  readonly #found = new Map<Json, Positions>();
  /** Indexes of the found rows by the remaining fields. */
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

  /** The rows whose fields equal the keys, one key per field. Null equals nothing. */
  positions([key, ...others]: readonly (Json | undefined)[]): Positions {
    const found = this.found(key);
    if (this.#others.length === 0 || found.length === 0) return found;
    const inner = this.#inner.get(found) ?? new JoinIndex(this.rows, found, this.#others);
    this.#inner.set(found, inner);
    return inner.positions(others);
  }

  /** The rows whose first field equals the key. The same key returns the same list. */
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

/** The number or boolean that equals the key; undefined for the string of a number that does not fit in a double. */
function valueOf(key: string | number | boolean): number | boolean | undefined {
  if (typeof key !== 'string') return key;
  if (key === 'true' || key === 'false') return key === 'true';
  return isJsonNumber(key) && isExact(key) ? Number(key) : undefined;
}

/** A string that is the same for equal arrays and objects. Different values may have the same string. */
function contentOf(key: Json): string {
  if (Array.isArray(key)) return `[${key.map(contentOf).join()}]`;
  if (typeof key === 'object' && key !== null) {
    const fields = Object.keys(key).sort();
    return `{${fields.map((name) => `${JSON.stringify(name)}:${contentOf(key[name] ?? null)}`).join()}}`;
  }
  if (typeof key === 'string') return JSON.stringify(valueOf(key) ?? meaningOf(key) ?? key);
  return JSON.stringify(key);
}

/** A key that is the same for equal strings, such as different notations of a time, or of a number that does not fit in a double. */
function keyOf(value: string | number | boolean): Key {
  if (typeof value === 'boolean') return value;
  return mapKey(
    typeof value === 'string' && mayHaveMeaning.test(value) ? (meaningOf(value) ?? value) : value,
  );
}

/** The first characters of numbers and times. */
const mayHaveMeaning = /^[\di-]/;

/**
 * The normalized time or number. Begins with a NUL to avoid collisions: PostgreSQL cannot store a NUL, and such a string is very
 * unlikely on MySQL.
 */
function meaningOf(text: string): string | undefined {
  const time = timeKey(text);
  if (time !== undefined) return `\0${time}`;
  if (!isJsonNumber(text) || isExact(text)) return undefined;
  const { sign, digits, exponent } = readDecimal(text);
  return `\0${sign}.${digits}e${exponent}`;
}

function push(lists: Map<Key, number[]>, key: Key, position: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [position]);
  else list.push(position);
}

/** Merges two sorted lists of distinct positions. */
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
