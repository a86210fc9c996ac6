/** The connection that user code uses through Knex. Statements run one at a time, and never after the function has ended. */
import type { Call } from '../handler/call.js';
import { ServiceError } from '../handler/reply.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import type { Connection, Sending } from '../sql/connection.js';
import type { Query, QueryCallback } from '../sql/driver.js';
import { DatabaseFailure, failureError } from '../sql/failure.js';
import { rollbackTimeout } from '../sql/run-alone.js';
import type { TransactionPart } from '../transactions/datasource-transaction.js';
import type { SharedTransaction } from '../transactions/transaction.js';
import { passesOn } from './thrown.js';
import { controlIn, endsTransaction } from './transaction-control.js';

/** Runs a statement on the connection of the driver. */
type Run<Result> = (client: unknown) => Promise<Result>;

/** A connection reserved for user code until it is released. */
export abstract class OwnConnection {
  protected isOver = false;

  constructor(
    protected readonly datasource: DatabaseDatasource,
    protected readonly call: Call,
  ) {}

  /** Runs one statement. Throws an error of the driver, or an error that user code may rethrow. */
  async run<Result>(text: string, run: Run<Result>): Promise<Result | undefined> {
    if (this.isOver)
      throw new Error(`the function has ended, and with it its connection to '${this.datasource.name}'`);
    try {
      return await this.next(text, run);
    } catch (error) {
      throw ownError(error, this.datasource.name);
    }
  }

  protected abstract next<Result>(text: string, run: Run<Result>): Promise<Result | undefined>;

  /** Rejects all later statements. Never fails. */
  abstract release(): void;

  /** A statement that only applies the context of the datasource. */
  protected get contextQuery(): Query {
    const { context } = this.datasource;
    return {
      ...{ text: 'SELECT 1', values: [], use: 'read', changes: false, atomic: true, inTransaction: true },
      ...(context === undefined ? {} : { context: context.of(this.call) }),
    };
  }
}

/** Converts a failure to the error that user code receives: that of the driver, with the error code of the server. */
export function ownError(error: unknown, datasource: string): unknown {
  if (error instanceof ServiceError) {
    // A copy, because Knex adds the statement to the message of the error.
    const own = new Error(error.message);
    passesOn(own, () => error);
    return own;
  }
  if (!(error instanceof DatabaseFailure)) return error;
  const { cause, failure } = error;
  const own = cause instanceof Error ? cause : new Error(failure.reason ?? failure.kind);
  // Statement errors become a 500 with the stack of the user code, which leads its author to the statement. Other errors keep their
  // response.
  if (isOfService(error)) passesOn(own, (site) => failureError(error, { ...site, datasource }));
  return own;
}

function isOfService({ failure: { kind, aftermath } }: DatabaseFailure): boolean {
  return ['busy', 'unavailable', 'timeout', 'conflict'].includes(kind) || aftermath === 'unknown';
}

/** Runs one statement, then resets the session for its next user. Throws a DatabaseFailure. */
async function passOn<Result>(
  connection: Connection,
  text: string,
  sending: Sending,
  run: Run<Result>,
): Promise<Result> {
  connection.isSuspect = true;
  let outcome: { readonly result: Result } | undefined;
  const start = (done: QueryCallback) => {
    connection.session.passOn(run).then((result) => {
      outcome = { result };
      done(undefined, []);
    }, done);
  };
  await connection.send({ ...sending, text, start });
  if (outcome === undefined) throw new Error('a statement has ended without a result');
  return outcome.result;
}

/**
 * A connection inside the transaction of the call. Its statements run between those of the operation, and transactions begun by user
 * code become savepoints.
 */
export class JoinedConnection extends OwnConnection {
  private part: Promise<TransactionPart> | undefined;
  /** The value of `part` once the transaction has begun. */
  private begunPart: TransactionPart | undefined;
  /** Ends the current savepoint, so that the next one can begin. */
  private endSavepoint: (() => void) | undefined;

  constructor(
    datasource: DatabaseDatasource,
    call: Call,
    private readonly shared: SharedTransaction,
  ) {
    super(datasource, call);
  }

  protected async next<Result>(text: string, run: Run<Result>): Promise<Result | undefined> {
    const found = controlIn(text);
    if (found === undefined) {
      if (endsTransaction(text, this.datasource.kind))
        throw new Error('the operation ends its transaction: no statement of a function can');
      return this.statement(text, run, this.endSavepoint !== undefined);
    }
    if (found.mode !== '' || found.verb === 'set')
      throw new Error('the operation has begun the transaction: its isolation level cannot be changed');
    if (found.verb === 'begin') {
      this.endSavepoint = await savepointTurn(this.shared);
      await this.command('SAVEPOINT own_code');
      return undefined;
    }
    if (this.endSavepoint === undefined)
      throw new Error(
        `the operation ends its transaction: ${found.verb.toUpperCase()} is not possible in it`,
      );
    try {
      await this.command(
        found.verb === 'commit' ? 'RELEASE SAVEPOINT own_code' : 'ROLLBACK TO SAVEPOINT own_code',
      );
      return undefined;
    } finally {
      this.savepointEnds();
    }
  }

  release(): void {
    this.isOver = true;
    if (this.endSavepoint === undefined) return;
    // The function ended inside the savepoint. Roll back now, before later steps or the commit.
    const undone = this.begunPart && this.turn(this.begunPart, 'ROLLBACK TO SAVEPOINT own_code');
    void Promise.resolve(undone)
      .catch(() => undefined)
      .finally(() => {
        this.savepointEnds();
      });
  }

  private savepointEnds(): void {
    this.endSavepoint?.();
    this.endSavepoint = undefined;
  }

  private async statement<Result>(text: string, run: Run<Result>, isTentative: boolean): Promise<Result> {
    const part = await this.begun();
    return part.own(this.call, (connection, sending) => passOn(connection, text, sending, run), isTentative);
  }

  /** Sends this command instead of the one from user code. */
  private async command(text: string): Promise<void> {
    await this.turn(await this.begun(), text);
  }

  private turn(part: TransactionPart, text: string): Promise<unknown> {
    const run: Run<unknown> = (client) => sendText(client, text);
    return part.own(this.call, (connection, sending) => passOn(connection, text, sending, run), false);
  }

  /** Begins the transaction on the datasource and applies its context, unless an earlier statement has done so. */
  private begun(): Promise<TransactionPart> {
    this.part ??= this.begin();
    return this.part;
  }

  private async begin(): Promise<TransactionPart> {
    const opened = this.datasource.use();
    await this.shared.run(opened, this.contextQuery, this.call, false);
    const part = this.shared.parts.get(opened);
    if (part === undefined) throw new Error('the transaction has no part of the datasource');
    this.begunPart = part;
    return part;
  }
}

/** The end of the last savepoint of each transaction. Savepoints cannot overlap. */
const turns = new WeakMap<SharedTransaction, Promise<void>>();

/** Waits for earlier savepoints. Returns the function that ends this savepoint. */
async function savepointTurn(shared: SharedTransaction): Promise<() => void> {
  const before = turns.get(shared);
  let end = (): void => undefined;
  turns.set(
    shared,
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  await before;
  return end;
}

/** Sends a statement without values, with either driver. */
function sendText(client: unknown, text: string): Promise<unknown> {
  const { query } = client as {
    query: (text: string, done: (error: unknown, result: unknown) => void) => void;
  };
  return new Promise((resolve, reject) => {
    query.call(client, text, (error, result) => {
      if (error instanceof Error) reject(error);
      else resolve(result);
    });
  });
}

/** A connection outside of transactions: leases a connection for each statement, or for each transaction begun by user code. */
export class LeasedConnection extends OwnConnection {
  /** Whether user code has begun a transaction. */
  private isInTransaction = false;
  /** Whether that transaction is read-only. */
  private readsOnly = false;

  constructor(
    datasource: DatabaseDatasource,
    call: Call,
    private readonly connection: Connection,
  ) {
    super(datasource, call);
  }

  protected async next<Result>(text: string, run: Run<Result>): Promise<Result | undefined> {
    const { connection } = this;
    const found = controlIn(text);
    if (found?.verb === 'begin') this.readsOnly = false;
    if (found !== undefined) this.readsOnly ||= /\bread\s+only\b/i.test(text);
    if (found === undefined || found.verb === 'set') {
      const isWhole = this.isInTransaction || this.datasource.context === undefined;
      return isWhole ? this.statement(text, run) : this.behindContext(text, run);
    }
    if (found.verb === 'begin') {
      await this.begin(found.mode);
      return undefined;
    }
    this.isInTransaction = false;
    await connection.command(found.verb, this.deadline);
    return undefined;
  }

  release(): void {
    this.isOver = true;
    void this.giveBack();
  }

  private get deadline(): number {
    return Math.min(this.call.deadline, performance.now() + this.datasource.use().timeout);
  }

  /** Sending options. Statements that may change data always run to completion, because otherwise their outcome would be unknown. */
  private get sending(): Sending {
    const { deadline, call, readsOnly } = this;
    return this.isInTransaction
      ? { deadline, readsOnly, proceed: call.proceed.bind(call) }
      : { deadline, changes: true };
  }

  private async statement<Result>(text: string, run: Run<Result>): Promise<Result> {
    const { connection } = this;
    const result = await passOn(connection, text, this.sending, run);
    if (this.isInTransaction && connection.session.transactionOpen === false) {
      this.isInTransaction = false;
      connection.cut();
      throw new Error('a statement has ended the transaction in which it ran');
    }
    return result;
  }

  private async begin(mode: string): Promise<void> {
    await this.connection.command('begin', this.deadline);
    this.isInTransaction = true;
    try {
      if (mode !== '') {
        const text = `SET TRANSACTION ${mode}`;
        await this.statement(text, (client) => sendText(client, text));
      }
      await this.setContext();
    } catch (error) {
      // Later statements would run without the context.
      this.isInTransaction = false;
      await this.rollBack();
      throw error;
    }
  }

  private async setContext(): Promise<void> {
    if (this.datasource.context !== undefined) await this.connection.query(this.contextQuery, this.sending);
  }

  /** Runs a single statement in a transaction with the context of the datasource. */
  private async behindContext<Result>(text: string, run: Run<Result>): Promise<Result> {
    await this.begin('');
    try {
      const result = await this.statement(text, run);
      await this.connection.command('commit', this.deadline);
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    } finally {
      this.isInTransaction = false;
    }
  }

  private async rollBack(): Promise<void> {
    const { connection } = this;
    if (!connection.isOpen || connection.session.transactionOpen === false) return;
    try {
      await connection.command('rollback', performance.now() + rollbackTimeout);
    } catch {
      connection.cut();
    }
  }

  /** Returns the connection when user code has no running statement and no open transaction. Never fails. */
  private async giveBack(): Promise<void> {
    const { connection } = this;
    await connection.idle();
    await this.rollBack();
    this.datasource.use().connections.release(connection);
  }
}
