/** PostgreSQL datasources. */
import { errorCode } from '../handler/reply.js';
import {
  keptStatements,
  type ConnectionSettings,
  type DatabaseDefinition,
} from '../sql/connection-settings.js';
import { DatabaseDatasource } from '../sql/datasource.js';
import { beforeDeadline } from '../sql/clock.js';
import type { Client } from 'pg';
import type { Driver, DriverConnection, KnexSettings } from '../sql/driver.js';
import { DatabaseFailure, type Failure } from '../sql/failure.js';
import { RecentMap } from '../sql/rows.js';
import { PostgresConnection } from './connection.js';
import { createClient, socketOf, watchSettings } from './driver-internals.js';
import { postgresFailure, readOnlyTransaction } from './failure.js';
import type { ParameterTypes } from './statements.js';
import { openSession, postgresConnection, sessionOptions, zoneSettings, type Session } from './session.js';

/**
 * Maximum number of cached prepared statements: for a shared connection, and for all other connections together. Each takes about 10
 * KiB of server memory.
 */
const maxStatements = { shared: 4096, own: 8192 };

/** Maximum number of statements whose parameter types are cached for new connections. */
const maxTexts = maxStatements.shared;

/** Declares a datasource, which connects when it has been opened and the first statement runs. */
export function postgres(definition: DatabaseDefinition): DatabaseDatasource {
  return new DatabaseDatasource(
    { kind: 'postgresql', driver: (settings, warn) => new PostgresDriver(settings, warn) },
    definition,
  );
}

class PostgresDriver implements Driver {
  readonly failureOf = postgresFailure;
  readonly commitsWithin = false;
  private readonly connection: Readonly<Record<string, unknown>>;
  /** Facts that connections share, as far as they are the same on every server. */
  private readonly known = {
    parameters: new RecentMap<string, ParameterTypes>(maxTexts),
    varying: new Set<string>(),
    unguarded: new Set<string>(),
    altered: new RecentMap<string, number>(maxTexts),
  };
  /** False if a pooler does not pass on session settings. */
  private keepsSessions: boolean;
  /** False if a pooler does not pass on the time zone either. */
  private isZoneRight = true;
  /** Whether a pooler refuses connections that request session settings. */
  private refusesOptions = false;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly warn: (warning: string) => void,
  ) {
    this.connection = postgresConnection(settings);
    this.keepsSessions = settings.sessions;
  }

  get shared(): number {
    return this.keepsSessions ? this.settings.shared : 0;
  }

  isWrite(error: unknown): boolean {
    return errorCode(error) === readOnlyTransaction;
  }

  async connect(isShared: boolean): Promise<DriverConnection> {
    if (!this.refusesOptions) {
      try {
        return await this.connectOnce(isShared);
      } catch (error) {
        if (!refusesOptions(error)) throw error;
        this.refusesOptions = true;
      }
    }
    return this.connectOnce(isShared);
  }

  private async connectOnce(isShared: boolean): Promise<DriverConnection> {
    // Shared connections and replicas are read-only, which can only be enforced if the session is preserved.
    const isReadOnly = isShared || this.settings.isReplica === true;
    const { options, expected } = sessionOptions(
      this.settings,
      isReadOnly ? { default_transaction_read_only: 'on' } : {},
    );
    const until = performance.now() + this.settings.connectTimeout;
    const isAsked = this.settings.sessions && !this.refusesOptions;
    const client = createClient(
      { ...this.connection, pipeline: isShared },
      { ...zoneSettings, ...(isAsked ? { options } : {}) },
    );
    // Failures are reported by the current or the next statement.
    client.on('error', nothing);
    const changed = watchSettings(client);
    try {
      await client.connect();
      const session = await beforeDeadline(
        openSession(client, this.settings, expected),
        until,
        () => new DatabaseFailure({ kind: 'unavailable', reason: 'no response while connecting' }),
      );
      this.judge(session);
      if (isShared && !session.isKept) throw new Error('reads share no connections behind this pooler');
      // A pooler reports the settings of any session that it uses.
      if (session.isKept) changed.isOpen = true;
      const connection = new PostgresConnection(client, this.settings, {
        session,
        keptStatements: keptStatements(this.settings, isShared, maxStatements),
        changed: changed.names,
        ...this.known,
      });
      await this.settings.context?.check((text, context) =>
        connection.run({ text, values: [], use: 'read', changes: false, atomic: true, context }),
      );
      return connection;
    } catch (error) {
      socketOf(client).destroy();
      throw error;
    }
  }

  knexSettings(): KnexSettings {
    const { settings } = this;
    const { options, expected } = sessionOptions(settings, zoneSettings);
    const isAsked = settings.sessions && !this.refusesOptions;
    return {
      client: 'pg',
      connection: { ...this.connection, ...(isAsked ? { options } : {}) },
      connectTimeout: settings.connectTimeout,
      prepare: async (client) => {
        const { isKept } = await openSession(client as Client, settings, expected);
        if (!isKept && settings.currentSchema !== undefined) throw new DatabaseFailure(schemaLost);
      },
    };
  }

  private judge(session: Session): void {
    if (session.timeZone !== 'UTC' && this.isZoneRight) {
      this.isZoneRight = false;
      this.warn(`The time zone of the session is not UTC: a connection pooler does not pass on TimeZone.`);
    }
    if (session.isKept) return;
    // Without the schema, statements would silently use tables of another schema.
    if (this.settings.currentSchema !== undefined) throw new DatabaseFailure(schemaLost);
    if (!this.keepsSessions) return;
    this.keepsSessions = false;
    this.warn(
      'A connection pooler such as PgBouncer does not pass on the settings of a session. Statements are therefore prepared for each run, and reads share no connections. Write prepareThreshold=0 in the URL if that is meant.',
    );
  }
}

function nothing(): void {
  // The error is reported elsewhere.
}

const schemaLost: Failure = {
  kind: 'unavailable',
  reason:
    'a connection pooler does not pass on currentSchema; let it pass on options, or set search_path for the role or database',
};

/**
 * Whether the error means that session settings are refused: by PgBouncer if `ignore_startup_parameters` does not name them, or by
 * other servers if they are unknown.
 */
function refusesOptions(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== '08P01') return code === '42704' || code === '22023' || code === '0A000';
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}
