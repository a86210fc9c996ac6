/** What a kind of database must implement, so that a datasource can run statements on it, and what it receives to run. */
import type { SqlValue, MarkerStyle } from './sql.js';
import type { Row } from '../handler/json.js';
import type { ConnectionCounts } from '../server/contracts.js';
import type { LatencyEstimate } from './meter.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { DatabaseKind } from './jdbc-options.js';
import type { PoolDriver } from './pool.js';

/** One statement for the driver: its text with markers, and a value for each. */
export interface Query {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /**
   * Whether a string for the value with this index is JSON text and not a string: a parameter that nothing declares, where JSON is
   * expected.
   */
  readonly isJsonText?: ((index: number) => boolean) | undefined;
  readonly columns?: ValueColumns;
  /** The names of the columns of its rows, as they are read; the server may report them in another letter case. */
  readonly columnNames?: readonly string[];
  readonly use: 'read' | 'update';
  /** It may change data: if its connection ends before the result, its outcome is unknown. */
  readonly changes: boolean;
  /** The database does it as a whole or not at all. */
  readonly atomic: boolean;
  /** It leaves something on its connection, which nobody else may use after the transaction. */
  readonly changesSession?: boolean;
  /** True where a failure would undo what ran before: nothing is tried that may have to be tried again. */
  readonly inTransaction?: boolean;
  /** True where others behind it must not overtake it: whoever sent it tries again, not the driver. */
  readonly inOrder?: boolean;
}

/**
 * A SELECT that is never executed, whose columns have the types of the statement's values; NULL for a value that is not passed to a column.
 */
export interface ValueColumns {
  readonly text: string;
  /** For each of the query's values, which of the columns is its own; undefined where they agree. */
  readonly origins?: readonly number[] | undefined;
}

/** Called once: with the rows, or with an error of the driver and no rows. */
export type QueryCallback = (error: unknown, rows?: Row[]) => void;

/** Connections of one session each that many reads share. */
export interface SharedConnections<Connection extends object> {
  /** How many of the datasource's connections are such; none from when on it turns out that the server keeps no sessions. */
  readonly count: number;
  /** Throws the errors of the driver. `lost` is called when the connection has ended for any reason. */
  connect(lost: () => void): Promise<Connection>;
  /** Whether the error means that the statement changes data: these connections are read-only. */
  isWrite(error: unknown): boolean;
  /** Sends a command that takes no time in the server, and waits for the response. */
  ping(connection: Connection): Promise<void>;
}

export interface SharedReads {
  /** Sends the statement on one of them; undefined if none is free now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> | undefined;
  /**
   * Sends the statement on a connection without others, such as one of unknown latency; if there is no connection, one statement waits until the
   * first is open. Undefined, or a promise of undefined, if none is free. `proceed` throws when the response is no longer needed. Rejects
   * with a DatabaseFailure, or with what `proceed` throws.
   */
  sendAlone(
    query: Query,
    deadline: number,
    latency: LatencyEstimate,
    proceed: () => void,
  ): Promise<Row[] | undefined> | undefined;
  /** One of them for statements that must run in their order; undefined if none is free now. */
  pinnedConnection(): SharedConnection | undefined;
}

/** All of them of a datasource. */
export interface ReadPipelines extends SharedReads {
  /** Does work that runs on a connection of its own, so that its pace is known. */
  timed<Result>(latency: LatencyEstimate, work: () => Promise<Result>): Promise<Result>;
  /** Ends one connection, for a server that accepts no more; false if there is none. */
  freeConnection(): Promise<boolean>;
  readonly counts: ConnectionCounts;
  /** When the server last responded on one of them, in milliseconds of `performance.now()`. */
  readonly respondedAt: number;
  /** Accepts no more statements, waits for those in flight until the deadline, and closes all. */
  close(deadline: number): Promise<void>;
}

/** A shared connection for as long as something is under way on it. */
export interface SharedConnection {
  readonly reads: SharedReads;
  /** Sends the statement after the earlier ones; undefined if the connection accepts none now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> | undefined;
}

/** The commands of a transaction. There is one savepoint at a time. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** How statements run on the connections of one kind of database. */
export interface StatementDriver<Connection extends object> extends PoolDriver<Connection> {
  /**
   * Runs the statement and decodes its result. On a shared connection results arrive in the order of the statements, except for statements
   * that must look something up.
   */
  start(connection: Connection, query: Query, done: QueryCallback): void;
  /** Throws the errors of the driver, and an error if the server confirmed a COMMIT that did not happen. */
  command(connection: Connection, command: TransactionCommand): Promise<void>;
  /**
   * BEGIN is sent in front of the next statement, and together with it: where BEGIN fails, the statement does not run. False where
   * it has to be sent alone, by `command`.
   */
  beginWithNext?(connection: Connection): boolean;
  /** Whether a transaction was open when the server last reported it; undefined where it has reported nothing. */
  transactionOpen(connection: Connection): boolean | undefined;
  /** True where a statement may commit the transaction that it runs in: a procedure or DDL of MySQL. */
  readonly commitsWithin: boolean;
  /** The connections that quick reads share. */
  readonly shared: SharedConnections<Connection>;
}

/** A kind of database: what is the same for all datasources of it. */
export interface DatabaseSystem<Connection extends object> {
  readonly kind: DatabaseKind;
  readonly markers: MarkerStyle;
  /** `warn` receives problems that are only found while it runs, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): StatementDriver<Connection>;
}
