/** The rows of a result by the values of their fields, for joins that copy bytes: the same rows as `groupBy` finds. */
import { mapKey } from '../compare/map-key.js';
import type { Row } from '../handler/json.js';
import type { Cells } from './cells.js';
import { JoinIndex } from './join-index.js';
import { groupBy, type Groups } from './join.js';
import type { RowCells } from './row-cells.js';

/** The fields of an object, each a column of the row that it is built of, what is looked up by it, or an object of more fields. */
export interface JoinFields<Column extends string = string> {
  readonly [name: string]: Column | LookedUp | JoinFields<Column>;
}

/** What an object has of the rows that match its own. */
export class LookedUp {
  constructor(
    readonly groups: CellGroups,
    /** The columns of the outer object's row that they are looked up by. */
    readonly keys: readonly string[],
    readonly fields: JoinFields,
    readonly take: 'every' | 'first',
  ) {}
}

/** Positions of rows, from one place of the list to another. */
export interface Range {
  readonly positions: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

const noRows: Range = { positions: [], from: 0, to: 0 };

/** As `groupBy`, for `joinCells`: `cellsBy(comments, 'news_id').every('id', { text: 'body' })`. */
export function cellsBy<Entry extends Row>(
  cells: Cells<Entry>,
  ...fields: readonly string[]
): CellGroups<Entry> {
  return new CellGroups(cells, fields);
}

/** The result of `cellsBy`. */
export class CellGroups<Entry extends Row = Row> {
  #groups: Groups<Entry> | undefined;
  #index: JoinIndex | undefined;
  #byInteger: Grouped | null | undefined;

  constructor(
    readonly cells: Cells<Entry>,
    private readonly fields: readonly string[],
  ) {}

  /** A list of an object for each row whose fields equal the keys, which are columns of the row that the object around it is built of. */
  every(keys: string | readonly string[], fields: JoinFields<keyof Entry & string>): LookedUp {
    return new LookedUp(this, [keys].flat(), fields, 'every');
  }

  /** The object of the first such row; null if there is none. */
  first(keys: string | readonly string[], fields: JoinFields<keyof Entry & string>): LookedUp {
    return new LookedUp(this, [keys].flat(), fields, 'first');
  }

  /** For rows that were decoded. */
  get ofRows(): Groups<Entry> {
    return (this.#groups ??= groupBy(this.cells.rows, ...this.fields));
  }

  /** The positions of the rows whose fields equal the values in these columns of a row. */
  find(outer: RowCells, row: number, columns: readonly (number | undefined)[]): Range {
    const [column, ...others] = columns;
    if (others.length === 0 && column !== undefined) {
      if (outer.isNull(row, column)) return noRows;
      const integer = outer.integerAt(row, column);
      const grouped = integer === undefined ? undefined : this.#integers;
      if (grouped !== undefined) return rangeOf(grouped, integer ?? 0);
    }
    const keys = columns.map((own) => (own === undefined ? null : outer.valueAt(row, own)));
    const positions = this.#indexed.positions(keys);
    return { positions, from: 0, to: positions.length };
  }

  /** Undefined where a row has another key than an integer or null. */
  get #integers(): Grouped | undefined {
    if (this.#byInteger === undefined) {
      const { bytes } = this.cells;
      const index = bytes?.indexOf(this.fields[0] ?? '');
      this.#byInteger = bytes && index !== undefined ? (groupIntegers(bytes, index) ?? null) : null;
    }
    return this.#byInteger ?? undefined;
  }

  /** Only the fields that are compared. */
  get #indexed(): JoinIndex {
    if (this.#index !== undefined) return this.#index;
    const { bytes } = this.cells;
    const columns = this.fields.map((field) => [field, bytes?.indexOf(field)] as const);
    const rows = Array.from({ length: bytes?.length ?? 0 }, (_, row) =>
      Object.fromEntries(
        columns.map(([field, index]) => [
          field,
          index === undefined ? null : (bytes?.valueAt(row, index) ?? null),
        ]),
      ),
    );
    return (this.#index = new JoinIndex(rows, rows.keys(), this.fields));
  }
}

/** Positions of rows, those of one key behind each other. */
interface Grouped {
  readonly positions: Int32Array;
  /** Where those of a group begin; one more for the end. */
  readonly starts: Int32Array;
  readonly groups: ReadonlyMap<number | string, number>;
}

function rangeOf({ positions, starts, groups }: Grouped, key: number): Range {
  const group = groups.get(mapKey(key));
  if (group === undefined) return noRows;
  return { positions, from: starts[group] ?? 0, to: starts[group + 1] ?? 0 };
}

function groupIntegers(rows: RowCells, index: number): Grouped | undefined {
  const groups = new Map<number | string, number>();
  /** The group of each row; -1 for null, which equals nothing. */
  const groupOf = new Int32Array(rows.length);
  for (let row = 0; row < rows.length; row += 1) {
    const value = rows.integerAt(row, index);
    if (value === undefined && !rows.isNull(row, index)) return undefined;
    const key = value === undefined ? undefined : mapKey(value);
    let group = key === undefined ? -1 : groups.get(key);
    if (group === undefined && key !== undefined) groups.set(key, (group = groups.size));
    groupOf[row] = group ?? -1;
  }
  const starts = new Int32Array(groups.size + 1);
  for (const group of groupOf) if (group >= 0) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  for (let group = 0; group < groups.size; group += 1)
    starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const positions = new Int32Array(starts[groups.size] ?? 0);
  for (let row = 0; row < rows.length; row += 1) {
    const group = groupOf[row] ?? -1;
    if (group < 0) continue;
    const at = next[group] ?? 0;
    positions[at] = row;
    next[group] = at + 1;
  }
  return { positions, starts, groups };
}
