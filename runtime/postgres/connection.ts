/** A PostgreSQL connection: its statements, transaction commands, and end. */
import type { Socket } from 'node:net';
import type { Client, QueryResult } from 'pg';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import type { DriverConnection, Query, QueryCallback, TransactionCommand } from '../sql/driver.js';
import { cancelStatement, isInTransaction, pipeline, socketOf } from './driver-internals.js';
import { asFailure } from '../sql/failure.js';
import type { Row } from '../handler/json.js';
import { postgresFailure } from './failure.js';
import { rowsOf } from './query.js';
import { PostgresRunner, type KnownParameters } from './runner.js';
import { tlsSettings, type Session } from './session.js';

/** A new connection: its session, known parameters, and changed settings. */
export interface Opened extends KnownParameters {
  readonly session: Session;
  /** Maximum number of prepared statements, in this process and on the server. */
  readonly keptStatements: number;
  /** Settings changed since the connection was opened. */
  readonly changed: ReadonlySet<string>;
}

export class PostgresConnection implements DriverConnection {
  readonly socket: Socket;
  private readonly runner: PostgresRunner;
  /** Whether a statement prepared with PREPARE remains. */
  private hasPrepared = false;
  /** Number of statements in flight that were sent without waiting for each other. */
  private pipelined = 0;

  constructor(
    private readonly client: Client,
    private readonly settings: ConnectionSettings,
    private readonly opened: Opened,
  ) {
    this.socket = socketOf(client);
    this.runner = new PostgresRunner(client, opened.session.isKept, opened, opened.keptStatements);
  }

  get rows(): number {
    return rowsOf(this.client);
  }

  get isChanged(): boolean {
    return this.opened.changed.size > 0 || this.hasPrepared;
  }

  get transactionOpen(): boolean | undefined {
    return this.runner.begins || isInTransaction(this.client);
  }

  onError(listener: (error: unknown) => void): void {
    this.client.on('error', listener);
  }

  start(query: Query, done: QueryCallback): void {
    this.runner.start(query, done);
  }

  after(query: Query): ((done: QueryCallback) => void) | undefined {
    const send = this.runner.after(query);
    if (send === undefined) return undefined;
    return (done) => {
      this.pipelined += 1;
      pipeline(this.client, true);
      send((error, rows) => {
        this.pipelined -= 1;
        if (this.pipelined === 0) pipeline(this.client, false);
        done(error, rows);
      });
    };
  }

  /** Runs a statement. Throws a DatabaseFailure. */
  run(query: Query): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.start(query, (error, rows) => {
        if (rows !== undefined) resolve(rows);
        else reject(asFailure(error, () => postgresFailure(error, query.text)));
      });
    });
  }

  beginWithNext(): boolean {
    const { isKept } = this.opened.session;
    // A pooler that does not preserve sessions must receive the time limit with BEGIN, so BEGIN is sent separately.
    if (isKept) this.runner.begins = true;
    return isKept;
  }

  async command(command: TransactionCommand): Promise<void> {
    const { isKept, statementTimeout } = this.opened.session;
    const isEnd = command === 'commit' || command === 'rollback';
    // If BEGIN was never sent, the command that would end its transaction is unnecessary, too.
    const begins = this.runner.takeBegin();
    if (isEnd) this.runner.transactionEnds();
    if (command === 'rollback to savepoint') this.runner.savepointReturns();
    if (isEnd && begins) return;
    // Even a pooler that does not preserve sessions uses one session throughout a transaction.
    const text =
      command === 'begin' && !isKept
        ? `BEGIN; SET LOCAL statement_timeout = '${statementTimeout}'`
        : `${begins ? 'BEGIN; ' : ''}${commands[command]}`;
    const result = await this.client.query(text);
    // After a failed statement, COMMIT rolls back the transaction, which the server reports as success.
    if (command === 'commit' && result.command !== 'COMMIT') throw new Error('COMMIT was a ROLLBACK');
  }

  async reset(): Promise<void> {
    const { isKept, statementTimeout } = this.opened.session;
    // A pooler could reset the session of another client.
    if (!isKept) return;
    const results = await this.client.query(
      `SET SESSION AUTHORIZATION DEFAULT; RESET ALL; SET statement_timeout = '${statementTimeout}'; SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; CLOSE ALL; UNLISTEN *; SELECT pg_catalog.setseed(${Math.random()}); SELECT 1 FROM pg_catalog.pg_prepared_statements WHERE from_sql`,
    );
    // DEALLOCATE ALL would also drop the statements of the driver.
    this.hasPrepared = (results as unknown as readonly QueryResult[]).at(-1)?.rowCount !== 0;
  }

  async ping(): Promise<void> {
    await this.client.query('');
  }

  passOn<Result>(run: (client: unknown) => Promise<Result>): Promise<Result> {
    return run(this.client);
  }

  cancel(): Promise<void> {
    return cancelStatement(this.client, tlsSettings(this.settings.tls, this.settings.host));
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

/** There is at most one savepoint. */
const commands: Readonly<Record<TransactionCommand, string>> = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT before_statement',
  'release savepoint': 'RELEASE SAVEPOINT before_statement',
  'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
};
