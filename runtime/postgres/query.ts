/** A statement in the wire protocol. Replaces the driver's query, which would describe every result again, and copy every row again. */
import type { Client, Connection, FieldDef, Submittable } from 'pg';
import type { Row } from '../handler/json.js';
import { unreadable, type DatabaseFailure } from '../sql/failure.js';
import type { RowSink } from '../sql/driver.js';
import type { Column } from '../sql/rows.js';
import {
  activeQuery,
  countReaders,
  listenToMessages,
  markAsQuery,
  readResults,
  wireOf,
  type Wire,
} from './driver-internals.js';
import type { ResultReader } from './frames.js';
import { copyShort } from '../sql/row-format.js';
import { rowFormat, textsOf, type PostgresRows } from './row-format.js';
import type { Guard, PostgresStatement, Shape } from './statements.js';

/** The result of a statement. */
export interface WireResult {
  readonly rows: Row[];
  /** Raw rows, if their shape did not yet have a decoder. */
  readonly raw: readonly (readonly (string | null)[])[];
  readonly shape: Shape;
  /** The parameter types, if the statement was only described. */
  readonly parameters: readonly number[];
}

/** An encoded value: a string or bytes. */
export type WireValue = string | Buffer | null;

/** A statement sent before or after another one, up to the same Sync: after a failure, the rest is not executed. */
export interface Beside {
  readonly text: string;
  /** The name of the prepared statement on the server; undefined if it is prepared for a single run. */
  readonly name?: string | undefined;
  readonly isPrepared?: boolean;
  readonly values?: readonly string[];
}

/** A message that prepares a statement, runs it, or both. */
export interface WireQuery {
  readonly statement: PostgresStatement;
  /** The name of the prepared statement on the server; undefined if it is prepared for a single run. */
  readonly name: string | undefined;
  /**
   * The parameter types for preparing the statement; 0 or a missing type leaves the choice to the server; undefined if the statement is
   * already prepared.
   */
  readonly parse?: readonly number[] | undefined;
  /** Undefined if the statement is only described. */
  readonly values?: readonly WireValue[];
  readonly before?: readonly Beside[];
  /** The guard, which is described before the statement; an error of the guard prevents the statement from running. */
  readonly guard?: Guard | undefined;
  readonly behind?: readonly Beside[] | undefined;
  /** Names of prepared statements that the server can release. */
  readonly unused?: readonly string[] | undefined;
  readonly shape: Shape;
  /** Receives each row on arrival, if its columns are known. */
  readonly onRow?: ((row: Row) => void) | undefined;
  /** Receives the rows instead, if their columns are known before the first row. */
  readonly sink?: RowSink | undefined;
}

/** Called once, either with a result or with an error of the driver. */
export type WireCallback = (error: unknown, result?: WireResult) => void;

/** The state of a query that has been sent. */
export interface Sent {
  /** False while it is certain that the statement had no effect. */
  readonly began: boolean;
  /** Number of earlier statements without a result. */
  readonly awaited: number;
  /** Whether the guard has not been described yet, so that an error concerns the guard. */
  readonly isGuarded: boolean;
}

/** Passes messages that the driver ignores to the statements of the connection. Call once for each connection. */
export function listen(connection: Client): void {
  listenToMessages(
    connection,
    () => arriving(connection)?.handleBindComplete(),
    (types) => arriving(connection)?.handleParameterDescription(types),
  );
  readResults(connection, () => arriving(connection));
}

/** Number of rows held by the result that is arriving. */
export function rowsOf(connection: Client): number {
  return arriving(connection)?.length ?? 0;
}

function arriving(connection: Client): PostgresQuery | undefined {
  const query = activeQuery(connection);
  return query instanceof PostgresQuery ? query : undefined;
}

/** Sends the query on the connection. */
export function sendQuery(connection: Client, query: WireQuery, callback: WireCallback): Sent {
  return connection.query(new PostgresQuery(query, callback));
}

/** A query whose methods the driver calls for every message. Thrown errors would not reach any caller. */
class PostgresQuery implements Submittable, ResultReader {
  /** The SQL, for tools that trace queries of the driver. `name` is not set, because the driver would keep an unbounded list of names. */
  readonly text: string;
  readonly values: readonly WireValue[] | undefined;
  private readonly shape: Shape;
  /** Not called `rows`, because the driver interprets `rows` as a limit. */
  private readonly decoded: Row[] = [];
  private readonly raw: (string | null)[][] = [];
  private parameters: readonly number[] = [];
  private failure: DatabaseFailure | undefined;
  /** Number of rows held by the sink. */
  private taken = 0;
  /** The sink and the format of the rows, set with the first row; null if rows are not passed to a sink. */
  private taker: { readonly sink: RowSink; readonly format: PostgresRows } | null | undefined;
  private connection: Connection | undefined;
  began = false;
  awaited: number;
  isGuarded: boolean;
  private isGuardDescribed = false;
  /** Number of preceding statements that have not been bound. */
  private unbound: number;
  private isDone = false;

  /** `callback` is public, because tracing tools wrap it. */
  constructor(
    private readonly query: WireQuery,
    readonly callback: WireCallback,
  ) {
    this.text = query.statement.text;
    this.values = query.values;
    this.shape = query.shape;
    this.awaited = query.before?.length ?? 0;
    this.unbound = this.awaited;
    this.isGuarded = query.guard !== undefined;
  }

  /** Number of rows that have arrived and are held. */
  get length(): number {
    const taken = this.query.onRow === undefined ? this.taken : 0;
    return this.decoded.length + this.raw.length + taken;
  }

  submit(connection: Connection): void {
    countReaders(connection, 1);
    this.connection = connection;
    const wire = wireOf(connection);
    const { name, parse, values, guard, before = none, behind = none, unused = none } = this.query;
    const isAlone =
      before.length === 0 && behind.length === 0 && unused.length === 0 && guard?.isPrepared !== false;
    const isKnown = name !== undefined && parse === undefined && this.shape.columns !== undefined;
    const { statement } = this.query;
    const message =
      isAlone && isKnown && values !== undefined ? runMessage(statement.bind, values) : undefined;
    if (message !== undefined) {
      if (wire.stream.writable)
        wire.stream.write(guard === undefined ? message : Buffer.concat([guard.describe, message]));
      return;
    }
    wire.stream.cork();
    for (const one of before) sendBeside(wire, one);
    for (const forgotten of unused) wire.close({ type: 'S', name: forgotten });
    if (guard !== undefined) sendGuard(wire, guard);
    if (parse !== undefined) {
      // Behind a pooler, another process may have left a statement with this name, and an earlier one may be outdated.
      if (name !== undefined) wire.close({ type: 'S', name });
      wire.parse({ text: this.text, name, types: parse });
    }
    if (values === undefined) wire.describe({ type: 'S', name: name ?? '' });
    else {
      wire.bind({ statement: name, values });
      // The result columns of a prepared statement are known after the server has described them once.
      if (this.shape.columns === undefined) wire.describe({ type: 'P', name: '' });
      wire.execute({});
    }
    for (const one of behind) sendBeside(wire, one);
    wire.sync();
    wire.stream.uncork();
  }

  handleParameterDescription(types: readonly number[]): void {
    // The guard is described first. If it has no columns, it is not followed by a row description.
    if (this.isGuarded && !this.isGuardDescribed) this.isGuardDescribed = true;
    else {
      this.isGuarded = false;
      this.parameters = types;
    }
  }

  handleBindComplete(): void {
    if (this.unbound > 0) this.unbound -= 1;
    else {
      this.isGuarded = false;
      this.began = true;
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    if (this.isGuarded) {
      this.isGuarded = false;
      return;
    }
    const columns: readonly Column<number>[] = fields.map(({ name, dataTypeID }) => ({
      name,
      type: dataTypeID,
    }));
    this.shape.columns = columns;
    try {
      const decode = this.query.statement.decoderOf(columns);
      if (decode !== undefined) this.shape.decode = decode;
    } catch (error) {
      this.failure ??= unreadable(error);
    }
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    if (this.awaited > 0) return;
    const { decode } = this.shape;
    try {
      this.taker ??= this.readyTaker() ?? null;
      if (this.taker !== null) {
        this.taken += 1;
        const { sink, format } = this.taker;
        sink.takeValues(format.valuesOf(fields), (index) => format.orderedOf(index, fields[index]));
      } else if (decode === undefined) this.raw.push(fields);
      else if (this.query.onRow !== undefined) this.query.onRow(decode(fields));
      else this.decoded.push(decode(fields));
    } catch (error) {
      this.failure ??= unreadable(error);
    }
  }

  takeRow(bytes: Buffer, from: number, to: number): boolean {
    if (this.awaited > 0) return false;
    if (this.query.sink === undefined) return this.takeTexts(bytes, from, to);
    try {
      this.taker ??= this.readyTaker() ?? null;
      if (this.taker?.sink.take(bytes, from, to) !== true) return false;
    } catch (error) {
      this.failure ??= unreadable(error);
    }
    this.taken += 1;
    return true;
  }

  /** Reads a row as strings; returns false if the bytes are not a row. */
  private takeTexts(bytes: Buffer, from: number, to: number): boolean {
    const fields = textsOf(bytes, from, to);
    if (fields !== undefined) this.handleDataRow({ fields });
    return fields !== undefined;
  }

  /** The sink and format of the rows; undefined without a sink, or if rows must wait for the types of their columns. */
  private readyTaker(): { readonly sink: RowSink; readonly format: PostgresRows } | undefined {
    const { sink, statement } = this.query;
    const { columns, decode } = this.shape;
    if (sink === undefined || columns === undefined || decode === undefined) return undefined;
    const decoders = statement.types.knownDecoders(columns);
    if (decoders === undefined) return undefined;
    const format = rowFormat(columns, decoders);
    sink.begin(format);
    return { sink, format };
  }

  handleCommandComplete(): void {
    if (this.awaited > 0) this.awaited -= 1;
    else this.shape.columns ??= [];
  }

  handleEmptyQuery(): void {
    this.shape.columns ??= [];
  }

  handleReadyForQuery(): void {
    if (this.failure !== undefined) this.end(this.failure);
    else {
      const { decoded, raw, shape, parameters } = this;
      this.end(null, { rows: decoded, raw, shape, parameters });
    }
  }

  handleError(error: unknown): void {
    this.end(error);
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('A service has nothing to copy from');
    // The server has ignored the Sync that was sent with the statement.
    wire.sync();
  }

  handleCopyData(): void {
    // There is no caller for this data.
  }

  private end(error: unknown, result?: WireResult): void {
    if (this.isDone) return;
    this.isDone = true;
    if (this.connection !== undefined) countReaders(this.connection, -1);
    this.callback(error, result);
  }
}

const none: readonly never[] = [];

/** Execute and Sync. */
const execution = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

/**
 * Bind, Execute and Sync of a prepared statement in a single write, instead of three by the driver. Undefined if a value is not a
 * string.
 */
function runMessage(bind: Buffer, values: readonly WireValue[]): Buffer | undefined {
  if (!areTexts(values)) return undefined;
  let length = bind.length + 4;
  for (const value of values) length += 4 + (value === null ? 0 : lengthOf(value));
  const bytes = Buffer.allocUnsafe(length + execution.length);
  let at = copyShort(bind, 0, bind.length, bytes, 0);
  bytes.writeInt32BE(length - 1, 1);
  at = bytes.writeUInt16BE(values.length, at);
  for (const value of values) {
    const text = at + 4;
    const written = value === null ? -1 : writeText(value, bytes, text);
    bytes.writeInt32BE(written, at);
    at = text + Math.max(0, written);
  }
  // Request all result columns in text format.
  at = bytes.writeInt16BE(0, at);
  copyShort(execution, 0, execution.length, bytes, at);
  return bytes;
}

/** Strings up to this length are written character by character, which is faster than a call. */
const short = 32;

/** The length of the string in UTF-8 bytes. */
function lengthOf(text: string): number {
  if (text.length > short) return Buffer.byteLength(text);
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) >= 0x80) return Buffer.byteLength(text);
  return text.length;
}

/** Writes a string, and returns the number of bytes written. */
function writeText(text: string, bytes: Buffer, at: number): number {
  if (text.length > short) return bytes.write(text, at);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return bytes.write(text, at);
    bytes[at + index] = unit;
  }
  return text.length;
}

function areTexts(values: readonly WireValue[]): values is readonly (string | null)[] {
  return values.every((value) => !(value instanceof Buffer));
}

function sendGuard(wire: Wire, guard: Guard): void {
  if (!guard.isPrepared) {
    wire.close({ type: 'S', name: guard.name });
    wire.parse({ text: guard.text, name: guard.name, types: [] });
    guard.isPrepared = true;
    guard.since = performance.now();
  }
  wire.describe({ type: 'S', name: guard.name });
}

function sendBeside(wire: Wire, { text, name, isPrepared = false, values = [] }: Beside): void {
  if (!isPrepared) {
    if (name !== undefined) wire.close({ type: 'S', name });
    wire.parse({ text, name, types: [] });
  }
  wire.bind({ statement: name, values });
  wire.execute({});
}

markAsQuery(PostgresQuery);
