/** Finds rows by the values of their fields, compared with `==`: `customer_id` → the rows of this customer. */
import { equal } from '../compare/compare.js';
import { isExact, isJsonNumber, readDecimal } from '../handler/decimal.js';
import type { Json, Row } from '../handler/json.js';
import { mapKey } from '../compare/map-key.js';
import { timeKey } from '../compare/times.js';

/** Positions of rows in their result, in its order. */
type Positions = readonly number[];

const none: Positions = [];

/** A key of a map: `mapKey` of numbers and strings, booleans as they are. */
type Key = string | number | boolean;

/**
 * One map is not enough, because `==` is not transitive: "7" == 7 and 7 == "7.0", but "7" != "7.0". A number finds equal numbers and their
 * strings; a string finds itself and the number that it represents.
 */
export class JoinIndex {
  /** Rows whose field is this string. */
  readonly #texts = new Map<Key, number[]>();
  /** Rows whose field is this number or boolean. */
  readonly #values = new Map<Key, number[]>();
  /** Rows whose field is a string of this number or boolean. */
  readonly #written = new Map<Key, number[]>();
  /** Rows whose field is an array or an object, by a string that is the same for equal values. */
  readonly #contents = new Map<Key, number[]>();
  /** A cache of lookups that needed more than one map: the same list for the same key. */
  readonly #found = new Map<Json, Positions>();
  /** The rows found, by the remaining fields. */
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

  /** The rows whose fields equal the keys, one key for each field. Null equals nothing. */
  positions([key, ...others]: readonly (Json | undefined)[]): Positions {
    const found = this.found(key);
    if (this.#others.length === 0 || found.length === 0) return found;
    const inner = this.#inner.get(found) ?? new JoinIndex(this.rows, found, this.#others);
    this.#inner.set(found, inner);
    return inner.positions(others);
  }

  /** The rows whose first field equals the key: the same list for the same key. */
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

/** The number or boolean that equals the key. A string of a number that a double cannot hold equals no number. */
function valueOf(key: string | number | boolean): number | boolean | undefined {
  if (typeof key !== 'string') return key;
  if (key === 'true' || key === 'false') return key === 'true';
  return isJsonNumber(key) && isExact(key) ? Number(key) : undefined;
}

/** A string that is the same for all arrays and objects that are equal. Different values may have the same string. */
function contentOf(key: Json): string {
  if (Array.isArray(key)) return `[${key.map(contentOf).join()}]`;
  if (typeof key === 'object' && key !== null) {
    const fields = Object.keys(key).sort();
    return `{${fields.map((name) => `${JSON.stringify(name)}:${contentOf(key[name] ?? null)}`).join()}}`;
  }
  if (typeof key === 'string') return JSON.stringify(valueOf(key) ?? meaningOf(key) ?? key);
  return JSON.stringify(key);
}

/** Strings that are equal have one key: the notations of a time, and of a number that a double cannot hold. */
function keyOf(value: string | number | boolean): Key {
  if (typeof value === 'boolean') return value;
  return mapKey(
    typeof value === 'string' && mayHaveMeaning.test(value) ? (meaningOf(value) ?? value) : value,
  );
}

/** The first characters of a number, and of a time. */
const mayHaveMeaning = /^[\di-]/;

/** With a NUL in front, which PostgreSQL does not store; that of a string of MySQL is hardly followed by such a key. */
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

/** Merges two sorted lists without common elements. */
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
