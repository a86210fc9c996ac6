/** PostgreSQL datasources. */
import type { Client } from 'pg';
import type { ConnectionSettings, DatabaseDefinition } from '../sql/connection-settings.js';
import type { DatabaseDatasource } from '../sql/database.js';
import { Datasource } from '../sql/datasource.js';
import { beforeDeadline } from '../sql/deadline.js';
import type {
  QueryCallback,
  StatementDriver,
  TransactionCommand,
  Query,
  SharedConnections,
} from '../sql/driver.js';
import { DatabaseFailure, errorCode, type Failure } from '../sql/failure.js';
import { postgresMarkers } from '../sql/sql.js';
import {
  cancelStatement,
  cancelKeyOf,
  createClient,
  socketOf,
  watchSettings,
  type Settings,
  type Startup,
} from './client.js';
import { postgresFailure, readOnlyTransaction } from './failure.js';
import { rowsOf } from './query.js';
import { PostgresRunner } from './runner.js';
import type { ParameterTypes } from './statements.js';
import {
  openSession,
  postgresConnection,
  sessionOptions,
  tlsSettings,
  zoneSettings,
  type Session,
} from './session.js';
import { RecentMap } from '../sql/rows.js';

/** Of how many statements the types of the parameters are kept for new connections. */
const maxTexts = 1000;

/** Declares a datasource; it connects to nothing before it is opened and a statement runs. */
export function postgres(definition: DatabaseDefinition): DatabaseDatasource {
  return new Datasource<Client>(
    {
      kind: 'postgresql',
      markers: postgresMarkers,
      driver: (settings, warn) => new PostgresDriver(settings, warn),
    },
    definition,
  );
}

class PostgresDriver implements StatementDriver<Client> {
  private readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly shared: SharedConnections<Client>;
  readonly failureOf = postgresFailure;
  readonly commitsWithin = false;
  readonly socketOf = socketOf;
  readonly rowsOf = rowsOf;
  private readonly connections = new WeakMap<Client, Opened>();
  /** The types of parameters, by the text of the statement, where they mean the same in every server. */
  private readonly parameters = new RecentMap<string, ParameterTypes>(maxTexts);
  private readonly varying = new Set<string>();
  /** False when a pooler does not pass the settings of a session on. */
  private keepsSessions: boolean;
  /** False when a pooler does not even pass the time zone on. */
  private isZoneRight = true;
  /** A pooler refuses a connection that asks for settings of the session. */
  private refusesOptions = false;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly warn: (warning: string) => void,
  ) {
    this.connection = postgresConnection(settings);
    this.connectTimeout = settings.connectTimeout;
    this.keepsSessions = settings.sessions;
    this.pool = settings.pool;
    const keepsSessions = () => this.keepsSessions;
    this.shared = {
      get count() {
        return keepsSessions() ? settings.shared : 0;
      },
      connect: (lost) => this.connectShared(lost),
      isWrite: (error) => errorCode(error) === readOnlyTransaction,
      ping: async (connection) => {
        await connection.query('');
      },
    };
  }

  async connect(): Promise<Client> {
    if (!this.refusesOptions) {
      try {
        return await this.connectOnce({});
      } catch (error) {
        if (!refusesOptions(error)) throw error;
        this.refusesOptions = true;
      }
    }
    return this.connectOnce({});
  }

  /** `own`: settings of the session besides the usual ones, which must hold. `changed`: something has changed a setting of the session. */
  private async connectOnce(
    own: Startup,
    more: Readonly<Record<string, unknown>> = {},
    changed: (client: Client) => void = nothing,
  ): Promise<Client> {
    const { options, expected } = sessionOptions(this.settings, own);
    const until = performance.now() + this.connectTimeout;
    const isAsked = this.settings.sessions && !this.refusesOptions;
    const client = createClient(
      { ...this.connection, ...more },
      { ...zoneSettings, ...(isAsked ? { options } : {}) },
    );
    // Failures are reported by the running or the next statement.
    client.on('error', nothing);
    const settings = watchSettings(client, () => {
      if (settings.changed.size > 0) changed(client);
    });
    try {
      await client.connect();
      const session = await beforeDeadline(
        openSession(client, this.settings, expected),
        until,
        () => new DatabaseFailure({ kind: 'unavailable', reason: 'no response while connecting' }),
      );
      this.judge(session);
      const areNamed = session.isKept;
      const runner = new PostgresRunner(client, {
        areNamed,
        parameters: this.parameters,
        varying: this.varying,
      });
      // A pooler reports the settings of whatever session it takes.
      settings.isOpen = session.isKept;
      this.connections.set(client, { session, runner, settings });
      return client;
    } catch (error) {
      socketOf(client).destroy();
      throw error;
    }
  }

  private judge(session: Session): void {
    if (session.timeZone !== 'UTC' && this.isZoneRight) {
      this.isZoneRight = false;
      this.warn(`The time zone of the session is not UTC: a connection pooler does not pass on TimeZone.`);
    }
    if (session.isKept) return;
    // Statements would silently meet the tables of another schema.
    if (this.settings.currentSchema !== undefined) throw new DatabaseFailure(schemaLost);
    if (!this.keepsSessions) return;
    this.keepsSessions = false;
    this.warn(
      'A connection pooler such as PgBouncer does not pass on the settings of a session. Statements are therefore prepared for each run, and reads share no connections. Write prepareThreshold=0 in the URL if that is meant.',
    );
  }

  end(connection: Client): Promise<void> {
    return connection.end();
  }

  /** The session is set up while connecting. */
  async startSession(): Promise<void> {
    // A pooler that does not keep sessions must not receive settings of one.
  }

  async cancel(connection: Client): Promise<void> {
    const key = cancelKeyOf(connection);
    const { remoteAddress: address, remotePort: port } = socketOf(connection);
    if (key === undefined || address === undefined || port === undefined) return;
    const tls = tlsSettings(this.settings.tls, this.settings.host);
    await cancelStatement({ address, port, tls, ...key });
  }

  beginWithNext(connection: Client): boolean {
    const { session, runner } = this.opened(connection);
    // A pooler that does not keep sessions receives more than BEGIN.
    if (session.isKept) runner.beginWithNext();
    return session.isKept;
  }

  isChanged(connection: Client): boolean {
    return this.opened(connection).settings.changed.size > 0;
  }

  transactionOpen(connection: Client): boolean | undefined {
    if (this.opened(connection).runner.willBegin) return true;
    // Declared nowhere: the status of the last ReadyForQuery: I, T or E.
    const { _txStatus: status } = connection as unknown as { readonly _txStatus?: string | null };
    return status === undefined || status === null ? undefined : status !== 'I';
  }

  /** On it nothing changes data, which only a session that is kept can promise. */
  private async connectShared(lost: () => void): Promise<Client> {
    if (this.refusesOptions) throw new Error('reads share no connections behind this pooler');
    const readOnly = { default_transaction_read_only: 'on' };
    const client = await this.connectOnce(readOnly, { pipeline: true }, (changed) => {
      // The statement that did it may have its result; those behind it run elsewhere.
      setImmediate(() => socketOf(changed).destroy());
    });
    if (!this.opened(client).session.isKept) {
      socketOf(client).destroy();
      throw new Error('the session is not kept');
    }
    // Statements in flight report their own failure.
    client.on('error', lost).on('end', lost);
    socketOf(client).setKeepAlive(true, 10_000);
    return client;
  }

  start(connection: Client, query: Query, done: QueryCallback): void {
    this.opened(connection).runner.start(query, done);
  }

  async command(connection: Client, command: TransactionCommand): Promise<void> {
    const { session, runner } = this.opened(connection);
    const { isKept, statementTimeout } = session;
    // BEGIN has not been sent, and what would end it need not be.
    const begins = runner.takeBegin();
    if (command === 'commit' || command === 'rollback') runner.transactionEnds();
    if (begins && (command === 'commit' || command === 'rollback')) return;
    // A pooler that keeps no session keeps the one of a transaction.
    const text =
      command === 'begin' && !isKept
        ? `BEGIN; SET LOCAL statement_timeout = ${statementTimeout}`
        : `${begins ? 'BEGIN; ' : ''}${commands[command]}`;
    const result = await connection.query(text);
    // A transaction in which something had failed is rolled back by COMMIT, and the server calls that a success.
    if (command === 'commit' && result.command !== 'COMMIT') throw new Error('COMMIT was a ROLLBACK');
  }

  private opened(connection: Client): Opened {
    const opened = this.connections.get(connection);
    if (opened === undefined) throw new Error('a connection that this datasource did not make');
    return opened;
  }
}

/** What is known of a connection. */
interface Opened {
  readonly session: Session;
  readonly runner: PostgresRunner;
  readonly settings: Settings;
}

function nothing(): void {
  // Reported elsewhere.
}

/** There is one savepoint at a time. */
const commands: Readonly<Record<TransactionCommand, string>> = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT before_statement',
  'release savepoint': 'RELEASE SAVEPOINT before_statement',
  'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
};

const schemaLost: Failure = {
  kind: 'unavailable',
  reason:
    'a connection pooler does not pass on currentSchema; let it pass on options, or set search_path for the role or database',
};

/** PgBouncer refuses what `ignore_startup_parameters` does not name, and other servers refuse settings that they do not know. */
function refusesOptions(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== '08P01') return code === '42704' || code === '22023' || code === '0A000';
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}
