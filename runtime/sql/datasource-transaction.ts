/** A transaction on one datasource: its statements run one after the other, on one connection (decisions 5.10). */
import type { Call, TransactionPart } from '../call.js';
import type { Row } from '../json.js';
import { ServiceError } from '../service-error.js';
import type { Query, TransactionCommand } from './driver.js';
import { acquire, execute, type Opened } from './execution.js';
import { DatabaseFailure, failureError } from './failure.js';

/** Milliseconds for the answer to ROLLBACK. A connection that is cut is rolled back too. */
const rollbackTimeout = 1000;

/** Begins with its first statement. Nothing in it is ever tried again: a failed statement is the end of it. */
export class DatasourceTransaction<Connection extends object> implements TransactionPart {
  private connection: Connection | undefined;
  /** Settles when all statements so far have ended; never fails. */
  private statements: Promise<unknown> = Promise.resolve();
  /** Why nothing more may run: PostgreSQL would refuse it, MySQL would run it outside of the transaction after a deadlock. */
  private failure: DatabaseFailure | undefined;

  constructor(
    readonly datasource: string,
    private readonly opened: Opened<Connection>,
  ) {}

  /**
   * Runs the statement after those before it. Where it is `tentative` its failure undoes nothing else, and the
   * transaction goes on. Throws a DatabaseFailure, or what `proceed` throws.
   */
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
      if (!this.isOpen(connection)) throw failureError(lost(), this);
      await this.command(connection, 'commit', Math.min(until, performance.now() + this.opened.timeout));
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      // A connection without an answer has been cut; as long as it is open, the server has said what happened.
      throw this.isOpen(connection) ? failureError(error, this) : this.unknownOutcome(error);
    } finally {
      this.end(connection);
    }
  }

  async rollback(): Promise<void> {
    this.failure ??= over();
    await this.statements;
    const { connection } = this;
    if (connection === undefined) return;
    try {
      if (this.isOpen(connection)) {
        await this.command(connection, 'rollback', performance.now() + rollbackTimeout);
      }
    } catch {
      this.opened.pool.discard(connection);
    }
    this.end(connection);
  }

  private async next(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    if (this.failure !== undefined) throw this.failure;
    call.proceed();
    const deadline = Math.min(call.deadline, performance.now() + this.opened.timeout);
    try {
      const connection = (this.connection ??= await this.begin(call, deadline));
      const { driver } = this.opened;
      const run = () =>
        execute(this.opened, connection, query.text, deadline, () => driver.run(connection, query));
      return tentative ? await this.attempt(connection, deadline, run) : await run();
    } catch (error) {
      if (error instanceof DatabaseFailure && !(error instanceof Undone)) this.failure = error;
      throw error;
    }
  }

  /** Nothing has happened before it, so it may be tried twice: connections die while they are idle. */
  private async begin(call: Call, deadline: number): Promise<Connection> {
    try {
      return await this.beginOnce(call, deadline, 0);
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error.failure.died !== true) throw error;
    }
    return this.beginOnce(call, deadline, performance.now());
  }

  private async beginOnce(call: Call, deadline: number, since: number): Promise<Connection> {
    const connection = await acquire(this.opened, deadline, since);
    try {
      call.proceed();
      await this.command(connection, 'begin', deadline);
      return connection;
    } catch (error) {
      this.opened.pool.release(connection);
      throw error;
    }
  }

  private async attempt(connection: Connection, deadline: number, run: () => Promise<Row[]>): Promise<Row[]> {
    await this.command(connection, 'savepoint', deadline);
    let rows: Row[];
    try {
      rows = await run();
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || !this.isOpen(connection)) throw error;
      await this.command(connection, 'rollback to savepoint', deadline);
      throw new Undone(error.failure, error.cause);
    }
    await this.command(connection, 'release savepoint', deadline);
    return rows;
  }

  private command(connection: Connection, command: TransactionCommand, deadline: number): Promise<void> {
    const { driver } = this.opened;
    return execute(this.opened, connection, command, deadline, () => driver.command(connection, command));
  }

  private unknownOutcome({ failure, cause }: DatabaseFailure): ServiceError {
    const log = {
      datasource: this.datasource,
      ...(failure.code === undefined ? {} : { code: failure.code }),
      reason: 'COMMIT was sent and not answered: it is unknown whether the transaction was committed',
    };
    return new ServiceError(500, 'It is unknown whether the change was made', { log, cause });
  }

  private isOpen(connection: Connection): boolean {
    return !this.opened.driver.socketOf(connection).destroyed;
  }

  private end(connection: Connection): void {
    this.failure ??= over();
    this.connection = undefined;
    this.opened.pool.release(connection);
  }
}

/** The failure of a statement of which nothing is left: the transaction is as it was before. */
class Undone extends DatabaseFailure {}

function over(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'the transaction is over' });
}

function lost(): DatabaseFailure {
  return new DatabaseFailure({
    kind: 'unavailable',
    reason: 'the connection ended before COMMIT: nothing was committed',
  });
}
