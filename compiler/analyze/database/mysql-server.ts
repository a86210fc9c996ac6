/** Connects to a MySQL or MariaDB server that prepares statements without executing them. */
import type { Connection } from 'mysql2';
import mysql2 from 'mysql2';
import { mysqlConnection } from '../../../runtime/mysql/session.js';
import { mysqlFailure } from '../../../runtime/mysql/failure.js';
import { mysqlRows, runMysqlCommand, startMysqlSession } from '../../../runtime/mysql/session.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { DatabaseFailure } from '../../../runtime/sql/failure.js';
import { describeOnMysql, type MysqlResult, type RawColumn } from './describe-mysql.js';
import { lookAtMysql } from './mysql-state.js';
import { mysqlRefusal } from './mysql-refusal.js';
import { DatabaseError, unreachable, type Server } from './server.js';

/** Timeout for a result, in milliseconds. */
const timeLimit = 60_000;

/**
 * Limits for this session: waiting for a table that another session changes, and the length of lists. A read-only transaction is not
 * possible, because the server would refuse to prepare changes.
 */
const bounds = 'SET lock_wait_timeout = 10, group_concat_max_len = 1000000';

/** Connects to a MySQL or MariaDB server. Throws a DatabaseError if it is unreachable. */
export async function connectMysql(settings: ConnectionSettings): Promise<Server> {
  const connection = mysql2.createConnection(mysqlConnection(settings));
  // Failures are reported by the statements in progress.
  connection.on('error', () => undefined);
  const ask = <T>(question: Promise<T>): Promise<T> => inTime(question, connection, settings);
  const query = (text: string): Promise<readonly (readonly unknown[])[]> => ask(mysqlRows(connection, text));
  try {
    await ask(opened(connection));
    await ask(startMysqlSession(connection, settings));
    await ask(runMysqlCommand(connection, bounds));
  } catch (error) {
    connection.destroy();
    throw mysqlUnreachable(error, settings);
  }
  return {
    look: (texts) => lookAtMysql(query, texts),
    describe: (texts) => describeOnMysql(texts, (text) => ask(prepare(connection, text)), query),
    query,
    end: () =>
      new Promise((resolve) => {
        connection.end(() => {
          resolve();
        });
      }),
  };
}

function opened(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** The reason why the server cannot be used, in words instead of the driver's error code. */
export function mysqlUnreachable(error: unknown, settings: ConnectionSettings): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const failure = error instanceof DatabaseFailure ? error.failure : mysqlFailure(error, undefined);
  const { reason = 'no connection', code } = failure;
  const why = code === undefined || reason !== 'no connection' ? reason : `${reason} (${code})`;
  return unreachable(settings, why);
}

/** The result of a question to the server. Throws a DatabaseError if the connection is lost or there is no result in time. */
async function inTime<T>(
  question: Promise<T>,
  connection: Connection,
  settings: ConnectionSettings,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      connection.destroy();
      reject(unreachable(settings, `no response in ${timeLimit / 1000} s`));
    }, timeLimit);
  });
  try {
    return await Promise.race([question, late]);
  } catch (error) {
    throw mysqlUnreachable(error, settings);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver's properties of a prepared statement. */
interface Prepared {
  readonly columns: readonly RawColumn[];
  readonly parameters: readonly unknown[];
  close(): void;
}

/** Prepares a statement and closes it again. Rejects if the connection is lost. */
function prepare(connection: Connection, text: string): Promise<MysqlResult> {
  return new Promise((resolve, reject) => {
    connection.prepare(text, (error, statement) => {
      if (error === null) {
        const { columns, parameters } = statement as unknown as Prepared;
        connection.unprepare(text);
        resolve({ columns, parameters: parameters.length });
        return;
      }
      if (error.sqlState === undefined || error.errno === undefined) reject(error);
      else
        resolve(mysqlRefusal({ number: error.errno, state: error.sqlState, message: error.message }, text));
    });
  });
}
