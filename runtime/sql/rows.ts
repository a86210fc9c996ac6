/** Turns the columns of a result into rows, by a decoder that is made once for the shape of a statement's results. */
import type { Json, Row } from '../handler/json.js';

/** What makes one result unlike another: the names and types of its columns. */
export interface Column<Type> {
  readonly name: string;
  readonly type: Type;
}

/** Gives the JSON value of one column; null never reaches it. */
export type Decode<Raw> = (raw: Raw) => Json;

/** One row, from its raw values in the order of the columns. */
export type RowDecoder<Raw> = (raw: readonly (Raw | null)[]) => Row;

/**
 * Rows are plain objects whose fields have the order of the columns; of two columns with one name the last one wins.
 * A column named `__proto__` becomes a field like every other one.
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
