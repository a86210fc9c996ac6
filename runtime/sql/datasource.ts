/** A database datasource: its connections, statements, and health checks. */
import type { Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { ConnectionCounts, Observer, ReplicaState } from '../server/contracts.js';
import { Attempts, causeOf } from './retries.js';
import {
  readConnectionSettings,
  type ConnectionSettings,
  type DatabaseDefinition,
  type DatabaseSettings,
  type RowContext,
} from './connection-settings.js';
import { Connections } from './connections.js';
import type { StatementDefinition } from './statement-definition.js';
import { createStatement, type Statement, type StatementHost } from './statement.js';
import { settledBefore } from './clock.js';
import type { DatabaseSystem, Driver, KnexSettings, Query } from './driver.js';
import { DatabaseFailure } from './failure.js';
import type { DatabaseKind } from './jdbc-url.js';
import { defaultLimits } from './meter.js';
import { runAlone, type OpenDatasource, type SeveralServers } from './run-alone.js';

/** Extra milliseconds before a statement is cancelled, so that the server, which has the same time limit, reports the timeout first. */
const extraTime = 500;

/** Default milliseconds that a statement waits for a connection (POOL_WAIT). */
const defaultWait = 2_000;

const pingTimeout = 2_000;

/** Minimum milliseconds for closing the connections of user code. */
const closeTimeout = 250;

/** Milliseconds for which a result proves that the server is available, and the time limit for opening a connection as proof. */
const freshness = 1_000;
const probeTimeout = 1_000;

export class DatabaseDatasource implements StatementHost {
  readonly name: string;
  readonly kind: DatabaseKind;
  readonly context: RowContext | undefined;
  observer: Observer | undefined;
  private opened: OpenDatasource | undefined;
  private readonly closing: (() => Promise<void>)[] = [];

  constructor(
    readonly system: DatabaseSystem,
    private readonly definition: DatabaseDefinition,
  ) {
    this.name = definition.name;
    this.kind = system.kind;
    this.context = definition.context;
  }

  /** Loads the code for several servers if the settings require it. Invalid URLs are reported by `open`. */
  async load(settings: DatabaseSettings): Promise<SeveralServers | undefined> {
    const isAsked = settings.replicaUrl !== undefined || this.namesSeveralHosts(settings);
    return isAsked ? (await import('./several-servers.js')).severalServers : undefined;
  }

  private namesSeveralHosts(settings: DatabaseSettings): boolean {
    try {
      return readConnectionSettings(this.kind, this.definition, settings).connection.hosts !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * Applies the settings without connecting, so that the service starts even if its database is unavailable. Returns warnings, which
   * are printed after the datasource name and do not contain secrets. `warn` receives later warnings. `servers` is the result of
   * `load`. Throws a DatasourceStartError.
   */
  open(
    settings: DatabaseSettings,
    warn: (warning: string) => void = () => undefined,
    servers?: SeveralServers,
  ): readonly string[] {
    const { system, definition } = this;
    const { connection, warnings } = readConnectionSettings(this.kind, definition, settings);
    const open = (own: ConnectionSettings, driver: Driver) => this.openOne(own, driver, settings);
    if (connection.hosts === undefined && settings.replicaUrl === undefined) {
      this.opened = open(connection, system.driver(connection, warn));
      return warnings;
    }
    if (servers === undefined) throw new Error('the code for several servers was not loaded');
    const several = servers.open({ system, definition, settings, connection, warn, open });
    this.opened = several.opened;
    return [...warnings, ...several.warnings];
  }

  private openOne(
    { pool, statementTimeout, isReplica }: ConnectionSettings,
    driver: Driver,
    { poolWait: wait = defaultWait, rowLimit, resultLimit }: DatabaseSettings,
  ): OpenDatasource {
    const limits = { rows: rowLimit ?? defaultLimits.rows, bytes: resultLimit ?? defaultLimits.bytes };
    const connections = new Connections(driver, { ...pool, wait, limits, isReplica });
    return { name: this.name, connections, timeout: statementTimeout + extraTime };
  }

  /**
   * Rejects new statements, waits for those in flight until the deadline (milliseconds of `performance.now()`), then closes all
   * connections. Ends soon after the deadline, even if the network does not respond.
   */
  async close(deadline: number): Promise<void> {
    const others = Promise.allSettled(this.closing.map((close) => close()));
    const { connections, replica } = this.opened ?? {};
    await Promise.all([connections?.close(deadline), replica?.opened.connections.close(deadline)]);
    await settledBefore(others, Math.max(deadline, performance.now() + closeTimeout));
  }

  /** Registers an action to run when the datasource is closed. */
  whenClosing(action: () => Promise<void>): void {
    this.closing.push(action);
  }

  /** The settings with which user code connects to the same database. Throws an Error if the datasource has not been opened. */
  knexSettings(): KnexSettings {
    return this.use().connections.driver.knexSettings();
  }

  /** Resolves when the database responds. Throws a ServiceError 503 after two seconds without a response. */
  async ping(): Promise<void> {
    const query: Query = { text: 'SELECT 1', values: [], use: 'read', changes: false, atomic: true };
    const deadline = performance.now() + pingTimeout;
    const proceed = () => undefined;
    const attempts = new Attempts({ deadline, proceed });
    for (;;) {
      try {
        await runAlone(this.use(), query, { deadline, since: attempts.since, proceed });
        return;
      } catch (error) {
        const isAgain =
          error instanceof DatabaseFailure && (await attempts.again(causeOf(error.failure, ping)));
        if (!isAgain) throw new ServiceError(503, 'The database is not available', { cause: error });
      }
    }
  }

  /**
   * Whether the database responds to a ping. If all connections are in use: whether it has responded recently, or accepts a new
   * connection. Never fails.
   */
  async isReachable(): Promise<boolean> {
    // Another statement would only wait with the others.
    if (this.isBusy()) return this.isResponding();
    try {
      await this.ping();
      return true;
    } catch {
      return this.isBusy() && (await this.isResponding());
    }
  }

  private isBusy(): boolean {
    return this.use().connections.isBusy;
  }

  /** Whether the server has responded recently, or responds to an additional connection, when all connections are in use. */
  private async isResponding(): Promise<boolean> {
    const { connections } = this.use();
    const now = performance.now();
    return now - connections.respondedAt < freshness || (await connections.probe(now + probeTimeout));
  }

  /** The current number of connections. */
  connections(): ConnectionCounts {
    return this.use().connections.counts;
  }

  /** The state of the replica; undefined without a replica. */
  replica(): ReplicaState | undefined {
    return this.use().replica?.state;
  }

  /** Reports all statements to the observer from now on. */
  observe(observer: Observer): void {
    this.observer = observer;
  }

  /**
   * Creates the statement of a READ fulfillment, which returns a list of rows. `Entry` is the row type, which is not checked at run
   * time.
   */
  read<Entry extends Row = Row>(definition: StatementDefinition): Statement<Entry>;
  read(definition: StatementDefinition): Statement {
    return createStatement(this, definition, 'read');
  }

  /** Creates the statement of an UPDATE fulfillment, which returns its rows, or one row with insert_id and affected_rows. */
  update<Entry extends Row = Row>(definition: StatementDefinition): Statement<Entry>;
  update(definition: StatementDefinition): Statement {
    return createStatement(this, definition, 'update');
  }

  use(): OpenDatasource {
    if (this.opened === undefined) throw new Error(`datasource '${this.name}' has not been opened`);
    return this.opened;
  }
}

const ping = { isShared: false, isRetryable: true, isAtomic: true };
