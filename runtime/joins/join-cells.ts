/** Joins that only a JSON response reads: the bytes of values are copied into it (decisions 8). */
import type { Call } from '../handler/call.js';
import { tooLarge } from '../handler/json-text.js';
import type { Json, JsonObject, Row } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';
import { mapInTurns, takeMemory } from '../loops/in-turns.js';
import { JsonPieces, type RowsAsJson } from '../responses/json-pieces.js';
import { held, JsonRows } from '../responses/json-rows.js';
import { code, copyShort, literal } from '../sql/row-format.js';
import { LookedUp, type CellGroups, type JoinFields } from './cell-groups.js';
import type { Cells } from './cells.js';
import type { RowCells } from './row-cells.js';

/**
 * An object for each row, for `jsonReply`. Rows can be joined once. Throws a ServiceError (500) for more than LIST_MEMORY, and what
 * `call.proceed` throws.
 */
export async function joinCells<Entry extends Row>(
  call: Call,
  cells: Cells<Entry>,
  fields: JoinFields<keyof Entry & string>,
): Promise<JsonRows>;
export async function joinCells(call: Call, cells: Cells, fields: JoinFields): Promise<JsonRows> {
  const bytes = [cells, ...joinedIn(fields)].map((one) => one.bytes);
  const [root, ...others] = bytes;
  if (root === undefined || others.includes(undefined))
    return new JsonRows({ values: await mapInTurns(call, cells.rows, (row) => objectOf(row, fields)) });
  const writer = new JoinWriter(root, fields);
  let counted = 0;
  for (let goesOn = true; goesOn;) {
    goesOn = writer.write();
    takeMemory(call, 'lists', writer.bytes - counted);
    counted = writer.bytes;
    if (goesOn && isTurnOver()) await nextTurn(call);
  }
  if (writer.isTooLarge) throw tooLarge();
  const json = held(call, writer.finish());
  for (const one of new Set(bytes)) one?.forget();
  return new JsonRows({ json });
}

/** The results that are looked up. */
function joinedIn(fields: JoinFields): Cells[] {
  return Object.values(fields).flatMap((value) => {
    if (typeof value === 'string') return [];
    return value instanceof LookedUp ? [value.groups.cells, ...joinedIn(value.fields)] : joinedIn(value);
  });
}

/** The same of rows that were decoded. */
function objectOf(row: Row, fields: JoinFields): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, Json] => {
      if (typeof value === 'string') return [name, valueOf(row, value)];
      if (!(value instanceof LookedUp)) return [name, objectOf(row, value)];
      const found = value.groups.ofRows.get(...value.keys.map((key) => valueOf(row, key)));
      if (value.take === 'every') return [name, found.map((one) => objectOf(one, value.fields))];
      return [name, found[0] === undefined ? null : objectOf(found[0], value.fields)];
    }),
  );
}

function valueOf(row: Row, column: string): Json {
  return Object.hasOwn(row, column) ? (row[column] ?? null) : null;
}

/** A field: what is written before its value, and its value, of a column or looked up. Without both it is null. */
interface Part {
  readonly before: Buffer;
  readonly column: number | undefined;
  readonly objects: Objects | undefined;
}

/** Objects of one shape, at one place of the response; one of them is being written at a time. */
class Objects {
  readonly parts: Part[] = [];
  /** Behind the last part. */
  readonly end: Buffer;
  readonly take: 'every' | 'first';
  /** Columns of the row around it. */
  private readonly columns: readonly (number | undefined)[];
  private readonly groups: CellGroups | undefined;
  private positions: ArrayLike<number> | undefined;
  private at = 0;
  private to = 0;
  /** Of the object that is being written: its row, and the part that is next. */
  row = 0;
  part = 0;

  /** `around`: the objects that these are in, which look them up. */
  constructor(
    readonly cells: RowCells,
    fields: JoinFields,
    readonly around?: Objects,
    looked?: LookedUp,
  ) {
    this.take = looked?.take ?? 'every';
    this.groups = looked?.groups;
    this.columns = looked?.keys.map((key) => around?.cells.indexOf(key)) ?? [];
    this.end = Buffer.from(this.addParts(fields, ''));
  }

  /** Goes to the first row; false where there is none. */
  open(): boolean {
    const { around, groups } = this;
    const found =
      around === undefined || groups === undefined
        ? { positions: undefined, from: 0, to: this.cells.length }
        : groups.find(around.cells, around.row, this.columns);
    this.positions = found.positions;
    this.to = found.to;
    return this.goTo(found.from);
  }

  /** Goes to the next row; false where there is none. */
  next(): boolean {
    return this.goTo(this.at + 1);
  }

  private goTo(at: number): boolean {
    this.at = at;
    this.part = 0;
    if (at >= this.to) return false;
    this.row = this.positions === undefined ? at : (this.positions[at] ?? 0);
    return true;
  }

  /** Returns what is left to be written behind the last value. */
  private addParts(fields: JoinFields, before: string): string {
    let text = before;
    const entries = Object.entries(fields);
    for (const [position, [name, value]] of entries.entries()) {
      text += `${position === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (typeof value === 'object' && !(value instanceof LookedUp)) {
        text = this.addParts(value, text);
        continue;
      }
      const isColumn = typeof value === 'string';
      const found = isColumn ? undefined : value.groups.cells.bytes;
      this.parts.push({
        before: Buffer.from(text),
        column: isColumn ? this.cells.indexOf(value) : undefined,
        objects: isColumn || found === undefined ? undefined : new Objects(found, value.fields, this, value),
      });
      text = '';
    }
    return `${text}${entries.length === 0 ? '{}' : '}'}`;
  }
}

/** Objects that are written before it is looked at the time. */
const atATime = 256;

const emptyList = Buffer.from('[]');

class JoinWriter extends JsonPieces {
  /** The objects that are being written; undefined behind the last one. */
  private objects: Objects | undefined;
  private readonly isEmpty: boolean;

  constructor(cells: RowCells, fields: JoinFields) {
    super();
    const objects = new Objects(cells, fields);
    this.isEmpty = !objects.open();
    if (this.isEmpty) return;
    this.objects = objects;
    this.writeByte(code.openList);
  }

  /** Writes some of it; false when everything is written. */
  write(): boolean {
    let { objects } = this;
    for (let left = atATime; left > 0 && objects !== undefined;) {
      const part = objects.parts[objects.part];
      if (part !== undefined) {
        objects.part += 1;
        this.writeBytes(part.before);
        if (part.objects !== undefined) objects = this.begin(part.objects, objects);
        else if (part.column !== undefined) this.writeCell(objects, part.column);
        else this.writeBytes(literal.null);
      } else {
        this.writeBytes(objects.end);
        objects = this.next(objects);
        left -= 1;
      }
    }
    this.objects = objects;
    return objects !== undefined;
  }

  finish(): RowsAsJson {
    return this.isEmpty ? '[]' : this.finishList();
  }

  /** Which objects are written next. */
  private begin(inner: Objects, around: Objects): Objects {
    const isList = inner.take === 'every';
    if (!inner.open()) {
      this.writeBytes(isList ? emptyList : literal.null);
      return around;
    }
    if (isList) this.writeByte(code.openList);
    return inner;
  }

  /** Which objects are written next, behind an object. */
  private next(objects: Objects): Objects | undefined {
    if (objects.take === 'first') return objects.around;
    if (objects.next()) {
      this.writeByte(code.comma);
      return objects;
    }
    if (objects.around !== undefined) this.writeByte(code.closeList);
    return objects.around;
  }

  private writeCell({ cells, row }: Objects, column: number): void {
    const out = this.room(cells.lengthOf(row, column));
    this.at = cells.copy(row, column, out, this.at);
  }

  private writeBytes(bytes: Buffer): void {
    const out = this.room(bytes.length);
    this.at = copyShort(bytes, 0, bytes.length, out, this.at);
  }

  private writeByte(byte: number): void {
    const out = this.room(1);
    out[this.at] = byte;
    this.at += 1;
  }
}
