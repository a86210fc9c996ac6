/** Rows as the bytes of the JSON of each of their values: joins copy them into a response, without strings and objects in between. */
import type { Json, JsonObject } from '../handler/json.js';
import { JsonPieces, release } from '../responses/json-pieces.js';
import { columnIndexes } from '../responses/row-bytes.js';
import type { RowSink } from '../sql/driver.js';
import {
  code,
  copyShort,
  isDigit,
  literal,
  notWritten,
  type FoundValues,
  type RowFormat,
} from '../sql/row-format.js';

/** The numbers in the table before those of the values: the piece that has the row, and where the row begins there. */
const head = 2;
/** Bytes of a value that are copied one by one. */
const short = 32;
/** Digits of an integer that a double certainly holds. */
const maxInteger = 15;

/** The rows of one run of a statement. */
export class RowCells extends JsonPieces implements RowSink, FoundValues {
  /** Of rows. */
  length = 0;
  private format: RowFormat | undefined;
  /** Of the row that is arriving. */
  starts = new Int32Array(0);
  lengths = new Int32Array(0);
  /** For each row `head`, and the end of each value from the row's beginning on. */
  private table = new Int32Array(0);
  private width = 0;
  private indexes: Record<string, number> = {};
  private pieces: readonly Buffer[] = [];

  begin(format: RowFormat): void {
    const { names } = format;
    this.format = format;
    this.indexes = columnIndexes(names);
    this.starts = new Int32Array(names.length);
    this.lengths = new Int32Array(names.length);
    this.width = head + names.length;
    this.table = new Int32Array(64 * this.width);
  }

  take(bytes: Buffer, from: number, to: number): boolean {
    const { format, starts, lengths } = this;
    if (format?.find(bytes, from, to, this) !== true) return false;
    const { writers, growth } = format;
    const size = starts.length * Math.max(growth, literal.null.length) + (to - from);
    let out = this.room(size);
    let { at } = this;
    let first = at;
    const ends = this.newEntry();
    for (let index = 0; index < starts.length; index += 1) {
      const start = starts[index] ?? 0;
      const length = lengths[index] ?? -1;
      if (length === -1) at = copyShort(literal.null, 0, literal.null.length, out, at);
      else {
        const next = writers[index]?.(bytes, start, start + length, out, at) ?? notWritten;
        if (next !== notWritten) at = next;
        else {
          const text = JSON.stringify(format.valueOf(index, bytes, start, start + length));
          this.at = at;
          out = this.room(Buffer.byteLength(text) + size, first);
          first += this.at - at;
          at = this.at + out.write(text, this.at);
        }
      }
      this.table[ends + index] = at - first;
    }
    this.at = at;
    this.endEntry(ends, first);
    return true;
  }

  takeValues(values: readonly Json[], _orderedAt: (index: number) => Json): void {
    const texts = values.map((value) => JSON.stringify(value));
    const out = this.room(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    const first = this.at;
    const ends = this.newEntry();
    for (const [index, text] of texts.entries()) {
      this.at += out.write(text, this.at);
      this.table[ends + index] = this.at - first;
    }
    this.endEntry(ends, first);
  }

  /** Nothing can be taken from then on. */
  finish(): void {
    this.pieces = this.finishPieces();
  }

  /** Nothing can be read from then on. */
  forget(): void {
    release(this.pieces);
    this.pieces = [];
  }

  /** Of a column; undefined where there is none of that name. */
  indexOf(column: string): number | undefined {
    return Object.hasOwn(this.indexes, column) ? this.indexes[column] : undefined;
  }

  /** Bytes of a value. */
  lengthOf(row: number, index: number): number {
    const at = row * this.width + head + index;
    return (this.table[at] ?? 0) - (index === 0 ? 0 : (this.table[at - 1] ?? 0));
  }

  /** Copies the value, and returns where it ends. */
  copy(row: number, index: number, out: Buffer, at: number): number {
    const piece = this.pieceOf(row);
    const start = this.startOf(row, index);
    const length = this.lengthOf(row, index);
    return length <= short
      ? copyShort(piece, start, start + length, out, at)
      : at + piece.copy(out, at, start, start + length);
  }

  /** The value. */
  valueAt(row: number, index: number): Json {
    const integer = this.integerAt(row, index);
    if (integer !== undefined) return integer;
    const start = this.startOf(row, index);
    const text = this.pieceOf(row).toString('utf8', start, start + this.lengthOf(row, index));
    return JSON.parse(text) as Json;
  }

  /** The value, if it is an integer that is written with few digits. */
  integerAt(row: number, index: number): number | undefined {
    const piece = this.pieceOf(row);
    const start = this.startOf(row, index);
    const end = start + this.lengthOf(row, index);
    const isNegative = piece[start] === code.minus;
    const first = isNegative ? start + 1 : start;
    if (end === first || end - first > maxInteger) return undefined;
    let value = 0;
    for (let at = first; at < end; at += 1) {
      const byte = piece[at];
      if (byte === undefined || !isDigit(byte)) return undefined;
      value = value * 10 + (byte - code.zero);
    }
    return isNegative ? -value : value;
  }

  isNull(row: number, index: number): boolean {
    return this.pieceOf(row)[this.startOf(row, index)] === literal.null[0];
  }

  /** The row as it is where rows are decoded. */
  rowAt(row: number): JsonObject {
    const columns = Object.entries(this.indexes);
    return Object.fromEntries(columns.map(([name, index]) => [name, this.valueAt(row, index)]));
  }

  private pieceOf(row: number): Buffer {
    const piece = this.pieces[this.table[row * this.width] ?? 0];
    if (piece === undefined) throw new Error('the values of the row are not there any more');
    return piece;
  }

  private startOf(row: number, index: number): number {
    const at = row * this.width;
    const before = index === 0 ? 0 : (this.table[at + head + index - 1] ?? 0);
    return (this.table[at + 1] ?? 0) + before;
  }

  /** Where the ends of the next row's values are in the table. */
  private newEntry(): number {
    const at = this.length * this.width;
    if (at + this.width > this.table.length) {
      const table = new Int32Array(Math.max(2 * this.table.length, this.width));
      table.set(this.table);
      this.table = table;
    }
    return at + head;
  }

  private endEntry(ends: number, first: number): void {
    this.table[ends - head] = this.full.length;
    this.table[ends - head + 1] = first;
    this.length += 1;
  }
}
