/** MySQL and MariaDB datasources. */
import type { Socket } from 'node:net';
import {
  createConnection,
  type Connection,
  type QueryOptions,
  type TypeCastField,
  type TypeCastNext,
} from 'mysql2';
import type { Row } from '../handler/json.js';
import { integerValue } from '../sql/column-values.js';
import type { ConnectionSettings, DatabaseDefinition } from '../sql/connection-settings.js';
import type { DatabaseDatasource } from '../sql/database.js';
import { Datasource } from '../sql/datasource.js';
import type { StatementDriver, TransactionCommand, Query } from '../sql/driver.js';
import { mysqlMarkers } from '../sql/sql.js';
import { cancelOnMysql } from './cancel.js';
import { maxPreparedStatements, mysqlConnection } from './connection.js';
import { isMysqlError, mysqlFailure } from './failure.js';
import { execute, prepare, unprepare, type Fields } from './prepare.js';
import { mysqlTransactionOpen, noteMysqlStatus } from './status.js';
import { runMysqlCommand, startMysqlSession } from './session.js';
import { columnTypes, mysqlDecoder, type MysqlColumn, type MysqlValue } from './column-types.js';
import { ValueColumnTypes } from './value-columns.js';
import { PreparedStatement } from '../sql/rows.js';

/** Declares a datasource; it connects to nothing before it is opened and a statement runs. */
export function mysql(definition: DatabaseDefinition): DatabaseDatasource {
  return new Datasource<Connection>(
    {
      kind: 'mysql',
      markers: mysqlMarkers,
      driver: (settings) => new MysqlDriver(settings),
    },
    definition,
  );
}

/** What the driver works on. */
interface Command {
  readonly _currentRows?: readonly unknown[] | null;
}

/** What the driver gives for a statement that returns no rows. */
interface Outcome {
  readonly insertId: number | string;
  readonly affectedRows: number;
}

/** A statement of the server, as far as it is known before it runs. */
interface Statement extends PreparedStatement<string, MysqlValue> {
  hasGeometry?: boolean;
}

/** The driver's own reading of geometries loses their kind: they are read as bytes. */
function geometryAsBytes(field: TypeCastField, next: TypeCastNext): unknown {
  return (field.type as string) === 'GEOMETRY' ? field.buffer() : next();
}

class MysqlDriver implements StatementDriver<Connection> {
  private readonly connection: Readonly<Record<string, unknown>>;
  readonly connectTimeout: number;
  readonly pool: { readonly min: number; readonly max: number };
  readonly failureOf = mysqlFailure;
  readonly commitsWithin = true;
  private readonly statements = new Map<string, Statement>();
  private readonly columns = new ValueColumnTypes();

  constructor(private readonly settings: ConnectionSettings) {
    this.connection = mysqlConnection(settings);
    this.connectTimeout = settings.connectTimeout;
    this.pool = settings.pool;
  }

  connect(): Promise<Connection> {
    const connection = createConnection(this.connection);
    // What goes wrong later is told by what runs, or by what comes next.
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

  rowsOf(connection: Connection): number {
    // Documented nowhere: the rows of the command whose answer is arriving; a test sees to it.
    const { _command: command } = connection as unknown as { readonly _command?: Command | null };
    return command?._currentRows?.length ?? 0;
  }

  socketOf(connection: Connection): Socket {
    // Documented nowhere, and the only way to end a connection that does not answer; a test sees to it.
    return (connection as unknown as { readonly stream: Socket }).stream;
  }

  async run(connection: Connection, query: Query): Promise<Row[]> {
    try {
      return await this.runOnce(connection, query);
    } catch (error) {
      // In a procedure something may have happened before.
      if (!query.atomic) throw error;
      // The server refuses before it runs anything: prepared anew, the statement runs once.
      if (isMysqlError(error, staleStatements)) unprepare(connection, query.text);
      else if (isMysqlError(error, tooManyStatements)) this.unprepareAll(connection);
      else throw error;
      return this.runOnce(connection, query);
    }
  }

  /** Gives the server its room back, as far as this connection takes it. */
  private unprepareAll(connection: Connection): void {
    for (const text of this.statements.keys()) unprepare(connection, text);
  }

  async command(connection: Connection, command: TransactionCommand): Promise<void> {
    await runMysqlCommand(connection, commands[command]);
  }

  private async runOnce(connection: Connection, query: Query): Promise<Row[]> {
    const values = await this.columns.parameters(connection, query);
    const statement = await this.statement(connection, query);
    const options: QueryOptions = { sql: query.text, values, rowsAsArray: true };
    if (statement.hasGeometry === true) options.typeCast = geometryAsBytes;
    const [result, fields] = await execute(connection, options).finally(() => {
      if (isLong(query)) unprepare(connection, query.text);
    });
    noteMysqlStatus(connection, result);
    if (!Array.isArray(result)) return query.use === 'read' ? [] : [outcomeRow(result as Outcome)];
    // A procedure gives several results; the first one that has rows is its answer.
    if (isNested(fields)) return this.decode(statement, fields[0], (result as MysqlValue[][][])[0] ?? []);
    return this.decode(statement, fields, result as MysqlValue[][]);
  }

  private decode(
    statement: Statement,
    fields: readonly MysqlColumn[] | undefined,
    rows: readonly (readonly MysqlValue[])[],
  ): Row[] {
    const columns = columnTypes(fields ?? []);
    const decode = statement.decoder(columns) ?? statement.learn(columns, (fields ?? []).map(mysqlDecoder));
    return rows.map(decode);
  }

  /** Prepares the statement; the connection remembers it for its execution. */
  private async statement(connection: Connection, query: Query): Promise<Statement> {
    const { text } = query;
    const known = this.statements.get(text);
    if (known !== undefined) return known;
    const columns = await prepare(connection, text);
    const statement: Statement = new PreparedStatement<string, MysqlValue>(text);
    statement.hasGeometry = columns.some(({ columnType }) => columnType === geometry);
    if (!isLong(query)) this.remember(statement);
    return statement;
  }

  /** What was remembered first goes first; when it is used again it is looked at again. */
  private remember(statement: Statement): void {
    const [oldest] = this.statements.keys();
    if (oldest !== undefined && this.statements.size >= maxPreparedStatements) this.statements.delete(oldest);
    this.statements.set(statement.name, statement);
  }
}

/** With longer lists a statement is prepared for one execution: kept in the server, one of 60,000 values takes 30 MB there. */
const longList = 256;

function isLong({ values }: Query): boolean {
  return values.length > longList;
}

const commands: Readonly<Record<TransactionCommand, string>> = {
  begin: 'START TRANSACTION',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT before_statement',
  'release savepoint': 'RELEASE SAVEPOINT before_statement',
  'rollback to savepoint': 'ROLLBACK TO SAVEPOINT before_statement',
};

const geometry = 255;

/** ER_NEED_REPREPARE, ER_UNKNOWN_STMT_HANDLER. */
const staleStatements = [1615, 1243];

/** ER_MAX_PREPARED_STMT_COUNT_REACHED: a limit of the whole server. */
const tooManyStatements = [1461];

function outcomeRow({ insertId, affectedRows }: Outcome): Row {
  const id = BigInt(insertId);
  // The driver reads the upper half of BIGINT UNSIGNED as negative numbers.
  return {
    insert_id: id === 0n ? null : integerValue(String(BigInt.asUintN(64, id))),
    affected_rows: affectedRows,
  };
}

function isNested(fields: Fields): fields is readonly (readonly MysqlColumn[])[] {
  return Array.isArray(fields?.[0]);
}
