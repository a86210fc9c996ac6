/** The interface that each kind of database implements, so that a datasource can run statements on it. */
import type { Socket } from 'node:net';
import type { SqlValue } from './sql-template.js';
import type { Json, Row } from '../handler/json.js';
import type { ConnectionSettings, QueryContext } from './connection-settings.js';
import type { Failure } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import type { RowFormat } from './row-format.js';

/** One statement for the driver: its text with markers, and a value for each. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /**
   * Whether a string for the value with this index is JSON text and not a string: a parameter that nothing declares, where JSON is
   * expected.
   */
  readonly isJsonText?: ((index: number) => boolean) | undefined;
  /** On MySQL and MariaDB: the columns that its values are written to, and those that they are compared with. */
  readonly columns?: readonly ValueColumns[] | undefined;
  /** The names of the columns of its rows, as they are read; the server may report them in another letter case. */
  readonly columnNames?: readonly string[] | undefined;
  /** Columns whose 1 and 0 are true and false. */
  readonly truths?: readonly string[] | undefined;
  /** Columns by which a list goes on behind its last row, which needs more than JSON shows of NaN, infinities and a TINYINT(1) of 2. */
  readonly orderColumns?: readonly string[] | undefined;
  /**
   * The text that this one runs for several elements, on PostgreSQL for each element of lists of its values. A row is the position of its
   * element (`place`), and the row of that text (`row`).
   */
  readonly eachOf?: string | undefined;
  readonly use: 'read' | 'update';
  /** It may change data: if its connection ends before the result, its outcome is unknown. */
  readonly changes: boolean;
  /** The database does it as a whole or not at all. */
  readonly atomic: boolean;
  /** It may leave something in the session, which is cleaned before anybody else gets the connection. */
  readonly runsUnknownCode?: boolean;
  /** It leaves something on its connection, which nobody else may use after the transaction. */
  readonly changesSession?: boolean;
  /** True where a failure would undo what ran before: nothing is tried that may have to be tried again. */
  readonly inTransaction?: boolean;
  /** That transaction runs again after a conflict: nobody else notices it. */
  readonly runsAgain?: boolean;
  /** The settings behind which it runs, of a datasource that has such. */
  readonly context?: QueryContext | undefined;
  /** It needs BEGIN and COMMIT around it: it could end the transaction of its context. */
  readonly enclosed?: boolean;
  /** True where others behind it must not overtake it: whoever sent it tries again, not the driver. */
  readonly inOrder?: boolean;
  /**
   * Gets each row when it has arrived, and the result has only those of which that could not be. Whoever reads them may take long, so the
   * server's limits of time do not hold for it. With a sink, it gets those that the sink cannot take, and the sink holds none.
   */
  readonly onRow?: (row: Row) => void;
  /** Takes the rows if the driver knows their columns before the first; the result has either none of them or all. */
  readonly sink?: RowSink | undefined;
}

/** Takes the rows of one run as the server sends them. */
export interface RowSink {
  /** How they are read, before the first. */
  begin(format: RowFormat): void;
  /** The bytes of a row; false if it is not of this format. Throws what a decoder throws. */
  take(bytes: Buffer, from: number, to: number): boolean;
  /** A row that had to be decoded, by its columns; `orderedAt` gives a value as lists compare it (`orderColumns`). */
  takeValues(values: readonly Json[], orderedAt: (index: number) => Json): void;
}

/** A SELECT that is never executed, whose columns have the types of the statement's values; NULL for a value without a column. */
export interface ValueColumns {
  readonly text: string;
  /** For each of the query's values, which of the columns is its own; undefined where they agree. */
  readonly origins?: readonly number[] | undefined;
  /** `position`: the values are those of the last row of a list, and the rows after it are read. */
  readonly use: 'written' | 'compared' | 'position';
}

/** Called once: with the rows, or with an error of the driver and no rows. */
export type QueryCallback = (error: unknown, rows?: Row[]) => void;

/** The commands of a transaction. There is one savepoint at a time. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** One of several servers of a datasource, as the connections to it know it. */
export interface Place {
  /** How to connect to it alone. */
  readonly settings: ConnectionSettings;
  /** Whether a connection that was made then, in milliseconds of `performance.now()`, may be used for something new. */
  trusts(born: number): boolean;
  /** Whether the server responds. To be asked again and again while something is under way there. */
  responds(now: number): boolean;
  /** The connection was lost with this failure of a statement. */
  failed(failure: Failure): void;
}

/** One session of the server, as the driver has opened and set it up. */
export interface DriverConnection {
  readonly socket: Socket;
  /** Set where the datasource has several servers. */
  place?: Place;
  /** How many rows of the result that is arriving have arrived. */
  readonly rows: number;
  /** Whether a transaction was open when the server last reported it; undefined where it has reported nothing. */
  readonly transactionOpen: boolean | undefined;
  /** Whether something has changed the session, and it stayed. */
  readonly isChanged?: boolean;
  /** Calls the listener with an error that belongs to no statement. */
  onError(listener: (error: unknown) => void): void;
  /**
   * Runs the statement and decodes its result. On a shared connection results arrive in the order of the statements, except for statements
   * that must look something up.
   */
  start(query: Query, done: QueryCallback): void;
  /** Throws the errors of the driver, and an error if the server confirmed a COMMIT that did not happen. */
  command(command: TransactionCommand): Promise<void>;
  /**
   * BEGIN is sent in front of the next statement, and together with it: where BEGIN fails, the statement does not run. False where
   * it has to be sent alone, by `command`.
   */
  beginWithNext?(): boolean;
  /** Sends a command that takes no time in the server, and waits for the response. */
  ping(): Promise<void>;
  /** Makes the session as it was when it was opened. Throws the errors of the driver. */
  reset(): Promise<void>;
  /** Has own code run one statement on the connection of the driver. Throws what that throws. */
  passOn<Result>(run: (client: unknown) => Promise<Result>): Promise<Result>;
  /** Asks the server to end the statement that runs. Never fails. */
  cancel(): Promise<void>;
  /** Closes the connection cleanly. */
  end(): Promise<void>;
}

/** How own code connects with knex. */
export interface KnexSettings {
  readonly client: 'pg' | 'mysql2';
  /** The settings of its driver. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Of several servers: the settings of one that can be used now, and knex's way to ask whether they still are. */
  readonly found?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Sets a new connection up as those of the datasource are. Throws the errors of the driver. */
  readonly prepare: (connection: unknown) => Promise<unknown>;
}

/** How connections are opened, and what their errors mean. */
export interface Driver {
  /** True where a statement may commit the transaction that it runs in: a procedure or DDL of MySQL. */
  readonly commitsWithin: boolean;
  /** How many of the connections are shared by quick reads; none from when on it turns out that the server keeps no sessions. */
  readonly shared: number;
  /** Throws the errors of the driver. On a shared connection nothing changes data, and a statement is sent without waiting for the one before it. */
  connect(isShared: boolean): Promise<DriverConnection>;
  /** The meaning of an error of the driver; `text` is the statement, undefined while connecting. */
  failureOf(error: unknown, text: string | undefined): Failure;
  knexSettings(): KnexSettings;
  /** Whether the error means that the statement changes data: shared connections are read-only. */
  isWrite(error: unknown): boolean;
}

/** A kind of database: what is the same for all datasources of it. */
export interface DatabaseSystem {
  readonly kind: DatabaseKind;
  /** `warn` receives problems that are only found while it runs, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): Driver;
}
