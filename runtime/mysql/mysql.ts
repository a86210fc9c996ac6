/** MySQL and MariaDB datasources. */
import { createConnection, type Connection } from 'mysql2';
import type { ConnectionSettings, DatabaseDefinition } from '../sql/connection-settings.js';
import type { DatabaseDatasource } from '../sql/database.js';
import { Datasource } from '../sql/datasource.js';
import type {
  QueryCallback,
  Query,
  SharedConnections,
  StatementDriver,
  TransactionCommand,
} from '../sql/driver.js';
import { mysqlMarkers } from '../sql/sql.js';
import { cancelOnMysql } from './cancel.js';
import { mysqlConnection } from './connection.js';
import { mysqlFailure } from './failure.js';
import { forgetStatements, rowsOf, socketOf } from './mysql2-connection.js';
import { MysqlRunner } from './runner.js';
import { runMysqlCommand, startMysqlSession } from './session.js';
import { sharedConnections } from './shared-connections.js';
import { mysqlTransactionOpen } from './status.js';
import { ValueColumnTypes } from './value-columns.js';

/** Declares a datasource; it connects to nothing before it is opened and a statement runs. */
export function mysql(definition: DatabaseDefinition): DatabaseDatasource {
  return new Datasource<Connection>(
    {
      kind: 'mysql',
      markers: mysqlMarkers,
      driver: (settings, warn) => new MysqlDriver(settings, warn),
    },
    definition,
  );
}

class MysqlDriver implements StatementDriver<Connection> {
  private readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly failureOf = mysqlFailure;
  readonly commitsWithin = true;
  readonly socketOf = socketOf;
  readonly rowsOf = rowsOf;
  readonly shared: SharedConnections<Connection>;
  private readonly columns = new ValueColumnTypes();
  private readonly runners = new WeakMap<Connection, MysqlRunner>();

  constructor(
    private readonly settings: ConnectionSettings,
    warn: (warning: string) => void,
  ) {
    this.connection = mysqlConnection(settings);
    this.connectTimeout = settings.connectTimeout;
    this.pool = settings.pool;
    this.shared = sharedConnections(this, settings, warn);
  }

  connect(): Promise<Connection> {
    const connection = createConnection(this.connection);
    forgetStatements(connection);
    // Later failures are reported by the running or the next statement.
    connection.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      connection.connect((error) => {
        if (error === null) resolve(connection);
        else reject(error);
      });
    });
  }

  end(connection: Connection): Promise<void> {
    return new Promise((resolve) => {
      connection.end(() => {
        resolve();
      });
    });
  }

  startSession(connection: Connection): Promise<void> {
    return startMysqlSession(connection, this.settings);
  }

  cancel(connection: Connection): Promise<void> {
    return cancelOnMysql(connection, this.connection);
  }

  transactionOpen(connection: Connection): boolean | undefined {
    return mysqlTransactionOpen(connection);
  }

  start(connection: Connection, query: Query, done: QueryCallback): void {
    let runner = this.runners.get(connection);
    if (runner === undefined) {
      runner = new MysqlRunner(connection, this.columns);
      this.runners.set(connection, runner);
    }
    runner.start(query, done);
  }

  async command(connection: Connection, command: TransactionCommand): Promise<void> {
    await runMysqlCommand(connection, commands[command]);
  }
}

const commands: Readonly<Record<TransactionCommand, string>> = {
  begin: 'START TRANSACTION',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT before_statement',
  'release savepoint': 'RELEASE SAVEPOINT before_statement',
  'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
};
