/** A statement of the configuration, as generated code declares and runs it. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { Connection } from './connection.js';
import type { Query, RowSink } from './driver.js';
import type { Failure } from './failure.js';
import type { LatencyEstimate } from './meter.js';
import type { OpenDatasource } from './run-alone.js';
import type { SqlTemplate, PassedValue } from './sql.js';

/** One SQL text of the configuration, declared once when the service starts. */
export interface StatementDefinition {
  /** Its operation and fulfillment, for logs. */
  readonly operation: string;
  readonly fulfillment: string;
  /** The text with its markers (`$1` or `?`); a template where an IN list makes their number vary. */
  readonly sql: string | SqlTemplate;
  /**
   * One for each value, so that a response 400 can name it: `param.id`, `body.lines[].price`, or null where it is not of the request;
   * left out where none is.
   */
  readonly valueNames?: readonly (string | null)[];
  /**
   * Only on MySQL and MariaDB: the names of the columns as the handler reads them, if the letter case that the server reports is that of
   * its tables and views, and not that of the statement.
   */
  readonly columnNames?: readonly string[];
  /**
   * Only on MySQL and MariaDB, if values are passed to columns: a SELECT of these columns, one for each value; NULL for a value that is not
   * passed to a column. It is prepared and never executed: the types of its columns are the types of the parameters, which the server does
   * not report.
   */
  readonly parameterTypes?: string;
  /** As `parameterTypes`, if the values are compared with the columns: those of the last row of a list. */
  readonly comparedTypes?: string;
  /** Columns whose values are `{ ordered: 'NaN', shown: null }` where JSON has less than the database compares. */
  readonly orderColumns?: readonly string[];
  /**
   * False for a READ that may have side effects: running it twice could do harm. Every other READ is retried once when a connection ends
   * before any result, and may be sent ahead. An UPDATE is never retried.
   */
  readonly retry?: false;
  /** False for what may leave a part of its work after a failure: a procedure that commits, a call of another system. */
  readonly atomic?: false;
  /** It runs code of the database, which may leave something in the session: that is cleaned before anybody else gets the connection. */
  readonly runsUnknownCode?: true;
  /** It leaves something on its connection (a temporary table, a lock), which is closed at the end of the transaction. */
  readonly changesSession?: true;
  /** It runs between BEGIN and COMMIT, because it could end the transaction in which the context of its datasource holds. */
  readonly enclosed?: true;
  /** It runs as the user of the datasource, without its context: a statement of the service itself, for no caller. */
  readonly asUser?: true;
  /**
   * The RETURNING that its author did not write (`RETURNING *`), appended to `sql` until the server refuses it (decisions 11.3): before
   * version 17 in a MERGE, for a view with rules, for a user who may not read. From then on the statement returns no rows.
   */
  readonly returning?: string;
  /** The text that this one runs for each element of lists: the types of its values are lists of the types of that one's. */
  readonly eachOf?: string;
}

/**
 * Runs the statement with the values of its placeholders in order, and returns the rows. Throws a ServiceError: 400, 409, 500, 503 or 504
 * (decisions 9.3).
 */
export interface Statement<Entry extends Row = Row> {
  (call: Call, values?: readonly PassedValue[]): Promise<Entry[]>;
  /** For those who send it ahead of its time, or pass its rows on while they arrive. */
  readonly runner: ReadRunner;
  /** Reads several elements of a loop at once. */
  readonly each?: EachRead;
  /** Records a read whose rows are passed on while they arrive; undefined where nothing is traced. */
  readonly traceRows?: (values: readonly PassedValue[]) => EndOfRows | undefined;
}

/** Records the end of a read whose rows are passed on while they arrive: how many, and the error that ended them. */
export type EndOfRows = (rows: number, error?: unknown) => void;

/** Reads for several elements of a loop at once. */
export interface EachRead {
  /**
   * The rows of the next elements, from a position on, for each of them; as many elements as suit. Undefined, now or later, where they have
   * to be read one by one. Never fails.
   */
  start<Element>(
    call: Call,
    elements: readonly Element[],
    from: number,
    valuesOf: (element: Element) => readonly PassedValue[],
  ): Promise<Row[][] | undefined> | undefined;
}

/** A statement whose rows are read ahead. */
export interface ReadRunner {
  /** How long it takes. */
  readonly latency: Pick<LatencyEstimate, 'isUnknown' | 'mean'>;
  /**
   * Where the driver can give rows to a sink, they are all in that which was made last, and the result is empty: one of a run that was given
   * up may still receive some.
   */
  run(call: Call, values: readonly PassedValue[], sinkOf?: () => RowSink): Promise<Row[]>;
  /** The connection on which it may be sent ahead, with the reads that follow; undefined if there is none now. */
  pinnedConnection(call: Call): Connection | undefined;
  /** Sends it ahead of its time; undefined when that cannot be. Rejects with a DatabaseFailure. `sinkOf`: as of `run`. */
  ahead(
    call: Call,
    values: readonly PassedValue[],
    pinnedConnection: Connection,
    sinkOf?: () => RowSink,
  ): Promise<Row[]> | undefined;
  /** Remembers what the failure of a read tells of its statement. */
  learn(error: unknown): void;
  /** The error that `run` would throw instead of this one. */
  toError(error: unknown, values: readonly PassedValue[]): unknown;
  /** Where it runs now, for those who run it themselves. Throws an Error before it is opened. */
  on(call: Call): OpenDatasource;
  /** Whether it runs on the primary, of a datasource with a replica, after this failure where it ran. */
  leaves(opened: OpenDatasource, call: Call, failure: Failure): boolean;
  /** The query of these values. Throws a ServiceError. */
  queryOf(call: Call, values: readonly PassedValue[]): Query;
  /** Reports that it has run; `start` is in milliseconds of `performance.now()`. */
  ran(start: number): void;
}
