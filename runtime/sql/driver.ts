/** The interface that each kind of database implements, so that a datasource can run statements on it. */
import type { Socket } from 'node:net';
import type { SqlValue } from './sql-template.js';
import type { Json, Row } from '../handler/json.js';
import type { ConnectionSettings, QueryContext } from './connection-settings.js';
import type { Failure } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { RowFormat } from './row-format.js';

/** One statement for the driver: SQL with markers, and a value for each marker. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether a string for the value with this index is a JSON document: it is an undeclared parameter where JSON is expected. */
  readonly isJsonText?: ((index: number) => boolean) | undefined;
  /** On MySQL and MariaDB: the columns that its values are written to or compared with. */
  readonly columns?: readonly ValueColumns[] | undefined;
  /** The names of the columns of its rows, as they are read; the server may report them in another letter case. */
  readonly columnNames?: readonly string[] | undefined;
  /** Columns whose values 1 and 0 mean true and false. */
  readonly truths?: readonly string[] | undefined;
  /** Columns by which a list continues after its last row. It needs more than JSON shows for NaN, infinities and a TINYINT(1) of 2. */
  readonly orderColumns?: readonly string[] | undefined;
  /**
   * The SQL that this statement runs for several elements; on PostgreSQL, for each element of lists of its values. A row consists of the
   * position of its element (`place`), and the row of that SQL (`row`).
   */
  readonly eachOf?: string | undefined;
  readonly use: 'read' | 'update';
  /** Whether it may change data: if its connection ends before the result, its outcome is unknown. */
  readonly changes: boolean;
  /** Whether the database executes it completely or not at all. */
  readonly atomic: boolean;
  /** Whether it may leave something in the session, which is then cleaned before its next use. */
  readonly runsUnknownCode?: boolean;
  /** Whether it leaves something on its connection, which must not be reused after the transaction. */
  readonly changesSession?: boolean;
  /** Whether it runs in a transaction, where a failure would undo earlier statements: attempts that may have to be repeated are avoided. */
  readonly inTransaction?: boolean;
  /** Whether that transaction runs again after a conflict, without anybody noticing. */
  readonly runsAgain?: boolean;
  /** The context that is set before it, if the datasource has one. */
  readonly context?: QueryContext | undefined;
  /** Whether it needs BEGIN and COMMIT around it, because it could end the transaction of its context. */
  readonly enclosed?: boolean;
  /** Whether later statements must not overtake it: the sender retries it then, not the driver. */
  readonly inOrder?: boolean;
  /**
   * Called with each row on arrival. The result has only rows for which that was not possible. The reader may be slow, so the server's time
   * limits do not apply. With a sink, it receives only rows that the sink cannot accept, and the sink holds none.
   */
  readonly onRow?: (row: Row) => void;
  /** Receives the rows if the driver knows their columns before the first row. The result then contains either no rows or all of them. */
  readonly sink?: RowSink | undefined;
}

/** Receives the rows of one run as the server sends them. */
export interface RowSink {
  /** The format of the rows, before the first row. */
  begin(format: RowFormat): void;
  /** The bytes of a row; false if they do not have this format. Throws errors of decoders. */
  take(bytes: Buffer, from: number, to: number): boolean;
  /** A row that had to be decoded, by its columns; `orderedAt` gives a value as lists compare it (`orderColumns`). */
  takeValues(values: readonly Json[], orderedAt: (index: number) => Json): void;
}

/** A SELECT that is never executed, whose columns have the types of the statement's values; NULL for a value without a column. */
export interface ValueColumns {
  readonly text: string;
  /** For each of the query's values, the index of its column; undefined if the indexes are equal. */
  readonly origins?: readonly number[] | undefined;
  /** `position`: the values are those of the last row of a list, and the rows after it are read. */
  readonly use: 'written' | 'compared' | 'position';
}

/** Called once: with the rows, or with an error of the driver and no rows. */
export type QueryCallback = (error: unknown, rows?: Row[]) => void;

/** The commands of a transaction. There is one savepoint at a time. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** One of several servers of a datasource, as its connections use it. */
export interface Place {
  /** The settings of connections to this server alone. */
  readonly settings: ConnectionSettings;
  /** Whether a connection opened at that time, in milliseconds of `performance.now()`, may be used for new statements. */
  trusts(born: number): boolean;
  /** Whether the server responds. Call it repeatedly while statements are in flight. */
  responds(now: number): boolean;
  /** Reports that the connection was lost with this failure of a statement. */
  failed(failure: Failure): void;
}

/** One session of the server, opened and set up by the driver. */
export interface DriverConnection {
  readonly socket: Socket;
  /** Set if the datasource has several servers. */
  place?: Place;
  /** How many rows of the current result have arrived. */
  readonly rows: number;
  /** Whether a transaction was open in the server's last report; undefined before the first report. */
  readonly transactionOpen: boolean | undefined;
  /** Whether the session has been changed in a way that survives a reset. */
  readonly isChanged?: boolean;
  /** Calls the listener with an error that belongs to no statement. */
  onError(listener: (error: unknown) => void): void;
  /**
   * Runs the statement and decodes its result. On a shared connection results arrive in the order of the statements, except for statements
   * that must look something up.
   */
  start(query: Query, done: QueryCallback): void;
  /**
   * For statements of a transaction: sends this one after those that are in flight there. Undefined where it has to wait for their results:
   * the server is to be asked something first, or a value does not fit.
   */
  after?(query: Query): ((done: QueryCallback) => void) | undefined;
  /** Throws the errors of the driver, and an error if the server confirmed a COMMIT that did not happen. */
  command(command: TransactionCommand): Promise<void>;
  /**
   * Sends BEGIN together with the next statement: if BEGIN fails, the statement is not run. False if BEGIN has to be sent separately, with
   * `command`.
   */
  beginWithNext?(): boolean;
  /** Sends a command that takes no time in the server, and waits for the response. */
  ping(): Promise<void>;
  /** Makes the session as it was when it was opened. Throws the errors of the driver. */
  reset(): Promise<void>;
  /** Lets user code run one statement on the driver's connection. Throws the errors of user code. */
  passOn<Result>(run: (client: unknown) => Promise<Result>): Promise<Result>;
  /** Asks the server to cancel the running statement. Never fails. */
  cancel(): Promise<void>;
  /** Closes the connection cleanly. */
  end(): Promise<void>;
}

/** The settings with which user code connects through knex. */
export interface KnexSettings {
  readonly client: 'pg' | 'mysql2';
  /** The settings of its driver. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** For several servers: returns the settings of a usable one, and knex's function that checks whether they are still current. */
  readonly found?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Sets up a new connection like those of the datasource. Throws the errors of the driver. */
  readonly prepare: (connection: unknown) => Promise<unknown>;
}

/** Opens connections, and translates their errors. */
export interface Driver {
  /** Whether a statement can commit the transaction in which it runs: a procedure or DDL of MySQL. */
  readonly commitsWithin: boolean;
  /** How many connections quick reads share; 0 once it turns out that the server does not keep sessions. */
  readonly shared: number;
  /**
   * Throws the errors of the driver. A shared connection is read-only, and statements are sent on it without waiting for earlier results.
   */
  connect(isShared: boolean): Promise<DriverConnection>;
  /** The meaning of an error of the driver. `text` is the SQL of the statement, undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
  knexSettings(): KnexSettings;
  /** Whether the error means that the statement changes data: shared connections are read-only. */
  isWrite(error: unknown): boolean;
}

/** A kind of database: the parts that all of its datasources share. */
export interface DatabaseSystem {
  readonly kind: DatabaseKind;
  /** `warn` receives problems that are only found while it runs, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): Driver;
}
