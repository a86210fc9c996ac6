/** PostgreSQL datasources. */
import type { Socket } from 'node:net';
import pg, { type Client } from 'pg';
import type { Row } from '../json.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { DatabaseDatasource, DatabaseDefinition } from './database.js';
import { Datasource } from './datasource.js';
import type { Query, SharedConnections, StatementDriver, TransactionCommand } from './driver.js';
import { postgresMarkers } from './markers.js';
import { postgresFailure } from './postgres-failure.js';
import { sendQuery, type RawResult } from './postgres-query.js';
import { postgresConnection } from './postgres-session.js';
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

class PostgresDriver implements StatementDriver<Client> {
  readonly client = 'pg';
  readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly shared: SharedConnections<Client>;
  readonly failureOf = postgresFailure;
  private readonly types = new PostgresTypes();
  private readonly statements = new Map<string, PreparedStatement<number, string>>();
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

  socketOf(connection: Client): Socket {
    // Documented nowhere, and the only way to end a connection that does not answer; a test sees to it.
    return (connection as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  private async connectShared(lost: () => void): Promise<Client> {
    const client = new pg.Client({ ...this.connection, pipeline: true });
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

  async run(connection: Client, query: Query): Promise<Row[]> {
    const statement = this.statement(query.text);
    const { shape, rows, raw } = await this.execute(connection, statement, query);
    if (raw.length === 0) return rows;
    const { columns = [] } = shape;
    const decode = statement.learn(columns, await this.types.decoders(columns, connection));
    shape.decode = decode;
    return [...raw.map(decode), ...rows];
  }

  private async execute(
    connection: Client,
    statement: PreparedStatement<number, string>,
    query: Query,
  ): Promise<RawResult> {
    // Without a name it cannot be out of date. Running it a second time would not help there: the failure undoes everything.
    if (query.inTransaction === true) return this.send(connection, statement, query);
    try {
      return await this.send(connection, statement, query, statement.name);
    } catch (error) {
      if (query.inOrder === true || !this.settings.sessions || !mayBeStale(error)) throw error;
      // Nothing has happened: the server undoes a statement that fails. Without a name it is prepared anew.
      const result = await this.send(connection, statement, query);
      statement.name = this.nextName();
      return result;
    }
  }

  private send(
    connection: Client,
    statement: PreparedStatement<number, string>,
    { text, values }: Query,
    name?: string,
  ): Promise<RawResult> {
    return sendQuery(connection, {
      text,
      values,
      name: this.settings.sessions ? name : undefined,
      decoderOf: (columns) => this.decoderOf(statement, columns),
    });
  }

  private decoderOf(
    statement: PreparedStatement<number, string>,
    columns: readonly Column<number>[],
  ): RowDecoder<string> | undefined {
    const known = statement.decoder(columns);
    if (known !== undefined) return known;
    const decoders = this.types.knownDecoders(columns);
    return decoders && statement.learn(columns, decoders);
  }

  async command(connection: Client, command: TransactionCommand): Promise<void> {
    const result = await connection.query(this.commands[command]);
    // A transaction in which something had failed is rolled back by COMMIT, and the server calls that a success.
    if (command === 'commit' && result.command !== 'COMMIT') throw new Error('COMMIT was a ROLLBACK');
  }

  private statement(text: string): PreparedStatement<number, string> {
    let statement = this.statements.get(text);
    if (statement === undefined) {
      statement = new PreparedStatement(this.nextName());
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
