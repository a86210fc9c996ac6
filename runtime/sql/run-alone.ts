/** Runs one statement on a separate connection, without side effects on later statements. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { ReplicaState } from '../server/contracts.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import type { ConnectionSettings, DatabaseDefinition, DatabaseSettings } from './connection-settings.js';
import type { DatabaseSystem, Driver, Query } from './driver.js';
import { DatabaseFailure, outcomeOf, type Failure } from './failure.js';
import type { LatencyEstimate } from './meter.js';

/** Milliseconds for the response to ROLLBACK. Closing a connection also rolls back. */
export const rollbackTimeout = 1000;

/** The state of an open datasource. */
export interface OpenDatasource {
  /** The name of the datasource. */
  readonly name: string;
  readonly connections: Connections;
  /** Time limit of a statement, in milliseconds. */
  readonly timeout: number;
  readonly replica?: ReadReplica;
}

/** The replica for READs of a datasource. */
export interface ReadReplica {
  readonly opened: OpenDatasource;
  readonly state: ReplicaState;
  /** The replica, if a READ of the call may run there; undefined if the READ, and the rest of the call, must use the primary. */
  for(call: Call): OpenDatasource | undefined;
  /**
   * Whether a READ that failed on the replica, and the rest of its call, must use the primary. This ensures that later rows are not
   * older than earlier ones.
   */
  leaves(call: Call, failure: Failure): boolean;
}

/** Support for several servers: a URL with several hosts, or a replica. Only loaded if the settings require it. */
export interface SeveralServers {
  /** Opens the datasource. Throws a DatasourceStartError. */
  open(asked: AskedServers): { readonly opened: OpenDatasource; readonly warnings: readonly string[] };
}

/** The settings of a datasource with several servers. */
export interface AskedServers {
  readonly system: DatabaseSystem;
  readonly definition: DatabaseDefinition;
  readonly settings: DatabaseSettings;
  /** The settings from the URL of the datasource. */
  readonly connection: ConnectionSettings;
  readonly warn: (warning: string) => void;
  open(connection: ConnectionSettings, driver: Driver): OpenDatasource;
}

/** The transaction of a call, as datasources use it. Only services with transactions load the implementation. */
export abstract class DatabaseTransaction {
  /** Whether the transaction is retried after a conflict. */
  abstract readonly runsAgain: boolean;

  /**
   * Runs the statement in the part of the transaction that belongs to the datasource, after earlier statements. The first statement
   * begins that part. If a `tentative` statement fails, only that statement is undone. Throws a DatabaseFailure, or the error of
   * `proceed`.
   */
  abstract run(datasource: OpenDatasource, query: Query, call: Call, tentative: boolean): Promise<Row[]>;

  /**
   * Sends as many of the first statements as possible without waiting in between, and resolves with the outcomes that `run` would have
   * had. A failure is the last outcome.
   */
  abstract runAhead(
    datasource: OpenDatasource,
    queries: Iterable<Query>,
    call: Call,
  ): Promise<readonly PromiseSettledResult<Row[]>[]>;
}

/** The options for a statement on a separate connection. */
export interface AloneOptions {
  readonly deadline: number;
  /** Only connections opened after this time of `performance.now()` are used. */
  readonly since: number;
  readonly proceed: () => void;
  /** Receives the duration in milliseconds. */
  readonly latency?: LatencyEstimate | undefined;
}

/** Runs a statement on a separate connection. Throws a DatabaseFailure, or the error of `proceed`. */
export async function runAlone(
  { connections }: OpenDatasource,
  query: Query,
  { deadline, since, proceed, latency }: AloneOptions,
): Promise<Row[]> {
  const connection = await connections.lease(deadline, since);
  try {
    proceed();
    if (latency !== undefined) connections.learnRoundTrip();
    // Work that may change data always runs to completion: otherwise its outcome would be unknown.
    const sending = {
      deadline,
      latency,
      changes: query.changes,
      proceed: query.changes ? undefined : proceed,
    };
    const rows = await connection.query(query, sending);
    if (connection.session.transactionOpen === true) throw await leftOpen(connection);
    return rows;
  } catch (error) {
    // An error does not report the transaction state, and a non-atomic statement may have left a transaction open.
    if (!query.atomic) connection.cut();
    throw query.changes && error instanceof DatabaseFailure ? outcomeOf(error, query.atomic) : error;
  } finally {
    connections.release(connection);
  }
}

/**
 * Rolls back a transaction begun by a statement outside of transactions. Only the service may begin transactions, and this one must not
 * affect the next statement.
 */
async function leftOpen(connection: Connection): Promise<DatabaseFailure> {
  await connection.command('rollback', performance.now() + rollbackTimeout).catch(() => undefined);
  connection.cut();
  const reason = 'the statement left a transaction open, which was rolled back; use transaction: true';
  return new DatabaseFailure({ kind: 'unexpected', reason });
}
