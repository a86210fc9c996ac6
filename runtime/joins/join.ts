/** Joins of results, and helpers for mapping rows to models. */
import { mapKey } from '../compare/map-key.js';
import { JoinIndex } from './join-index.js';
import { get, type Json, type Row } from '../handler/json.js';

/**
 * Groups the rows of a result by the named fields, in one pass: `groupBy(persons, 'id').get(news.author_id)`. Keys match with `==` of
 * the configuration; null matches nothing. The result of a skipped fulfillment, null, contains no rows.
 */
export function groupBy<Entry extends Row>(
  rows: readonly Entry[] | null,
  ...fields: readonly string[]
): Groups<Entry> {
  return new Groups(rows ?? [], fields);
}

/** The result of `groupBy`. */
export class Groups<Entry extends Row> {
  /** Rows by number; undefined if the key is not a single number. */
  readonly #byNumber: ReadonlyMap<number | string, readonly Entry[]> | undefined;
  #index: JoinIndex | undefined;

  constructor(
    private readonly rows: readonly Entry[],
    private readonly fields: readonly string[],
  ) {
    const [field = '', ...others] = fields;
    this.#byNumber = others.length === 0 ? rowsByNumber(rows, field) : undefined;
  }

  /** A new list of the rows whose fields equal the keys, one key per field, in result order. */
  get(...keys: readonly (Json | undefined)[]): Entry[] {
    const [key, ...others] = keys;
    if (others.length > 0) return this.#rowsAt(this.#indexed.positions(keys));
    if (typeof key === 'number' && this.#byNumber !== undefined)
      return this.#byNumber.get(mapKey(key))?.slice() ?? [];
    return this.#rowsAt(this.#indexed.found(key));
  }

  /** The rows that match at least one of the given rows by its named fields, each only once, in result order. */
  ofAll(entries: readonly Row[], ...fields: readonly string[]): Entry[] {
    const found = new Set<number>();
    for (const entry of entries) {
      const keys = fields.map((field) => get(entry, field));
      for (const position of this.#indexed.positions(keys)) found.add(position);
    }
    return this.#rowsAt([...found].sort((a, b) => a - b));
  }

  get #indexed(): JoinIndex {
    return (this.#index ??= new JoinIndex(this.rows, this.rows.keys(), this.fields));
  }

  #rowsAt(positions: readonly number[]): Entry[] {
    const found: Entry[] = [];
    for (const position of positions) {
      const row = this.rows[position];
      if (row !== undefined) found.push(row);
    }
    return found;
  }
}

/** Groups rows by a numeric field, as most foreign keys are; undefined if a value is neither a number nor null. */
function rowsByNumber<Entry extends Row>(
  rows: readonly Entry[],
  field: string,
): ReadonlyMap<number | string, readonly Entry[]> | undefined {
  const found = new Map<number | string, Entry[]>();
  for (const row of rows) {
    const value = Object.hasOwn(row, field) ? (row[field] ?? null) : null;
    if (value === null) continue;
    if (typeof value !== 'number') return undefined;
    const key = mapKey(value);
    const list = found.get(key);
    if (list === undefined) found.set(key, [row]);
    else list.push(row);
  }
  return found;
}

/** The rows, or a single null for an empty list, for objects that are built even without a match. */
export function orNull<Entry extends Row>(rows: readonly Entry[]): readonly (Entry | null)[] {
  return rows.length === 0 ? [null] : rows;
}

/** The first value built from a row; null if there is none. */
export function first<Entry extends Row | null>(
  rows: readonly Entry[] | null,
  build: (row: Entry) => Json,
): Json {
  for (const row of rows ?? []) {
    const built = build(row);
    if (built !== null) return built;
  }
  return null;
}
