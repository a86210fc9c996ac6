/** PostgreSQL datasources. */
import type { Socket } from 'node:net';
import pg, { type Client } from 'pg';
import type { Row } from '../json.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { DatabaseDatasource, DatabaseDefinition } from './database.js';
import { Datasource } from './datasource.js';
import type { Done, Query, SharedConnections, StatementDriver, TransactionCommand } from './driver.js';
import { postgresMarkers } from './markers.js';
import { errorCode } from './failure.js';
import { postgresFailure, readOnlyTransaction } from './postgres-failure.js';
import { sendQuery, unreadable, type RawResult } from './postgres-query.js';
import { postgresConnection, sessionOptions } from './postgres-session.js';
import { postgresRows } from './postgres-rows.js';
import { PostgresTypes } from './postgres-types.js';
import { cancelStatement } from './postgres-cancel.js';
import { PreparedStatement } from './prepared-statement.js';
import type { Column, RowDecoder } from './rows.js';

/** Declares a datasource; it connects to nothing before it is opened and a statement runs. */
export function postgres(definition: DatabaseDefinition): DatabaseDatasource {
  return new Datasource<Client>(
    {
      kind: 'postgresql',
      markers: postgresMarkers,
      booleans: ['false', 'true'],
      driver: (settings) => new PostgresDriver(settings),
    },
    definition,
  );
}

/** A prepared statement, and the decoders of what it gives. */
class PostgresStatement extends PreparedStatement<number, string> {
  constructor(
    name: string,
    private readonly types: PostgresTypes,
  ) {
    super(name);
  }

  /** Undefined where a type has to be looked up in the database. */
  decoderOf(columns: readonly Column<number>[]): RowDecoder<string> | undefined {
    const known = this.decoder(columns);
    if (known !== undefined) return known;
    const decoders = this.types.knownDecoders(columns);
    return decoders && this.learn(columns, decoders);
  }
}

class PostgresDriver implements StatementDriver<Client> {
  readonly client = 'pg';
  readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly shared: SharedConnections<Client>;
  readonly failureOf = postgresFailure;
  readonly commitsWithin = false;
  private readonly types = new PostgresTypes();
  private readonly statements = new Map<string, PostgresStatement>();
  private readonly commands: Readonly<Record<TransactionCommand, string>>;
  private names = 0;

  constructor(private readonly settings: ConnectionSettings) {
    this.connection = postgresConnection(settings);
    this.connectTimeout = settings.connectTimeout;
    const count = settings.sessions ? sharedOf(settings.pool.max) : 0;
    const max = settings.pool.max - count;
    this.pool = { min: Math.min(settings.pool.min, max), max };
    this.shared = {
      count,
      connect: (lost) => this.connectShared(lost),
      start: (connection, query, done) => {
        this.start(connection, query, done);
      },
      isWrite: (error) => errorCode(error) === readOnlyTransaction,
      ping: async (connection) => {
        await connection.query('');
      },
      end: (connection) => connection.end(),
    };
    // A pooler that keeps no session keeps the one of a transaction.
    const timeout = settings.sessions ? '' : `; SET LOCAL statement_timeout = ${settings.statementTimeout}`;
    this.commands = {
      begin: `BEGIN${timeout}`,
      commit: 'COMMIT',
      rollback: 'ROLLBACK',
      savepoint: 'SAVEPOINT before_statement',
      'release savepoint': 'RELEASE SAVEPOINT before_statement',
      'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
    };
  }

  /** Everything about the session was said while connecting. */
  async startSession(): Promise<void> {
    // A pooler that keeps no session must not be told anything about one.
  }

  cancel(connection: Client): void {
    // Documented nowhere too: what the server told the connection when it was made.
    const key = connection as unknown as { readonly processID?: number; readonly secretKey?: number };
    const { host, port } = this.settings;
    if (key.processID !== undefined && key.secretKey !== undefined) {
      cancelStatement(host, port, key.processID, key.secretKey);
    }
  }

  transactionOpen(connection: Client): boolean | undefined {
    // Declared nowhere: what the last ReadyForQuery said, I, T or E.
    const { _txStatus: status } = connection as unknown as { readonly _txStatus?: string | null };
    return status === undefined || status === null ? undefined : status !== 'I';
  }

  rowsOf(connection: Client): number {
    return postgresRows(connection);
  }

  socketOf(connection: Client): Socket {
    // Documented nowhere, and the only way to end a connection that does not answer; a test sees to it.
    return (connection as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  private async connectShared(lost: () => void): Promise<Client> {
    const options = `${sessionOptions(this.settings)} -c default_transaction_read_only=on`;
    const client = new pg.Client({ ...this.connection, options, pipeline: true });
    // What was under way is told by its own failure.
    client.on('error', lost).on('end', lost);
    try {
      await client.connect();
    } catch (error) {
      this.socketOf(client).destroy();
      throw error;
    }
    this.socketOf(client).setKeepAlive(true, 10_000);
    return client;
  }

  run(connection: Client, query: Query): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.start(connection, query, (error, rows) => {
        if (rows === undefined) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(rows);
      });
    });
  }

  /** In its usual course there is no promise in it: this runs for every statement of a shared connection. */
  private start(connection: Client, query: Query, done: Done): void {
    const statement = this.statement(query.text);
    // In a transaction a statement without a name cannot be out of date: running it again would not help there.
    const name = query.inTransaction === true || !this.settings.sessions ? undefined : statement.name;
    sendQuery(connection, query, name, statement, (error, result) => {
      if (result?.raw.length === 0) {
        done(undefined, result.rows);
        return;
      }
      const rows = result
        ? this.decode(connection, statement, result)
        : this.again(connection, statement, query, name, error);
      rows.then((decoded) => {
        done(undefined, decoded);
      }, done);
    });
  }

  /** Reads rows with types that the database has to tell about. */
  private async decode(
    connection: Client,
    statement: PostgresStatement,
    { shape, rows, raw }: RawResult,
  ): Promise<Row[]> {
    const { columns = [] } = shape;
    const decode = statement.learn(columns, await this.types.decoders(columns, connection));
    shape.decode = decode;
    try {
      return [...raw.map(decode), ...rows];
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** Runs a statement that failed once more where the fault may lie with its preparation; throws the error where it does not. */
  private async again(
    connection: Client,
    statement: PostgresStatement,
    query: Query,
    name: string | undefined,
    error: unknown,
  ): Promise<Row[]> {
    if (name === undefined || query.inOrder === true || !mayBeStale(error)) throw error;
    // Nothing has happened: the server undoes a statement that fails. Without a name it is prepared anew.
    const result = await new Promise<RawResult>((resolve, reject) => {
      sendQuery(connection, query, undefined, statement, (problem, second) => {
        if (second === undefined) reject(problem instanceof Error ? problem : new Error(String(problem)));
        else resolve(second);
      });
    });
    statement.name = this.nextName();
    return result.raw.length === 0 ? result.rows : this.decode(connection, statement, result);
  }

  async command(connection: Client, command: TransactionCommand): Promise<void> {
    const result = await connection.query(this.commands[command]);
    // A transaction in which something had failed is rolled back by COMMIT, and the server calls that a success.
    if (command === 'commit' && result.command !== 'COMMIT') throw new Error('COMMIT was a ROLLBACK');
  }

  private statement(text: string): PostgresStatement {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = new PostgresStatement(this.nextName(), this.types);
      this.statements.set(text, statement);
    }
    return statement;
  }

  private nextName(): string {
    this.names += 1;
    return `s${this.names}`;
  }
}

/** How many of so many connections are shared by quick reads: two do the most; writes and slow reads need their own. */
function sharedOf(max: number): number {
  if (max < 4) return 0;
  return max < 8 ? 1 : 2;
}

/**
 * Whether the fault may lie with a prepared statement that is no longer what the server would make of its text: it is
 * gone (26000), its columns have changed (0A000 from the check before it runs), or its values are still read as the
 * types that the columns had when it was prepared (the others — or the value or the text is simply wrong).
 */
function mayBeStale(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  if (error.code === '0A000') return 'routine' in error && error.routine === 'RevalidateCachedQuery';
  return typeof error.code === 'string' && staleCodes.has(error.code);
}

const staleCodes = new Set(['26000', '22003', '22007', '22008', '22P02', '42804', '42883']);
