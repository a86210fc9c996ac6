/** MySQL and MariaDB datasources. */
import { createConnection, type Connection } from 'mysql2';
import {
  keptStatements,
  type ConnectionSettings,
  type DatabaseDefinition,
} from '../sql/connection-settings.js';
import { DatabaseDatasource } from '../sql/datasource.js';
import { beforeDeadline } from '../sql/clock.js';
import type { Driver, DriverConnection, KnexSettings } from '../sql/driver.js';
import { DatabaseFailure } from '../sql/failure.js';
import { MysqlConnection } from './connection.js';
import { forgetStatements, socketOf } from './driver-internals.js';
import { isMysqlError, mysqlFailure } from './failure.js';
import { mysqlConnection, startMysqlSession } from './session.js';
import { MysqlSharing } from './sharing.js';
import { ValueColumnTypes } from './value-columns.js';

/** ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION. */
const readOnlyTransaction = 1792;

/** Extra milliseconds, so that the driver reports a connection timeout first. */
const extraTime = 500;

/**
 * Maximum number of cached prepared statements: for a shared connection, and for all other connections together. A server allows 16,382
 * statements for all its clients by default (`max_prepared_stmt_count`).
 */
const maxStatements = { shared: 2048, own: 2048 };

/** Declares a datasource, which connects when it has been opened and the first statement runs. */
export function mysql(definition: DatabaseDefinition): DatabaseDatasource {
  return new DatabaseDatasource(
    {
      kind: 'mysql',
      driver: (settings, warn) => new MysqlDriver(settings, warn),
    },
    definition,
  );
}

class MysqlDriver implements Driver {
  readonly failureOf = mysqlFailure;
  readonly commitsWithin = true;
  private readonly connection: Readonly<Record<string, unknown>>;
  private readonly columns = new ValueColumnTypes();
  private readonly sharing: MysqlSharing;

  constructor(
    private readonly settings: ConnectionSettings,
    warn: (warning: string) => void,
  ) {
    this.connection = mysqlConnection(settings);
    this.sharing = new MysqlSharing(warn);
  }

  get shared(): number {
    return this.sharing.isPossible ? this.settings.shared : 0;
  }

  isWrite(error: unknown): boolean {
    return isMysqlError(error, [readOnlyTransaction]);
  }

  knexSettings(): KnexSettings {
    const { settings, connection } = this;
    return {
      client: 'mysql2',
      connection,
      connectTimeout: settings.connectTimeout,
      prepare: (opened) => startMysqlSession(opened as Connection, settings),
    };
  }

  async connect(isShared: boolean): Promise<DriverConnection> {
    const connection = createConnection(this.connection);
    forgetStatements(connection);
    // Later failures are reported by the current or the next statement.
    connection.on('error', () => undefined);
    const until = performance.now() + this.settings.connectTimeout + extraTime;
    const late = () => new DatabaseFailure({ kind: 'unavailable', reason: 'no response while connecting' });
    try {
      return await beforeDeadline(this.start(connection, isShared), until, late);
    } catch (error) {
      socketOf(connection).destroy();
      throw error;
    }
  }

  private async start(connection: Connection, isShared: boolean): Promise<DriverConnection> {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
    const startSession = () => startMysqlSession(connection, this.settings);
    const session = await startSession();
    if (isShared) await this.sharing.start(connection, session);
    const kept = keptStatements(this.settings, isShared, maxStatements);
    return new MysqlConnection(connection, session, this.connection, startSession, this.columns, kept);
  }
}
