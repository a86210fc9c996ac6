/** Runs the statements of a database datasource: deadlines, one retry where it is safe, and failures by their kind. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { ConnectionCounts, Observer } from '../server/contracts.js';
import { ServiceError } from '../handler/reply.js';
import {
  readConnectionSettings,
  type DatabaseDefinition,
  type DatabaseSettings,
} from './connection-settings.js';
import type { DatabaseDatasource, ReadStatement, Statement, StatementDefinition } from './database.js';
import type { DatabaseSystem, Query, SharedReads } from './driver.js';
import {
  acquire,
  DatabaseTransaction,
  execute,
  rollbackTimeout,
  runQuery,
  type OpenDatasource,
} from './execution.js';
import { settledBefore } from './deadline.js';
import { repeatConflicts } from './repeat-conflicts.js';
import { DatabaseFailure, outcomeOf } from './failure.js';
import type { DatabaseKind } from './jdbc-options.js';
import { defaultLimits, type ResultLimits, type LatencyEstimate } from './meter.js';
import { Pipelines } from './pipelines.js';
import { ConnectionPool } from './pool.js';
import { createReadStatement, createStatement, type RunOptions, type StatementHost } from './statement.js';

/** The server ends a statement that takes too long. We wait a little longer, so that the server reports it. */
const timeLimit = 500;

const pingTimeout = 2_000;

/** Milliseconds for which a result proves that the server is available, and within which it must respond to a new connection. */
const freshness = 1_000;
const probeTimeout = 1_000;

const none: ConnectionCounts = { used: 0, free: 0, waiting: 0 };

function ignore(): void {
  // No caller asked for warnings.
}

/** What one run of a statement has to know besides the statement. */
interface Run {
  readonly retry: boolean;
  /** Only on a connection that was opened after this time. */
  readonly since?: number;
  /** Receives the milliseconds that it took. */
  readonly latency?: LatencyEstimate | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Throws if the caller no longer needs the result. */
  readonly proceed: () => void;
}

export class Datasource<Connection extends object> implements DatabaseDatasource, StatementHost {
  readonly name: string;
  readonly kind: DatabaseKind;
  observer: Observer | undefined;
  private opened: OpenDatasource<Connection> | undefined;

  constructor(
    readonly dialect: DatabaseSystem<Connection>,
    private readonly definition: DatabaseDefinition,
  ) {
    this.name = definition.name;
    this.kind = dialect.kind;
  }

  open(settings: DatabaseSettings, warn: (warning: string) => void = ignore): readonly string[] {
    const { connection, warnings } = readConnectionSettings(this.dialect.kind, this.definition, settings);
    const driver = this.dialect.driver(connection, warn);
    const timeout = connection.statementTimeout + timeLimit;
    const limits: ResultLimits = {
      rows: settings.rowLimit ?? defaultLimits.rows,
      bytes: settings.resultLimit ?? defaultLimits.bytes,
    };
    this.opened = {
      driver,
      pool: new ConnectionPool(driver, limits, settings.poolWait),
      pipelines: driver.shared.count > 0 ? new Pipelines(driver, timeout, limits) : undefined,
      timeout,
    };
    return warnings;
  }

  async close(deadline: number): Promise<void> {
    await Promise.all([this.opened?.pipelines?.close(deadline), this.opened?.pool.close(deadline)]);
  }

  async ping(): Promise<void> {
    const deadline = performance.now() + pingTimeout;
    const query: Query = { text: 'SELECT 1', values: [], use: 'read', changes: false, atomic: true };
    try {
      await this.run(query, { retry: true, deadline, proceed: () => undefined });
    } catch (error) {
      throw new ServiceError(503, 'The database is not available', { cause: error });
    }
  }

  async isReachable(): Promise<boolean> {
    // One more statement could only wait with the others.
    if (this.isBusy()) return this.isResponding();
    try {
      await this.ping();
      return true;
    } catch {
      return this.isBusy() && (await this.isResponding());
    }
  }

  private isBusy(): boolean {
    return this.use().pool.isBusy;
  }

  /** While all connections are in use: whether the server has responded just now, or responds to an additional connection. */
  private async isResponding(): Promise<boolean> {
    const { pool, pipelines } = this.use();
    const now = performance.now();
    const respondedAt = Math.max(pool.respondedAt, pipelines?.respondedAt ?? -Infinity);
    return now - respondedAt < freshness || (await pool.probe(now + probeTimeout));
  }

  connections(): ConnectionCounts {
    const { pool, pipelines } = this.use();
    const [own, shared] = [pool.counts, pipelines?.counts ?? none];
    return { used: own.used + shared.used, free: own.free + shared.free, waiting: own.waiting };
  }

  observe(observer: Observer): void {
    this.observer = observer;
  }

  read<Entry extends Row = Row>(definition: StatementDefinition): ReadStatement<Entry>;
  read(definition: StatementDefinition): ReadStatement {
    return createReadStatement(this, definition);
  }

  update<Entry extends Row = Row>(definition: StatementDefinition): Statement<Entry>;
  update(definition: StatementDefinition): Statement {
    return createStatement(this, definition, 'update');
  }

  sharedReads(): SharedReads | undefined {
    return this.use().pipelines;
  }

  async runAlone(
    call: Call,
    query: Query,
    { retry, tentative, since = 0, latency }: RunOptions,
  ): Promise<Row[]> {
    if (call.transaction instanceof DatabaseTransaction)
      return call.transaction.run({ name: this.name, opened: this.use() }, query, call, tentative);
    const run: Run = { retry, since, latency, deadline: call.deadline, proceed: call.proceed.bind(call) };
    return repeatConflicts(call, () => this.run(query, run), query.atomic ? isConflict : never);
  }

  private use(): OpenDatasource<Connection> {
    if (this.opened === undefined) throw new Error(`datasource '${this.name}' has not been opened`);
    return this.opened;
  }

  /** Runs the statement; a second time on a new connection where the first one died and that does no harm. */
  private async run(query: Query, run: Run): Promise<Row[]> {
    const opened = this.use();
    const deadline = Math.min(run.deadline, performance.now() + opened.timeout);
    try {
      return await attempt(opened, query, run, deadline, run.since ?? 0);
    } catch (error) {
      if (!run.retry || !(error instanceof DatabaseFailure) || !error.failure.died) throw error;
    }
    return attempt(opened, query, run, deadline, performance.now());
  }
}

/** Runs the statement once. Throws a DatabaseFailure, or what `proceed` throws. */
async function attempt<Connection extends object>(
  opened: OpenDatasource<Connection>,
  query: Query,
  run: Run,
  deadline: number,
  since: number,
): Promise<Row[]> {
  const connection = await acquire(opened, deadline, since);
  try {
    run.proceed();
    const { pipelines } = opened;
    const work = () => runOn(opened, connection, query, run, deadline);
    return await (pipelines === undefined || run.latency === undefined
      ? work()
      : pipelines.timed(run.latency, work));
  } finally {
    opened.pool.release(connection);
  }
}

async function runOn<Connection extends object>(
  opened: OpenDatasource<Connection>,
  connection: Connection,
  query: Query,
  run: Run,
  deadline: number,
): Promise<Row[]> {
  const { driver } = opened;
  let rows: Row[];
  try {
    rows = await execute(opened, connection, {
      text: query.text,
      deadline,
      run: () => runQuery(driver, connection, query),
      changes: query.changes,
      // Work that may change data always finishes: otherwise its outcome would be unknown.
      ...(query.changes ? {} : { proceed: run.proceed }),
    });
  } catch (error) {
    // An error reports no state, and something that is not atomic may have left a transaction open.
    if (!query.atomic) opened.pool.discard(connection);
    throw query.changes && error instanceof DatabaseFailure ? outcomeOf(error, query.atomic) : error;
  }
  if (driver.transactionOpen(connection) === true) throw await leftOpen(opened, connection);
  return rows;
}

/** A statement outside of a transaction has begun one: nothing of it may reach the next statement (decisions 11.14). */
async function leftOpen<Connection extends object>(
  opened: OpenDatasource<Connection>,
  connection: Connection,
): Promise<DatabaseFailure> {
  const { driver, pool } = opened;
  await settledBefore(driver.command(connection, 'rollback'), performance.now() + rollbackTimeout);
  pool.discard(connection);
  const reason = 'the statement left a transaction open, which was rolled back; use transaction: true';
  return new DatabaseFailure({ kind: 'unexpected', reason });
}

/** A failure that leaves nothing of the statement. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return false;
  const { kind, final, unknown } = error.failure;
  return kind === 'conflict' && final !== true && unknown !== true;
}

function never(): boolean {
  return false;
}
