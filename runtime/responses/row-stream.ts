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
  /** Makes the written value of a row; the row itself without it. */
  readonly item?: (row: Entry) => Json;
  /** The name under which clients store it; null omits it. */
  readonly fileName?: Json | undefined;
}

/** A read that has not begun. */
export interface RowSource<Entry extends Row = Row> {
  /**
   * Resolves with the first row, or at the end of an empty result. Throws a ServiceError if the read fails, and if half of the connections
   * are already used in this way (503).
   */
  begin(): Promise<Arriving<Entry>>;
  /** The same, with each row as a line of JSON; undefined if user code reads the rows. */
  beginLines?(): Promise<Arriving<Buffer>>;
}

/** Rows in the order of the database, or pieces of their written form. Read all of them, or call `abandon`. */
export interface Arriving<Part> {
  /** Batches of at least one arrived row. Throws a ServiceError if the read fails. */
  batches(): AsyncGenerator<readonly Part[], undefined>;
  /** Ends the statement, because nobody reads more rows. */
  abandon(): void;
}

/** A base class, so that the implementation is loaded only if rows are streamed. */
export abstract class RowStream<Entry extends Row = Row> {
  constructor(readonly source: RowSource<Entry>) {}

  /** Creates the reply whose body consists of these rows. */
  abstract replyWith(status: number, options: StreamOptions<Entry>): Reply;
}
