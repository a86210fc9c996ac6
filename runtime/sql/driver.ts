/** What a kind of database has to bring along, so that a datasource can run statements on it, and what it is given to run. */
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
  /** Whether a string at this place is JSON text where JSON is expected, and no string: a parameter that nothing declares. */
  readonly isJsonText?: ((index: number) => boolean) | undefined;
  readonly columns?: ValueColumns;
  readonly use: 'read' | 'update';
  /** It may change data: where its connection ends before the answer, nobody knows whether it did. */
  readonly changes: boolean;
  /** The database does it as a whole or not at all. */
  readonly atomic: boolean;
  /** True where a failure would undo what ran before: nothing is tried that may have to be tried again. */
  readonly inTransaction?: boolean;
  /** True where others behind it must not overtake it: whoever sent it tries again, not the driver. */
  readonly inOrder?: boolean;
}

/** A SELECT, never run, whose columns have the types of the statement's values; NULL for a value that is given to no column. */
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
  /** Throws the errors of the driver. `lost` is called when the connection has ended, however that came. */
  connect(lost: () => void): Promise<Connection>;
  /** Whether the error says that the statement changes data: on these connections nothing does. */
  isWrite(error: unknown): boolean;
  /** Sends something that takes no time in the server, and waits for the answer. */
  ping(connection: Connection): Promise<void>;
}

export interface SharedReads {
  /** Sends the statement on one of them; undefined when none takes it now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> | undefined;
  /** One of them for statements that have to run in their order; undefined when none takes any now. */
  pinnedConnection(): SharedConnection | undefined;
}

/** All of them of a datasource. */
export interface ReadPipelines extends SharedReads {
  /** Does work that runs on a connection of its own, so that its pace is known. */
  timed<Result>(latency: LatencyEstimate, work: () => Promise<Result>): Promise<Result>;
  /** Ends one connection, for a server that grants no more; false when there is none. */
  freeConnection(): Promise<boolean>;
  readonly counts: ConnectionCounts;
  /** When the server answered on one of them for the last time, in milliseconds of `performance.now()`. */
  readonly respondedAt: number;
  /** Takes no more statements, waits for those under way until the deadline, and closes all. */
  close(deadline: number): Promise<void>;
}

/** A shared connection for as long as something is under way on it. */
export interface SharedConnection {
  readonly reads: SharedReads;
  /** Sends the statement behind those before it; undefined when the connection takes none now. Rejects with a DatabaseFailure. */
  send(query: Query, deadline: number, latency: LatencyEstimate): Promise<Row[]> | undefined;
}

/** The commands of a transaction. There is one savepoint at a time. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** How statements run on the connections of one kind of database. */
export interface StatementDriver<Connection extends object> extends PoolDriver<Connection> {
  /**
   * Runs the statement and decodes what it returns. On a shared connection answers come in the order in which statements were sent, but for
   * those with something to look up.
   */
  start(connection: Connection, query: Query, done: QueryCallback): void;
  /** Throws the errors of the driver, and an error when a commit was answered and did not happen. */
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
  /** `warn` takes what is only found out while it runs, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): StatementDriver<Connection>;
}
