/** The interface of a database datasource to generated code, and to the service around it. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { ConnectionCounts, Observer } from '../server/contracts.js';
import type { DatabaseSettings } from './connection-settings.js';
import type { KnexSettings } from './driver.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { Connection } from './connection.js';
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
  /**
   * The RETURNING that its author did not write (`RETURNING *`), appended to `sql` until the server refuses it (decisions 11.3): before
   * version 17 in a MERGE, for a view with rules, for a user who may not read. From then on the statement returns no rows.
   */
  readonly returning?: string;
}

/**
 * Runs the statement with the values of its placeholders in order, and returns the rows. Throws a ServiceError: 400, 409, 500, 503 or 504
 * (decisions 9.3).
 */
export interface Statement<Entry extends Row = Row> {
  (call: Call, values?: readonly PassedValue[]): Promise<Entry[]>;
  /** For those who send it ahead of its time. */
  readonly runner: ReadRunner;
}

/** A statement whose rows are read ahead. */
export interface ReadRunner {
  run(call: Call, values: readonly PassedValue[]): Promise<Row[]>;
  /** The connection on which it may be sent ahead, with the reads that follow; undefined if there is none now. */
  pinnedConnection(call: Call): Connection | undefined;
  /** Sends it ahead of its time; undefined when that cannot be. Rejects with a DatabaseFailure. */
  ahead(call: Call, values: readonly PassedValue[], pinnedConnection: Connection): Promise<Row[]> | undefined;
  /** The error for the caller of a failed read. */
  learn(error: unknown): void;
  /** The error that `run` would throw instead of this one. */
  toError(error: unknown, values: readonly PassedValue[]): unknown;
}

export interface Database {
  /** A statement of a READ fulfillment: its result is the list of rows. `Entry` is what its columns are; nothing checks them again. */
  read<Entry extends Row = Row>(definition: StatementDefinition): Statement<Entry>;
  /** A statement of an UPDATE fulfillment: the rows that it returns, or one row with insert_id and affected_rows (decisions 5.7). */
  update<Entry extends Row = Row>(definition: StatementDefinition): Statement<Entry>;
}

/** A database datasource, as the service that it belongs to handles it. */
export interface DatabaseDatasource extends Database {
  readonly name: string;
  readonly kind: DatabaseKind;
  /**
   * Reads the settings, and connects to nothing: the service starts while its database is unavailable. Returns warnings, which follow the
   * datasource's name and contain no secret. `warn` receives later ones. Throws a DatasourceStartError.
   */
  open(settings: DatabaseSettings, warn?: (warning: string) => void): readonly string[];
  /** Resolves when the database responds. Throws a ServiceError (503) if it does not respond within two seconds. */
  ping(): Promise<void>;
  /**
   * Whether it responds to a ping. If all its connections are in use: whether it has responded just now, or responds to a new connection.
   * Never fails.
   */
  isReachable(): Promise<boolean>;
  /** How own code connects to the same database. Throws an Error before it is opened. */
  knexSettings(): KnexSettings;
  /** Runs the action when it is closed. */
  whenClosing(action: () => Promise<void>): void;
  /** Its current number of connections. */
  connections(): ConnectionCounts;
  /** Reports every statement to the observer from now on. */
  observe(observer: Observer): void;
  /**
   * Accepts no more statements, waits for those in flight until the deadline (milliseconds of `performance.now()`), then closes all
   * connections. Ends soon after the deadline, even if the network does not respond.
   */
  close(deadline: number): Promise<void>;
}
