/** One statement on the wire: the driver's own query describes every result anew, and copies every row once more. */
import pg, { type Client, type Connection, type Submittable } from 'pg';
import type { Row } from '../json.js';
import type { SqlValue } from './sql-value.js';
import { DatabaseFailure } from './failure.js';
import type { Column, RowDecoder } from './rows.js';

/** What a prepared statement gives on one connection: the server refuses to run it when that has changed. */
export interface Shape {
  columns?: readonly Column<number>[];
  decode?: RowDecoder<string>;
}

/** Columns and rows; the rows are raw where their shape had no decoder when they came. */
export interface RawResult {
  readonly shape: Shape;
  readonly rows: Row[];
  readonly raw: readonly (readonly (string | null)[])[];
}

/** Makes the decoder of such columns; undefined where that takes a look into the database. */
export interface Decoders {
  decoderOf(columns: readonly Column<number>[]): RowDecoder<string> | undefined;
}

/** What is sent. */
export interface WireQuery {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Called once: with the result, or with an error of the driver and no result. */
export type WireCallback = (error: unknown, result?: RawResult) => void;

/** The part of the driver's connection that is used. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(message: { text: string; name: string | undefined }): void;
  bind(message: { statement: string | undefined; values: readonly SqlValue[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: Record<string, never>): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

/** What each connection knows of its prepared statements, by their names. */
const shapes = new WeakMap<Client, Map<string, Shape>>();

/** Sends it on the connection, which keeps it under the name; without one it is prepared for this once. */
export function sendQuery(
  connection: Client,
  query: WireQuery,
  name: string | undefined,
  decoders: Decoders,
  callback: WireCallback,
): void {
  let named = shapes.get(connection);
  if (named === undefined) shapes.set(connection, (named = new Map<string, Shape>()));
  connection.query(new PostgresQuery(query, name, decoders, named, callback));
}

/** A value that came and cannot be read, such as JSON that is nested too deep: the connection is as good as before. */
export function unreadable(error: unknown): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'a value of the answer cannot be read' }, error);
}

/** Called by the driver as its messages come: what is thrown there would reach nobody. */
class PostgresQuery implements Submittable {
  readonly text: string;
  readonly values: readonly SqlValue[];
  private shape: Shape = {};
  /** Not `rows`: the driver takes that for a limit. */
  private readonly decoded: Row[] = [];
  private readonly raw: (string | null)[][] = [];
  private fault: DatabaseFailure | undefined;
  private isDone = false;

  /** `callback` is a public field because tracing puts its own around it. */
  constructor(
    { text, values }: WireQuery,
    readonly name: string | undefined,
    private readonly decoders: Decoders,
    private readonly shapes: Map<string, Shape>,
    readonly callback: WireCallback,
  ) {
    this.text = text;
    this.values = values;
  }

  submit(connection: Connection): void {
    // Documented for those who write queries of their own, and declared otherwise.
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    this.prepare(wire);
    wire.bind({ statement: this.name, values: this.values });
    // What a prepared statement gives is known once it has been told.
    if (this.shape.columns === undefined) wire.describe({ type: 'P', name: '' });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
    this.shape.columns = columns;
    try {
      const decode = this.decoders.decoderOf(columns);
      if (decode !== undefined) this.shape.decode = decode;
    } catch (error) {
      this.fault ??= unreadable(error);
    }
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    const { decode } = this.shape;
    try {
      if (decode === undefined) this.raw.push(fields);
      else this.decoded.push(decode(fields));
    } catch (error) {
      this.fault ??= unreadable(error);
    }
  }

  handleCommandComplete(): void {
    this.shape.columns ??= [];
  }

  handleEmptyQuery(): void {
    this.shape.columns ??= [];
  }

  handleReadyForQuery(): void {
    if (this.fault !== undefined) this.end(this.fault);
    else this.end(null, { shape: this.shape, rows: this.decoded, raw: this.raw });
  }

  handleError(error: unknown): void {
    this.end(error);
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('A service has nothing to copy from');
  }

  handleCopyData(): void {
    // There is nobody to give it to.
  }

  private prepare(wire: Wire): void {
    const { name } = this;
    if (name !== undefined) {
      const isKnown = wire.parsedStatements[name] ?? wire.submittedNamedStatements[name];
      const shape = this.shapes.get(name);
      if (isKnown !== undefined && shape !== undefined) {
        this.shape = shape;
        return;
      }
      this.shapes.set(name, this.shape);
      wire.submittedNamedStatements[name] = this.text;
    }
    wire.parse({ text: this.text, name });
  }

  private end(error: unknown, result?: RawResult): void {
    if (this.isDone) return;
    this.isDone = true;
    this.callback(error, result);
  }
}

// The driver sends only its own queries without waiting for answers; the constructor of those is what costs time.
Object.setPrototypeOf(PostgresQuery.prototype, pg.Query.prototype);
