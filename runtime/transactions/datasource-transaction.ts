/** A transaction on one datasource: its statements run one after another on one connection. */
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { Attempts } from '../sql/retries.js';
import type { Connection, Sending } from '../sql/connection.js';
import type { Query } from '../sql/driver.js';
import {
  DatabaseFailure,
  failureError,
  isWithoutConnection,
  isWithoutResult,
  outcomeOf,
} from '../sql/failure.js';
import { rollbackTimeout, type OpenDatasource } from '../sql/run-alone.js';

/** The part of a transaction on one datasource. */
export interface TransactionPart {
  /** The name of the datasource. */
  readonly datasource: string;
  /** Runs a statement after earlier ones; see `DatabaseTransaction.run`. */
  run(query: Query, call: Call, tentative: boolean): Promise<Row[]>;
  /** Sends the first statements without waiting in between; see `DatabaseTransaction.runAhead`. */
  runAhead(queries: Iterable<Query>, call: Call): Promise<readonly PromiseSettledResult<Row[]>[]>;
  /**
   * Runs a statement of user code on the connection, after earlier statements; the transaction must have begun. A `tentative` statement
   * is inside a savepoint, so its failure does not undo anything else. Throws a DatabaseFailure, or the error of `proceed`.
   */
  own<Result>(call: Call, run: OwnStatement<Result>, tentative: boolean): Promise<Result>;
  /**
   * Commits, and releases the connection. Throws a ServiceError unless all changes are certainly in the database. Takes until the
   * deadline at most, in milliseconds of `performance.now()`.
   */
  commit(deadline: number): Promise<void>;
  /** Rolls back, and releases the connection. Never fails. */
  rollback(): Promise<void>;
}

/** Statements run as a block only if this many of the slowest one would take no longer than the time limit of one. */
const slowestInBlock = 64;

/** A statement, to be run when it is its turn. */
interface Turn {
  readonly query: Query;
  readonly call: Call;
  readonly tentative: boolean;
  readonly deadline: number;
}

/** A statement of user code on the connection of a transaction. */
export type OwnStatement<Result> = (connection: Connection, sending: Sending) => Promise<Result>;

/** Begins with its first statement, which is the only one that is retried; a failure of any other statement ends the transaction. */
export class DatasourceTransaction implements TransactionPart {
  readonly datasource: string;
  private connection: Connection | undefined;
  /** Settles when all previous statements have ended. Never fails. */
  private statements: Promise<unknown> = Promise.resolve();
  /**
   * The error after which statements must not run: PostgreSQL would reject them, and after a deadlock MySQL would run them outside the
   * transaction.
   */
  private failure: DatabaseFailure | undefined;
  /** Whether all statements so far were atomic. */
  private isAtomic = true;
  /** Whether a statement has left state on the connection. */
  private changesSession = false;
  /** The SQL of statements already run: the connection knows their types, and their tables cannot change before the transaction ends. */
  private readonly texts = new Set<string>();

  /** Milliseconds of the slowest statement so far. */
  private slowest = 0;

  /** Run when the transaction has ended, before the connection is released. */
  private readonly last: { readonly query: Query; readonly isDone: (rows: readonly Row[]) => boolean }[] = [];

  constructor(private readonly opened: OpenDatasource) {
    this.datasource = opened.name;
  }

  run(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    const result = this.statements.then(() => this.next(query, call, tentative));
    this.statements = result.catch(() => undefined);
    return result;
  }

  runAhead(queries: Iterable<Query>, call: Call): Promise<readonly PromiseSettledResult<Row[]>[]> {
    const results = this.statements.then(() => this.nextAhead(queries, call));
    this.statements = results.catch(() => undefined);
    return results;
  }

  own<Result>(call: Call, run: OwnStatement<Result>, tentative: boolean): Promise<Result> {
    const result = this.statements.then(() => this.nextOwn(call, run, tentative));
    this.statements = result.catch(() => undefined);
    return result;
  }

  /**
   * Runs the query on the connection when the transaction has ended, committed or not. The connection is closed unless `isDone` accepts the
   * rows.
   */
  afterEnd(query: Query, isDone: (rows: readonly Row[]) => boolean): void {
    this.last.push({ query, isDone });
  }

  private async nextOwn<Result>(call: Call, run: OwnStatement<Result>, tentative: boolean): Promise<Result> {
    if (this.failure !== undefined) throw this.failure;
    call.proceed();
    const { connection } = this;
    if (connection === undefined) throw over();
    const deadline = Math.min(call.deadline, performance.now() + this.opened.timeout);
    try {
      const result = await run(connection, { deadline, proceed: call.proceed.bind(call) });
      if (connection.session.transactionOpen === false) throw committedWithin(connection);
      return result;
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      const isUndone = tentative && connection.isOpen && error.failure.kind !== 'conflict';
      if (!isUndone) this.failure = this.judged(error);
      throw this.failure ?? error;
    }
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
      if (!connection.isOpen) throw failureError(this.judged(lost(connection)), this);
      await connection.command('commit', Math.min(until, performance.now() + this.opened.timeout));
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      // Without a result, the connection has been closed. If it is still open, the server has reported the outcome.
      if (!connection.isOpen || isWithoutResult(error.failure)) throw this.unknownOutcome(error);
      await undo(connection);
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
    await undo(connection);
    await this.end(connection);
  }

  private async next(query: Query, call: Call, tentative: boolean): Promise<Row[]> {
    if (this.failure !== undefined) throw this.failure;
    call.proceed();
    const deadline = Math.min(call.deadline, performance.now() + this.opened.timeout);
    const turn: Turn = { query, call, tentative, deadline };
    try {
      return await (this.connection === undefined ? this.first(turn) : this.runOn(this.connection, turn));
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error instanceof Undone) throw error;
      this.failure = this.judged(error);
      throw this.failure;
    }
  }

  /** Sends statements ahead. After a failure, the server does not run the remaining statements. */
  private async nextAhead(queries: Iterable<Query>, call: Call): Promise<PromiseSettledResult<Row[]>[]> {
    const { connection } = this;
    if (this.failure !== undefined || connection === undefined) return [];
    const sending = {
      deadline: call.deadline,
      timeLimit: this.opened.timeout,
      proceed: call.proceed.bind(call),
    };
    const known = this.knownOf(queries);
    const results =
      connection.session.block === undefined
        ? await sendAfter(connection, known, sending)
        : await this.runBlock(connection, known, sending);
    const failed = results.findIndex(({ status }) => status === 'rejected');
    if (failed === -1 && (results.length === 0 || connection.session.transactionOpen !== false))
      return results;
    const [outcome] = results.slice(failed);
    const reason: unknown = outcome?.status === 'rejected' ? outcome.reason : committedWithin(connection);
    if (reason instanceof DatabaseFailure) this.failure = this.judged(reason);
    return [...results.slice(0, Math.max(0, failed)), { status: 'rejected', reason: this.failure ?? reason }];
  }

  /** The first statements that have already run in this transaction. */
  private *knownOf(queries: Iterable<Query>): Generator<Query, undefined> {
    for (const query of queries) {
      if (!query.atomic || !this.texts.has(query.text)) return;
      yield query;
    }
  }

  /** The outcomes of the statements of a block, whose rows nothing reads. */
  private async runBlock(
    connection: Connection,
    queries: Iterable<Query>,
    sending: Sending,
  ): Promise<PromiseSettledResult<Row[]>[]> {
    // The time limit of a statement applies to a block.
    if (this.slowest * slowestInBlock > this.opened.timeout) return [];
    const block = connection.session.block?.([...queries]);
    if (block === undefined) return [];
    const fulfilled = Array.from({ length: block.count }, fulfilledEmpty);
    try {
      await connection.runBlock(block, sending);
      return fulfilled;
    } catch (reason) {
      // A block that was not waited for may still run: its statements must not run again.
      const failedAt = block.failedAt ?? (connection.isOpen ? undefined : 0);
      return failedAt === undefined ? [] : [...fulfilled.slice(0, failedAt), { status: 'rejected', reason }];
    }
  }

  /**
   * Begins the transaction, and runs the first statement. If the connection ends, BEGIN is retried on a new connection, together with
   * the statement if both were sent together. Nothing is permanent before COMMIT.
   */
  private async first(turn: Turn): Promise<Row[]> {
    const { connections } = this.opened;
    const attempts = new Attempts(turn.call);
    for (;;) {
      const connection = await connections.lease(turn.deadline, attempts.since);
      let hasBegun = false;
      try {
        turn.call.proceed();
        const { query, tentative } = turn;
        if (!query.atomic || tentative || !connection.beginWithNext()) {
          await begin(connection, turn.deadline);
          hasBegun = true;
        }
        this.connection = connection;
        return await this.runOn(connection, turn);
      } catch (error) {
        if (hasBegun) throw error;
        const isLost = error instanceof DatabaseFailure && isWithoutConnection(error.failure);
        const isAgain = isLost && error.failure.aftermath !== 'broken' && (await attempts.again('ended'));
        if (isAgain || this.connection === undefined) {
          this.connection = undefined;
          connections.release(connection);
        }
        if (!isAgain) throw error;
      }
    }
  }

  private async runOn(connection: Connection, { query, call, tentative, deadline }: Turn): Promise<Row[]> {
    this.isAtomic &&= query.atomic;
    this.changesSession ||= query.changesSession === true;
    const run = () => connection.query(query, { deadline, proceed: call.proceed.bind(call) });
    const start = performance.now();
    const rows = tentative ? await attempt(connection, deadline, run) : await run();
    this.slowest = Math.max(this.slowest, performance.now() - start);
    if (connection.session.transactionOpen === false) throw committedWithin(connection);
    this.texts.add(query.text);
    return rows;
  }

  /** Before COMMIT, a failure rolls back everything, except changes that a statement has committed itself or made in other systems. */
  private judged(error: DatabaseFailure): DatabaseFailure {
    if (this.isAtomic) return error;
    if (this.opened.connections.driver.commitsWithin) return outcomeOf(error, false);
    return new DatabaseFailure({ ...error.failure, aftermath: 'final' }, error.cause);
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

  private async end(connection: Connection): Promise<void> {
    this.failure ??= over();
    this.connection = undefined;
    for (const { query, isDone } of this.last.splice(0)) {
      if (!connection.isOpen) break;
      const deadline = performance.now() + rollbackTimeout;
      const rows = await connection.query(query, { deadline }).catch(() => []);
      if (!isDone(rows)) connection.cut();
    }
    // Close the connection, to release its session locks before the response is sent.
    if (this.changesSession && connection.isOpen) await connection.end(rollbackTimeout);
    // A server can be configured to immediately begin another transaction (completion_type on MySQL).
    if (connection.session.transactionOpen === true) connection.cut();
    this.opened.connections.release(connection);
  }
}

/** The outcome of a statement whose rows are not reported. */
function fulfilledEmpty(): PromiseFulfilledResult<Row[]> {
  return { status: 'fulfilled', value: [] };
}

/** Sends the statements without waiting in between, and waits for their outcomes. */
async function sendAfter(
  connection: Connection,
  queries: Iterable<Query>,
  sending: Sending,
): Promise<PromiseSettledResult<Row[]>[]> {
  const sent: Promise<Row[]>[] = [];
  for (const query of queries) {
    const result = connection.queryAfter(query, sending);
    if (result === undefined) break;
    sent.push(result);
  }
  return Promise.allSettled(sent);
}

async function begin(connection: Connection, deadline: number): Promise<void> {
  await connection.command('begin', deadline);
  if (connection.session.transactionOpen !== false) return;
  connection.cut();
  throw new DatabaseFailure({ kind: 'unexpected', reason: 'BEGIN began no transaction' });
}

async function attempt(connection: Connection, deadline: number, run: () => Promise<Row[]>): Promise<Row[]> {
  await connection.command('savepoint', deadline);
  let rows: Row[];
  try {
    rows = await run();
  } catch (error) {
    if (!(error instanceof DatabaseFailure) || !connection.isOpen) throw error;
    // The failure has undone more than the statement, or would occur again.
    if (error.failure.kind === 'conflict') throw error;
    await connection.command('rollback to savepoint', deadline);
    throw new Undone(error.failure, error.cause);
  }
  await connection.command('release savepoint', deadline);
  return rows;
}

/** Rolls back. Never fails. */
async function undo(connection: Connection): Promise<void> {
  if (!connection.isOpen) return;
  try {
    await connection.command('rollback', performance.now() + rollbackTimeout);
  } catch {
    connection.cut();
  }
}

/** The failure of a statement that ended the transaction on the server, which only the service may do: earlier changes are committed. */
function committedWithin(connection: Connection): DatabaseFailure {
  connection.cut();
  const reason = 'the statement ended the transaction: what was done before it may be committed';
  return new DatabaseFailure({ kind: 'unexpected', aftermath: 'unknown', reason });
}

function lost(connection: Connection): DatabaseFailure {
  const { code, reason } = connection.endReason;
  return new DatabaseFailure({
    kind: 'unavailable',
    ...(code === undefined ? {} : { code }),
    reason: `the connection ended before COMMIT: nothing was committed${reason === undefined ? '' : `; ${reason}`}`,
  });
}

/** The failure of a statement that was undone. The transaction continues as if the statement had not run. */
class Undone extends DatabaseFailure {}

function over(): DatabaseFailure {
  return new DatabaseFailure({ kind: 'unexpected', reason: 'the transaction is over' });
}
