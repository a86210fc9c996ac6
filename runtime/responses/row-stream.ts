/** Rows that are sent as a response body while they arrive. */
import type { Json, Row } from '../handler/json.js';
import type { HeaderLines, Reply } from '../handler/reply.js';
import type { Lines } from './lines.js';
import type { Omitted } from './omitted-fields.js';

/** Optional parts of a streamed response. */
export interface StreamOptions<Entry extends Row> {
  readonly header?: HeaderLines;
  /** The content type. */
  readonly type: string;
  /** The format of each row. */
  readonly as: Lines;
  /** Converts a row to the value that is written; the default is the row. */
  readonly item?: (row: Entry) => Json;
  /** The fields of objects that are left out of JSON. */
  readonly omit?: Omitted;
  /** The file name for clients that store the response; null omits it. */
  readonly fileName?: Json | undefined;
  /** Whether the response has a secret that the operation made: caches do not store it, and it is never compressed. */
  readonly secret?: boolean;
}

/** A read that has not started. */
export interface RowSource<Entry extends Row = Row> {
  /**
   * Resolves with the first row, or at the end of an empty result. Throws a ServiceError if the read fails, and a ServiceError 503 if
   * half of the connections are already used for streams.
   */
  begin(): Promise<Arriving<Entry>>;
  /** Like `begin`, with each row as a line of JSON; undefined if user code reads the rows. */
  beginLines?(): Promise<Arriving<Buffer>>;
}

/** Rows in database order, or pieces of their serialized form. Read all of them, or call `abandon`. */
export interface Arriving<Part> {
  /** Batches of one or more arrived rows. Throws a ServiceError if the read fails. */
  batches(): AsyncGenerator<readonly Part[], undefined>;
  /** Ends the statement, because no more rows are needed. */
  abandon(): void;
}

/** A base class, so that the implementation is only loaded if rows are streamed. */
export abstract class RowStream<Entry extends Row = Row> {
  constructor(readonly source: RowSource<Entry>) {}

  /** Creates a reply with these rows as the body. */
  abstract replyWith(status: number, options: StreamOptions<Entry>): Reply;
}
