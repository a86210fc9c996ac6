/** Rows that are the body of a response before they are read, and are written while they arrive. */
import type { Json, Row } from '../handler/json.js';
import type { HeaderLines, Reply } from '../handler/reply.js';
import type { Lines } from './lines.js';

/** Parts of a response with such a body. */
export interface StreamOptions<Entry extends Row> {
  readonly header?: HeaderLines;
  /** The content type. */
  readonly type: string;
  /** How each row is written. */
  readonly as: Lines;
  /** Makes what is written of a row; the row itself without it. */
  readonly item?: (row: Entry) => Json;
  /** The name under which clients store it; null for none. */
  readonly fileName?: Json | undefined;
}

/** A read that has not begun. */
export interface RowSource<Entry extends Row = Row> {
  /**
   * Resolves with the first row, or with none if it has none. Throws a ServiceError if that fails, also where half of the connections are
   * used so already (503).
   */
  begin(): Promise<Arriving<Entry>>;
  /** The same, with each row as a line of JSON; undefined where user code reads the rows. */
  beginLines?(): Promise<Arriving<Buffer>>;
}

/** Rows in the order of the database, or pieces of what they are written as. Read all of them, or `abandon` them. */
export interface Arriving<Part> {
  /** Those that have arrived, each time at least one. Throws a ServiceError if the read fails. */
  batches(): AsyncGenerator<readonly Part[], undefined>;
  /** Nobody reads more: ends the statement. */
  abandon(): void;
}

/** The class that sends them is loaded only where rows are streamed. */
export abstract class RowStream<Entry extends Row = Row> {
  constructor(readonly source: RowSource<Entry>) {}

  /** Creates the reply whose body the rows are. */
  abstract replyWith(status: number, options: StreamOptions<Entry>): Reply;
}
