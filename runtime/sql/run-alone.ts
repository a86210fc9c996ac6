/** One statement on a connection of its own: nothing of it may reach the next one. */
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

/** Where READs of a datasource may run instead. */
export interface ReadReplica {
  readonly opened: OpenDatasource;
  readonly state: ReplicaState;
  /** Where a READ of the call runs there; undefined if it has to run on the primary, as does the rest of the call then. */
  for(call: Call): OpenDatasource | undefined;
  /** Whether the primary runs a READ that has failed there, and the rest of its call: no row is older than one before. */
  leaves(call: Call, failure: Failure): boolean;
}

/** For datasources with several servers: a URL of several hosts, or a replica. Loaded if the settings of a datasource name some. */
export interface SeveralServers {
  /** Throws a DatasourceStartError. */
  open(asked: AskedServers): { readonly opened: OpenDatasource; readonly warnings: readonly string[] };
}

/** A datasource whose settings name several servers. */
export interface AskedServers {
  readonly system: DatabaseSystem;
  readonly definition: DatabaseDefinition;
  readonly settings: DatabaseSettings;
  /** Those of its URL. */
  readonly connection: ConnectionSettings;
  readonly warn: (warning: string) => void;
  open(connection: ConnectionSettings, driver: Driver): OpenDatasource;
}

/** The transaction of a call, as datasources use it; only services with transactions bring one along. */
export abstract class DatabaseTransaction {
  /** Whether it runs again after a conflict. */
  abstract readonly runsAgain: boolean;

  /**
   * Runs the statement in the part of the datasource, which begins with its first one, after those before it there. Where it is
   * `tentative` its failure undoes nothing else. Throws a DatabaseFailure, or what `proceed` throws.
   */
  abstract run(datasource: OpenDatasource, query: Query, call: Call, tentative: boolean): Promise<Row[]>;
}

/** How a statement runs on a connection of its own. */
export interface AloneOptions {
  readonly deadline: number;
  /** Only on a connection that was opened after this time, of `performance.now()`. */
  readonly since: number;
  readonly proceed: () => void;
  /** Receives the milliseconds that it took. */
  readonly latency?: LatencyEstimate | undefined;
}

/** Throws a DatabaseFailure, or what `proceed` throws. */
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
    // An error reports no state, and something that is not atomic may have left a transaction open.
    if (!query.atomic) connection.cut();
    throw query.changes && error instanceof DatabaseFailure ? outcomeOf(error, query.atomic) : error;
  } finally {
    connections.release(connection);
  }
}

/** A statement outside of a transaction has begun one, which only the service may do: nothing of it may reach the next statement. */
async function leftOpen(connection: Connection): Promise<DatabaseFailure> {
  await connection.command('rollback', performance.now() + rollbackTimeout).catch(() => undefined);
  connection.cut();
  const reason = 'the statement left a transaction open, which was rolled back; use transaction: true';
  return new DatabaseFailure({ kind: 'unexpected', reason });
}
