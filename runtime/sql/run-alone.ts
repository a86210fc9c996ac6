/** Runs one statement on a separate connection, without effects on the next statement. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { ReplicaState } from '../server/contracts.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';
import type { ConnectionSettings, DatabaseDefinition, DatabaseSettings } from './connection-settings.js';
import type { DatabaseSystem, Driver, Query } from './driver.js';
import { DatabaseFailure, outcomeOf, type Failure } from './failure.js';
import type { LatencyEstimate } from './meter.js';

/** Milliseconds for the response to ROLLBACK. A connection that is closed is rolled back, too. */
export const rollbackTimeout = 1000;

/** The parts of a datasource that exist once it has been opened. */
export interface OpenDatasource {
  /** The name of the datasource. */
  readonly name: string;
  readonly connections: Connections;
  /** The maximum milliseconds of a statement. */
  readonly timeout: number;
  readonly replica?: ReadReplica;
}

/** The replica on which READs of a datasource can run. */
export interface ReadReplica {
  readonly opened: OpenDatasource;
  readonly state: ReplicaState;
  /** The replica, if a READ of the call can run there; undefined if it has to run on the primary, like the rest of the call then. */
  for(call: Call): OpenDatasource | undefined;
  /**
   * Whether the primary must run a READ that has failed on the replica, and the rest of its call, so that no row is older than an earlier
   * one.
   */
  leaves(call: Call, failure: Failure): boolean;
}

/** For datasources with several servers: a URL of several hosts, or a replica. Loaded if the settings of a datasource name some. */
export interface SeveralServers {
  /** Throws a DatasourceStartError. */
  open(asked: AskedServers): { readonly opened: OpenDatasource; readonly warnings: readonly string[] };
}

/** The settings of a datasource that name several servers. */
export interface AskedServers {
  readonly system: DatabaseSystem;
  readonly definition: DatabaseDefinition;
  readonly settings: DatabaseSettings;
  /** The settings of its URL. */
  readonly connection: ConnectionSettings;
  readonly warn: (warning: string) => void;
  open(connection: ConnectionSettings, driver: Driver): OpenDatasource;
}

/** The transaction of a call, as datasources use it. Only services with transactions load the implementation. */
export abstract class DatabaseTransaction {
  /** Whether it runs again after a conflict. */
  abstract readonly runsAgain: boolean;

  /**
   * Runs the statement in the part of the datasource, after its earlier statements; the part begins with the first one. The failure of a
   * `tentative` statement undoes nothing else. Throws a DatabaseFailure, or the error of `proceed`.
   */
  abstract run(datasource: OpenDatasource, query: Query, call: Call, tentative: boolean): Promise<Row[]>;

  /**
   * Sends the first ones of the statements without waiting between them, as many as that is possible for, and resolves with their outcomes:
   * those that `run` would have had. After a failure there is none.
   */
  abstract runAhead(
    datasource: OpenDatasource,
    queries: Iterable<Query>,
    call: Call,
  ): Promise<readonly PromiseSettledResult<Row[]>[]>;
}

/** The options of a statement on a separate connection. */
export interface AloneOptions {
  readonly deadline: number;
  /** Only on a connection that was opened after this time, of `performance.now()`. */
  readonly since: number;
  readonly proceed: () => void;
  /** Receives the milliseconds that it took. */
  readonly latency?: LatencyEstimate | undefined;
}

/** Throws a DatabaseFailure, or the error of `proceed`. */
export async function runAlone(
  { connections }: OpenDatasource,
  query: Query,
  { deadline, since, proceed, latency }: AloneOptions,
): Promise<Row[]> {
  const connection = await connections.lease(deadline, since);
  try {
    proceed();
    if (latency !== undefined) connections.learnRoundTrip();
    // Work that may change data always finishes: otherwise its outcome would be unknown.
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
    // An error does not report the state, and a statement that is not atomic may have left a transaction open.
    if (!query.atomic) connection.cut();
    throw query.changes && error instanceof DatabaseFailure ? outcomeOf(error, query.atomic) : error;
  } finally {
    connections.release(connection);
  }
}

/**
 * A statement outside of a transaction has begun one, which only the service may do. The transaction must not affect the next statement.
 */
async function leftOpen(connection: Connection): Promise<DatabaseFailure> {
  await connection.command('rollback', performance.now() + rollbackTimeout).catch(() => undefined);
  connection.cut();
  const reason = 'the statement left a transaction open, which was rolled back; use transaction: true';
  return new DatabaseFailure({ kind: 'unexpected', reason });
}
