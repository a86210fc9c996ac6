/**
 * Rows as the bytes of a JSON array or of JSON lines, without intermediate strings and objects. The bytes are those of `JSON.stringify`
 * for the decoded rows.
 */
import type { Json } from '../handler/json.js';
import type { RowSink } from '../sql/driver.js';
import {
  code,
  copyShort,
  isDigit,
  literal,
  notWritten,
  writeNothing,
  type FoundValues,
  type RowFormat,
  type Write,
} from '../sql/row-format.js';
import { areSame, rowDecoder } from '../sql/rows.js';
import { digits } from '../values/digits.js';
import { JsonPieces } from './json-pieces.js';
import type { RowsAsJson } from '../handler/rows-as-json.js';

/** Columns by field name of each element; undefined means that the elements are the rows. */
export type RowFields = Readonly<Record<string, string>>;

/** The fields whose numbers are strings, with the digits after the point. */
export type RowDigits = Readonly<Record<string, number>>;

/** The rows of one run of a statement. */
export class RowBytes extends JsonPieces implements RowSink {
  private layout: Layout | undefined;
  private isEmpty = true;

  /** `form`: the elements of an array, or a line for each row. */
  constructor(
    private readonly fields: RowFields | undefined,
    private readonly form: 'array' | 'lines' = 'array',
    private readonly scales: RowDigits = noDigits,
  ) {
    super();
  }

  begin(format: RowFormat): void {
    this.layout = layoutOf(format, this.fields, this.form, this.scales);
  }

  take(bytes: Buffer, from: number, to: number): boolean {
    const { layout } = this;
    if (layout?.format.find(bytes, from, to, layout) !== true) return false;
    const { format } = layout;
    const size = layout.fixed + layout.uses * (to - from);
    let out = this.room(size);
    let { at } = this;
    if (this.form === 'array') {
      out[at] = this.isEmpty ? code.openList : code.comma;
      at += 1;
    }
    this.isEmpty = false;
    for (const { key, index, write, scale } of layout.fields) {
      at = copyShort(key, 0, key.length, out, at);
      const start = layout.starts[index] ?? 0;
      const length = layout.lengths[index] ?? -1;
      if (length === -1) {
        at = copyShort(literal.null, 0, literal.null.length, out, at);
        continue;
      }
      const next = write(bytes, start, start + length, out, at);
      if (next !== notWritten) at = next;
      else {
        this.at = at;
        this.writeText(jsonOf(format.valueOf(index, bytes, start, start + length), scale));
        out = this.room(size);
        ({ at } = this);
      }
    }
    this.at = copyShort(layout.end, 0, layout.end.length, out, at);
    return true;
  }

  takeValues(values: readonly Json[], _orderedAt: (index: number) => Json): void {
    const { fields = [], end = literal.null } = this.layout ?? {};
    let text = this.form === 'lines' ? '' : this.isEmpty ? '[' : ',';
    this.isEmpty = false;
    for (const { key, index, scale } of fields) text += key.toString() + jsonOf(values[index] ?? null, scale);
    this.writeText(text + end.toString());
  }

  /** The column names. */
  protected get names(): readonly string[] {
    return this.layout?.format.names ?? [];
  }

  /** A value of the latest row, in the form used to compare list elements. */
  protected orderedValueAt(index: number, bytes: Buffer): Json {
    const { format, starts, lengths } = this.layout ?? {};
    const [start = 0, length = -1] = [starts?.[index], lengths?.[index]];
    return format === undefined || length === -1
      ? null
      : format.orderedValueOf(index, bytes, start, start + length);
  }

  /** Returns the JSON array. No more rows can be added. */
  finish(): RowsAsJson {
    return this.isEmpty ? '[]' : this.finishList();
  }
}

const noDigits: RowDigits = {};

/** `scale`: undefined for a value that is sent unchanged. */
function jsonOf(value: Json, scale: number | undefined): string {
  return JSON.stringify(scale === undefined ? value : digits(value, scale));
}

/** The number that `write` writes, in quotes. */
function inQuotes(write: Write, scale: number): Write {
  return (bytes, start, end, out, at) => {
    let next = write(bytes, start, end, out, at + 1);
    if (next === notWritten) return notWritten;
    let fraction = -1;
    for (let index = at + 1; index < next; index += 1) {
      if (out[index] === code.point) fraction = next - index - 1;
      // Not a number, or one with an exponent.
      else if (!isDigit(out[index]) && !(out[index] === code.minus && index === at + 1)) return notWritten;
    }
    if (fraction === -1 && scale > 0) {
      out[next] = code.point;
      next += 1;
      fraction = 0;
    }
    for (; fraction < scale && scale > 0; fraction += 1) {
      out[next] = code.zero;
      next += 1;
    }
    out[at] = out[next] = code.quote;
    return next + 1;
  };
}

/** A field without a column is null. */
const noColumn = -1;

interface Field {
  /** The field name, with the characters before it. */
  readonly key: Buffer;
  /** The column index, or `noColumn`. */
  readonly index: number;
  readonly write: Write;
  /** Of a number that is a string: the digits after the point. */
  readonly scale: number | undefined;
}

interface Layout extends FoundValues {
  readonly format: RowFormat;
  readonly form: 'array' | 'lines';
  readonly wished: RowFields | undefined;
  readonly scales: RowDigits;
  readonly fields: readonly Field[];
  /** The bytes after the last field. */
  readonly end: Buffer;
  /** The bytes of an element without its values, plus a few bytes for each value: its quotes, or `false`. */
  readonly fixed: number;
  /** The maximum number of uses of a single column. */
  readonly uses: number;
}

const layouts = new WeakMap<RowFormat, Layout>();

function layoutOf(
  format: RowFormat,
  wished: RowFields | undefined,
  form: Layout['form'],
  scales: RowDigits,
): Layout {
  const known = layouts.get(format);
  if (known?.form === form && haveSameFields(known.wished, wished) && haveSameFields(known.scales, scales))
    return known;
  const layout = makeLayout(format, wished, form, scales);
  layouts.set(format, layout);
  return layout;
}

function haveSameFields(
  one: RowFields | RowDigits | undefined,
  other: RowFields | RowDigits | undefined,
): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return areSame(Object.keys(one), Object.keys(other)) && areSame(Object.values(one), Object.values(other));
}

function makeLayout(
  format: RowFormat,
  wished: RowFields | undefined,
  form: Layout['form'],
  scales: RowDigits,
): Layout {
  const { names, writers, growth } = format;
  const indexes = columnIndexes(names);
  const found = Object.entries(wished ?? selfNamed(indexes)).map(([name, column]) => {
    const index = Object.hasOwn(indexes, column) ? indexes[column] : undefined;
    return { name, index: index ?? noColumn };
  });
  const fields = found.map(({ name, index }, position): Field => {
    const key = Buffer.from(`${position === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    const write = writers[index] ?? writeNothing;
    const scale = Object.hasOwn(scales, name) ? scales[name] : undefined;
    return { key, index, scale, write: scale === undefined ? write : inQuotes(write, scale) };
  });
  const uses = names.map((_, index) => fields.filter((field) => field.index === index).length);
  const end = Buffer.from(`${fields.length === 0 ? '{}' : '}'}${form === 'lines' ? '\n' : ''}`);
  return {
    ...{ format, form, wished, scales, fields, end },
    // Quotes and a point.
    fixed: fields.reduce(
      (sum, { key, scale }) =>
        sum +
        key.length +
        Math.max(growth, literal.null.length) +
        (scale === undefined ? 0 : scale + '"."'.length),
      1 + end.length,
    ),
    uses: Math.max(1, ...uses),
    starts: new Int32Array(names.length),
    lengths: new Int32Array(names.length),
  };
}

/**
 * Column indexes by name. Equivalent to building an object from a row: same order, and the last of several columns with the same name
 * wins.
 */
function columnIndexes(names: readonly string[]): Record<string, number> {
  const decode = rowDecoder(
    names,
    names.map((_, index) => () => index),
  );
  return decode(names.map(() => '')) as Record<string, number>;
}

function selfNamed(row: object): RowFields {
  return Object.fromEntries(Object.keys(row).map((name) => [name, name]));
}
