/** Joins of results, and the rows that a mapped model is built from. */
import { JoinIndex } from './join-index.js';
import { get, type Json, type Row } from '../handler/json.js';

/**
 * The entries of a result by the values of the named fields: one pass, whatever is looked up afterwards. Keys match by
 * the `==` of the configuration, and null matches nothing. The result of a skipped fulfillment, null, has no entries.
 */
export function groupBy<Entry extends Row>(
  rows: readonly Entry[] | null,
  ...fields: readonly string[]
): Groups<Entry> {
  return new Groups(rows ?? [], fields);
}

/** What `groupBy` gives. */
export class Groups<Entry extends Row> {
  readonly #index: JoinIndex;

  constructor(
    private readonly rows: readonly Entry[],
    fields: readonly string[],
  ) {
    this.#index = new JoinIndex(rows, rows.keys(), fields);
  }

  /** The entries whose fields equal the keys, one key for each field; in the order of the result. */
  get(...keys: readonly (Json | undefined)[]): Entry[] {
    return this.#rowsAt(keys.length === 1 ? this.#index.found(keys[0]) : this.#index.positions(keys));
  }

  /** The entries that match at least one of the given ones by its named fields, each once; in the order of the result. */
  ofAll(entries: readonly Row[], ...fields: readonly string[]): Entry[] {
    const found = new Set<number>();
    for (const entry of entries) {
      const keys = fields.map((field) => get(entry, field));
      for (const position of this.#index.positions(keys)) found.add(position);
    }
    return this.#rowsAt([...found].sort((a, b) => a - b));
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

/** The rows, or null in their place where there are none: for objects that are built without a match too. */
export function orNull<Entry extends Row>(rows: readonly Entry[]): readonly (Entry | null)[] {
  return rows.length === 0 ? [null] : rows;
}

/** A single model is built of the first row that gives one, and is null when there is none. */
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
