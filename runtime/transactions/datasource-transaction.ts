/** A transaction on one datasource: its statements run one after the other on one connection. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import type { TransactionCommand, Query } from '../sql/driver.js';
import { settledBefore } from '../sql/deadline.js';
import { acquire, execute, rollbackTimeout, runQuery, type OpenDatasource } from '../sql/execution.js';
import { DatabaseFailure, failureError, outcomeOf } from '../sql/failure.js';

/** A transaction on one datasource. */
export interface TransactionPart {
  /** The name of the datasource. */
  readonly datasource: string;
  /** Runs the statement after the earlier ones, as `DatabaseTransaction.run` does. */
  run(query: Query, call: Call, tentative: boolean): Promise<Row[]>;
  /**
   * Commits, and releases the connection. Throws a ServiceError if it is not certain that everything is in the database.
   * May take until the deadline (milliseconds of `performance.now()`).
   */
  commit(deadline: number): Promise<void>;
  /** Rolls back, and releases the connection. Never fails. */
  rollback(): Promise<void>;
}

/** A statement when it is its turn. */
interface Turn {
  readonly query: Query;
  readonly call: Call;
  readonly tentative: boolean;
  readonly deadline: number;
}

/** Begins with its first statement. No other statement is retried: a failed one ends the transaction. */
export class DatasourceTransaction<Connection extends object> implements TransactionPart {
  private connection: Connection | undefined;
  /** Settles when all statements so far have ended. Never fails. */
  private statements: Promise<unknown> = Promise.resolve();
  /** The error after which no statement may run: PostgreSQL would reject it, MySQL would run it outside of the transaction after a deadlock. */
  private failure: DatabaseFailure | undefined;
  /** Everything so far was atomic. */
  private isAtomic = true;
  /** Something of it stays on the connection. */
  private changesSession = false;

  constructor(
    readonly datasource: string,
    private readonly opened: OpenDatasource<Connection>,
  ) {}

  run(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    const result = this.statements.then(() => this.next(query, call, tentative));
    this.statements = result.catch(() => undefined);
    return result;
  }

  async commit(until: number): Promise<void> {
    await this.statements;
    const { connection, failure } = this;
    if (connection === undefined) return;
    if (failure !== undefined) {
      await this.rollback();
      throw failureError(failure, this);
    }
    try {
      if (!this.isOpen(connection)) throw failureError(this.judged(this.lost(connection)), this);
      await this.command(connection, 'commit', Math.min(until, performance.now() + this.opened.timeout));
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      // A connection without a result has been closed. While it is open, the server has reported what happened.
      if (!this.isOpen(connection) || error.failure.withoutResult === true) throw this.unknownOutcome(error);
      await this.undo(connection);
      throw failureError(this.judged(error), this);
    } finally {
      await this.end(connection);
    }
  }

  async rollback(): Promise<void> {
    this.failure ??= over();
    await this.statements;
    const { connection } = this;
    if (connection === undefined) return;
    await this.undo(connection);
    await this.end(connection);
  }

  private async next(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    if (this.failure !== undefined) throw this.failure;
    call.proceed();
    const deadline = Math.min(call.deadline, performance.now() + this.opened.timeout);
    try {
      if (this.connection !== undefined)
        return await this.runOn(this.connection, { query, call, tentative, deadline });
      const isJoined = this.opened.driver.beginWithNext !== undefined && query.atomic && !tentative;
      return await this.twiceWhereLost(isJoined, async (since) => {
        const connection = await this.begin(call, deadline, since, isJoined);
        this.connection = connection;
        return this.runOn(connection, { query, call, tentative, deadline });
      });
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error instanceof Undone) throw error;
      this.failure = this.judged(error);
      throw this.failure;
    }
  }

  private async runOn(connection: Connection, { query, call, tentative, deadline }: Turn): Promise<Row[]> {
    this.isAtomic &&= query.atomic;
    this.changesSession ||= query.changesSession === true;
    const { driver } = this.opened;
    const run = () =>
      execute(this.opened, connection, {
        text: query.text,
        deadline,
        run: () => runQuery(driver, connection, query),
        proceed: call.proceed.bind(call),
      });
    const rows = tentative ? await this.attempt(connection, deadline, run) : await run();
    if (driver.transactionOpen(connection) === false) throw this.committedWithin(connection);
    return rows;
  }

  /**
   * Before COMMIT a failure undoes everything, except what a statement has committed itself or has done in other systems.
   */
  private judged(error: DatabaseFailure): DatabaseFailure {
    if (this.isAtomic) return error;
    if (this.opened.driver.commitsWithin) return outcomeOf(error, false);
    return new DatabaseFailure({ ...error.failure, final: true }, error.cause);
  }

  /** The server has ended the transaction at a statement (decisions 11.14): earlier changes are committed. */
  private committedWithin(connection: Connection): DatabaseFailure {
    this.opened.pool.discard(connection);
    const reason = 'the statement ended the transaction: what was done before it may be committed';
    return new DatabaseFailure({ kind: 'unexpected', unknown: true, reason });
  }

  /**
   * Runs it again on a connection that is made then, where the first one died: idle connections may be lost, and so may what is sent
   * first on them. Before COMMIT nothing has been done.
   */
  private async twiceWhereLost<Result>(
    isAllowed: boolean,
    run: (since: number) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await run(0);
    } catch (error) {
      const isLost = error instanceof DatabaseFailure && error.failure.died === true;
      if (!isLost || !isAllowed) throw error;
    }
    if (this.connection !== undefined) this.opened.pool.release(this.connection);
    this.connection = undefined;
    return run(performance.now());
  }

  /** `isJoined`: BEGIN is sent with the first statement, where the driver knows how; else it is sent alone, and again where that is lost. */
  private begin(call: Call, deadline: number, since: number, isJoined: boolean): Promise<Connection> {
    return this.twiceWhereLost(!isJoined, (again) =>
      this.beginOnce(call, deadline, Math.max(since, again), isJoined),
    );
  }

  private async beginOnce(
    call: Call,
    deadline: number,
    since: number,
    isJoined: boolean,
  ): Promise<Connection> {
    const connection = await acquire(this.opened, deadline, since);
    try {
      call.proceed();
      if (isJoined && this.opened.driver.beginWithNext?.(connection) === true) return connection;
      await this.command(connection, 'begin', deadline);
      if (this.opened.driver.transactionOpen(connection) === false) throw this.notBegun(connection);
      return connection;
    } catch (error) {
      this.opened.pool.release(connection);
      throw error;
    }
  }

  private notBegun(connection: Connection): DatabaseFailure {
    this.opened.pool.discard(connection);
    return new DatabaseFailure({ kind: 'unexpected', reason: 'BEGIN began no transaction' });
  }

  private async attempt(connection: Connection, deadline: number, run: () => Promise<Row[]>): Promise<Row[]> {
    await this.command(connection, 'savepoint', deadline);
    let rows: Row[];
    try {
      rows = await run();
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || !this.isOpen(connection)) throw error;
      // It has undone more than the statement, or would fail again.
      if (error.failure.kind === 'conflict') throw error;
      await this.command(connection, 'rollback to savepoint', deadline);
      throw new Undone(error.failure, error.cause);
    }
    await this.command(connection, 'release savepoint', deadline);
    return rows;
  }

  private command(connection: Connection, command: TransactionCommand, deadline: number): Promise<void> {
    const { driver } = this.opened;
    const run = () => driver.command(connection, command);
    const isFinal = command === 'commit';
    return execute(this.opened, connection, { text: command, deadline, run, isFinal, changes: isFinal });
  }

  private lost(connection: Connection): DatabaseFailure {
    const { code, reason } = this.opened.pool.failureOf(connection) ?? {};
    return new DatabaseFailure({
      kind: 'unavailable',
      ...(code === undefined ? {} : { code }),
      reason: `the connection ended before COMMIT: nothing was committed${reason === undefined ? '' : `; ${reason}`}`,
    });
  }

  private unknownOutcome({ failure, cause }: DatabaseFailure): ServiceError {
    const log = {
      datasource: this.datasource,
      ...(failure.code === undefined ? {} : { code: failure.code }),
      reason: 'COMMIT was sent without a result: it is unknown whether the transaction was committed',
    };
    return new ServiceError(500, 'It is unknown whether the change was made', {
      outcome: 'unknown',
      log,
      cause,
    });
  }

  private isOpen(connection: Connection): boolean {
    return !this.opened.driver.socketOf(connection).destroyed;
  }

  /** Never fails. */
  private async undo(connection: Connection): Promise<void> {
    if (!this.isOpen(connection)) return;
    try {
      await this.command(connection, 'rollback', performance.now() + rollbackTimeout);
    } catch {
      this.opened.pool.discard(connection);
    }
  }

  private async end(connection: Connection): Promise<void> {
    const { driver, pool } = this.opened;
    this.failure ??= over();
    this.connection = undefined;
    // What it has locked is free when the response is sent.
    if (this.changesSession && this.isOpen(connection))
      await settledBefore(driver.end(connection), performance.now() + rollbackTimeout);
    // A server may be set to begin the next transaction at once (completion_type of MySQL).
    if (this.changesSession || driver.transactionOpen(connection) === true) pool.discard(connection);
    pool.release(connection);
  }
}

/** The failure of a statement that was undone: the transaction is as before it. */
class Undone extends DatabaseFailure {}

function over(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'the transaction is over' });
}
