/** PostgreSQL datasources. */
import type { Socket } from 'node:net';
import pg, { type Client } from 'pg';
import type { Row } from '../json.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { DatabaseDatasource, DatabaseDefinition } from './database.js';
import { Datasource } from './datasource.js';
import type { Query, SharedConnections, StatementDriver, TransactionCommand } from './driver.js';
import { postgresMarkers } from './markers.js';
import { errorCode } from './failure.js';
import { cancelStatement } from './postgres-cancel.js';
import { postgresFailure, readOnlyTransaction } from './postgres-failure.js';
import { postgresRows } from './postgres-rows.js';
import { PostgresRunner } from './postgres-runner.js';
import { postgresConnection, sessionOptions } from './postgres-session.js';
import { RecentMap } from './recent.js';

/** Of how many statements the types of the parameters are kept for new connections. */
const maxTexts = 1000;

/** Declares a datasource; it connects to nothing before it is opened and a statement runs. */
export function postgres(definition: DatabaseDefinition): DatabaseDatasource {
  return new Datasource<Client>(
    {
      kind: 'postgresql',
      markers: postgresMarkers,
      driver: (settings) => new PostgresDriver(settings),
    },
    definition,
  );
}

class PostgresDriver implements StatementDriver<Client> {
  readonly client = 'pg';
  readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly shared: SharedConnections<Client>;
  readonly failureOf = postgresFailure;
  readonly commitsWithin = false;
  private readonly commands: Readonly<Record<TransactionCommand, string>>;
  private readonly runners = new WeakMap<Client, PostgresRunner>();
  /** The types of parameters, by the text of the statement, where they mean the same in every server. */
  private readonly parameters = new RecentMap<string, readonly number[]>(maxTexts);

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
        this.runner(connection).start(query, done);
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
      this.runner(connection).start(query, (error, rows) => {
        if (rows === undefined) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(rows);
      });
    });
  }

  async command(connection: Client, command: TransactionCommand): Promise<void> {
    const result = await connection.query(this.commands[command]);
    // A transaction in which something had failed is rolled back by COMMIT, and the server calls that a success.
    if (command === 'commit' && result.command !== 'COMMIT') throw new Error('COMMIT was a ROLLBACK');
  }

  private runner(connection: Client): PostgresRunner {
    let runner = this.runners.get(connection);
    if (runner === undefined) {
      runner = new PostgresRunner(connection, {
        areNamed: this.settings.sessions,
        parameters: this.parameters,
      });
      this.runners.set(connection, runner);
    }
    return runner;
  }
}

/** How many of so many connections are shared by quick reads: two do the most; writes and slow reads need their own. */
function sharedOf(max: number): number {
  if (max < 4) return 0;
  return max < 8 ? 1 : 2;
}
