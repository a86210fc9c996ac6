/** The interface that each database system implements to run the statements of a datasource. */
import type { Socket } from 'node:net';
import type { SqlValue } from './sql-template.js';
import type { Json, Row } from '../handler/json.js';
import type { ConnectionSettings, QueryContext } from './connection-settings.js';
import type { Failure } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { RowFormat } from './row-format.js';

/** A statement for the driver: SQL with placeholders, and a value for each placeholder. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether the value with this index, if it is a string, is a JSON document: an undeclared parameter where JSON is expected. */
  readonly isJsonText?: ((index: number) => boolean) | undefined;
  /** On MySQL and MariaDB: the columns that the values are written to or compared with. */
  readonly columns?: readonly ValueColumns[] | undefined;
  /** The column names used by the reader; the server may report them in a different letter case. */
  readonly columnNames?: readonly string[] | undefined;
  /** Columns in which 1 and 0 mean true and false. */
  readonly truths?: readonly string[] | undefined;
  /**
   * Columns by which a list is continued after its last row. They keep more information than JSON for NaN, infinities, and a TINYINT(1)
   * of 2.
   */
  readonly orderColumns?: readonly string[] | undefined;
  /** Whether the statement is prepared for a single run. */
  readonly once?: boolean | undefined;
  /**
   * The SQL that this statement runs for several elements; on PostgreSQL, for each element of lists of values. A row consists of the
   * position of its element (`place`), and a row of that SQL (`row`).
   */
  readonly eachOf?: string | undefined;
  readonly use: 'read' | 'update';
  /** Whether the statement may change data: if the connection ends before the result, the outcome is unknown. */
  readonly changes: boolean;
  /** Whether the database runs the statement either completely or not at all. */
  readonly atomic: boolean;
  /** Whether the statement may change the session state, which is then reset before the next use. */
  readonly runsUnknownCode?: boolean;
  /** Whether the statement leaves state on its connection, which must not be reused after the transaction. */
  readonly changesSession?: boolean;
  /**
   * Whether the statement is part of a transaction, in which a failure would undo earlier statements: attempts that may need a retry
   * are avoided.
   */
  readonly inTransaction?: boolean;
  /** Whether the transaction is transparently retried after a conflict. */
  readonly runsAgain?: boolean;
  /** The context that is set before the statement, if the datasource has a context. */
  readonly context?: QueryContext | undefined;
  /** Whether the statement needs BEGIN and COMMIT around it, because it could end the transaction of its context. */
  readonly enclosed?: boolean;
  /** Whether later statements must not overtake this one: retries are then left to the sender, not the driver. */
  readonly inOrder?: boolean;
  /**
   * Called with each row as it arrives. The result only contains rows for which that was impossible. The server's time limits do not
   * apply, because the reader may be slow. With a sink, only called with rows that the sink cannot accept; the sink does not hold rows.
   */
  readonly onRow?: (row: Row) => void;
  /** Receives the rows if the driver knows their columns before the first row. The result then contains either all rows or none. */
  readonly sink?: RowSink | undefined;
}

/** Receives the rows of one run in the format of the server. */
export interface RowSink {
  /** Called with the row format before the first row. */
  begin(format: RowFormat): void;
  /** Receives the bytes of a row; returns false if they do not match the format. Throws errors of decoders. */
  take(bytes: Buffer, from: number, to: number): boolean;
  /**
   * Receives a row that had to be decoded, as values by column; `orderedAt` returns a value in the form used to compare list elements
   * (`orderColumns`).
   */
  takeValues(values: readonly Json[], orderedAt: (index: number) => Json): void;
}

/** A SELECT, never executed, whose columns have the types of the statement's values; NULL for a value without a column. */
export interface ValueColumns {
  readonly text: string;
  /** For each value of the query, its column index; undefined if the indexes are equal. */
  readonly origins?: readonly number[] | undefined;
  /** `position`: the values are from the last row of a list, and the query reads the rows after it. */
  readonly use: 'written' | 'compared' | 'position';
}

/** Called once, either with rows or with an error of the driver. */
export type QueryCallback = (error: unknown, rows?: Row[]) => void;

/** Transaction commands. There is at most one savepoint. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** One of several servers of a datasource, as its connections see it. */
export interface Place {
  /** The settings for connections to this server only. */
  readonly settings: ConnectionSettings;
  /** Whether a connection opened at the given time, in milliseconds of `performance.now()`, may be used for new statements. */
  trusts(born: number): boolean;
  /** Whether the server responds. Call regularly while statements are in flight. */
  responds(now: number): boolean;
  /** Reports a statement failure that ended the connection. */
  failed(failure: Failure): void;
}

/** Statements that the server runs in order with one command, until one fails. Their rows are not reported. */
export interface StatementBlock {
  /** Number of statements. */
  readonly count: number;
  /** The index of the failed statement; undefined before a failure, and if no statement ran. */
  readonly failedAt: number | undefined;
  /** The SQL of the failed statement. */
  readonly text: string;
  /** Runs the statements. `done` is called with the error of the failed statement. */
  start(done: QueryCallback): void;
}

/** A server session, opened and set up by the driver. */
export interface DriverConnection {
  readonly socket: Socket;
  /** Set if the datasource has several servers. */
  place?: Place;
  /** Number of rows of the current result that have arrived. */
  readonly rows: number;
  /** Whether a transaction was open at the server's last report; undefined before the first report. */
  readonly transactionOpen: boolean | undefined;
  /** Whether the session has changes that survive a reset. */
  readonly isChanged?: boolean;
  /** Calls the listener with errors outside statements. */
  onError(listener: (error: unknown) => void): void;
  /**
   * Runs the statement and decodes its result. On a shared connection, results arrive in the order of the statements, except for
   * statements that require an additional query.
   */
  start(query: Query, done: QueryCallback): void;
  /**
   * Sends a statement of a transaction while others are in flight. Undefined if it must wait for their results: the server must be
   * queried first, or a value does not match.
   */
  after?(query: Query): ((done: QueryCallback) => void) | undefined;
  /**
   * The first of these statements of a transaction, to be run with one command. Undefined if the next one must run alone. Drivers have
   * either this or `after`.
   */
  block?(queries: readonly Query[]): StatementBlock | undefined;
  /** Runs a transaction command. Throws the errors of the driver, and an error if the server confirmed a COMMIT that did not happen. */
  command(command: TransactionCommand): Promise<void>;
  /**
   * Sends BEGIN together with the next statement, which does not run if BEGIN fails. False if BEGIN must be sent separately with
   * `command`.
   */
  beginWithNext?(): boolean;
  /** Sends a command that the server handles immediately, and waits for the response. */
  ping(): Promise<void>;
  /** Restores the initial session state. Throws the errors of the driver. */
  reset(): Promise<void>;
  /** Lets user code run one statement on the connection of the driver. Throws the errors of user code. */
  passOn<Result>(run: (client: unknown) => Promise<Result>): Promise<Result>;
  /** Asks the server to cancel the running statement. Never fails. */
  cancel(): Promise<void>;
  /** Closes the connection cleanly. */
  end(): Promise<void>;
}

/** The settings with which user code connects through Knex. */
export interface KnexSettings {
  readonly client: 'pg' | 'mysql2';
  /** The connection settings of Knex's driver. */
  readonly connection: Readonly<Record<string, unknown>>;
  /**
   * Set for several servers: returns the settings of a usable server, and the function with which Knex checks that they are still
   * current.
   */
  readonly found?: () => Promise<Readonly<Record<string, unknown>>>;
  /** In milliseconds. */
  readonly connectTimeout: number;
  /** Sets up a new connection in the same way as the datasource. Throws the errors of the driver. */
  readonly prepare: (connection: unknown) => Promise<unknown>;
}

/** Opens connections, and translates driver errors. */
export interface Driver {
  /** Whether statements can commit the transaction in which they run: procedures and DDL on MySQL. */
  readonly commitsWithin: boolean;
  /** Number of connections shared by quick reads; 0 once the server is known not to keep sessions. */
  readonly shared: number;
  /**
   * Opens a connection. Throws the errors of the driver. A shared connection is read-only, and statements are sent on it without
   * waiting for earlier results.
   */
  connect(isShared: boolean): Promise<DriverConnection>;
  /** Translates an error of the driver. `text` is the SQL of the statement; undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
  knexSettings(): KnexSettings;
  /** Whether the error means that the statement changes data: shared connections are read-only. */
  isWrite(error: unknown): boolean;
}

/** A database system: the state shared by all of its datasources. */
export interface DatabaseSystem {
  readonly kind: DatabaseKind;
  /** `warn` receives problems that are only detected at run time, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): Driver;
}
