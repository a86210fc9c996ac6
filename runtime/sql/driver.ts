/** What a kind of database has to bring along, so that a datasource can run statements on it. */
import type { Row } from '../handler/json.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { DatabaseKind } from './database-kind.js';
import type { MarkerStyle } from './markers.js';
import type { ResultLimits } from './meter.js';
import type { PoolDriver } from './pool.js';
import type { Query } from './query.js';
import type { ReadPipelines } from './shared-reads.js';

/** The commands of a transaction. There is one savepoint at a time. */
export type TransactionCommand =
  'begin' | 'commit' | 'rollback' | 'savepoint' | 'release savepoint' | 'rollback to savepoint';

/** How statements run on the connections of one kind of database. */
export interface StatementDriver<Connection extends object> extends PoolDriver<Connection> {
  /** Runs the statement and decodes what it returns. Throws the errors of the driver. */
  run(connection: Connection, query: Query): Promise<Row[]>;
  /** Throws the errors of the driver, and an error when a commit was answered and did not happen. */
  command(connection: Connection, command: TransactionCommand): Promise<void>;
  /** Whether a transaction was open when the server last reported it; undefined where it has reported nothing. */
  transactionOpen(connection: Connection): boolean | undefined;
  /** True where a statement may commit the transaction that it runs in: a procedure or DDL of MySQL. */
  readonly commitsWithin: boolean;
  /** The connections that quick reads share, each statement with so many milliseconds; undefined where there are none. */
  sharedReads?(timeout: number, limits: ResultLimits): ReadPipelines | undefined;
}

/** A kind of database: what is the same for all datasources of it. */
export interface DatabaseSystem<Connection extends object> {
  readonly kind: DatabaseKind;
  readonly markers: MarkerStyle;
  /** `warn` takes what is only found out while it runs, once each. */
  driver(settings: ConnectionSettings, warn: (warning: string) => void): StatementDriver<Connection>;
}
