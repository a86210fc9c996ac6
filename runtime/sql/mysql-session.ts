/** What the MySQL driver is given to connect, and what a new session is told. */
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from './connection-settings.js';
import type { Tls } from './jdbc-tls.js';
import { isMysqlError } from './mysql-failure.js';
import { noteMysqlStatus } from './mysql-status.js';

/** The driver's settings: only options that it knows, and none from a URL. */
export function mysqlConnection(settings: ConnectionSettings): Record<string, unknown> {
  const ssl = tlsSettings(settings.tls);
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    connectTimeout: settings.connectTimeout,
    ...(ssl === undefined ? {} : { ssl }),
    // Column values as texts where a JavaScript value would lose something.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    maxPreparedStatements: 1000,
    // A server could ask for any file of this machine; the other one would change the session's sql_mode.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
  };
}

function tlsSettings(tls: Tls): unknown {
  switch (tls) {
    case 'off':
      return undefined;
    case 'encrypt':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      return { rejectUnauthorized: true };
    case 'verify-full':
      return { rejectUnauthorized: true, verifyIdentity: true };
  }
}

/** ER_UNKNOWN_SYSTEM_VARIABLE. */
const unknownVariable = [1193];

/**
 * The session's time is UTC, and the server ends statements that take too long (MySQL: only those that read). The
 * server's sql_mode stays as it is.
 */
export async function startMysqlSession(connection: Connection, statementTimeout: number): Promise<void> {
  await runMysqlCommand(connection, "SET time_zone = '+00:00'");
  try {
    // MariaDB counts seconds, MySQL milliseconds under another name.
    await runMysqlCommand(connection, `SET max_statement_time = ${statementTimeout / 1000}`);
  } catch (error) {
    if (!isMysqlError(error, unknownVariable)) throw error;
    await runMysqlCommand(connection, `SET max_execution_time = ${statementTimeout}`);
  }
}

/** Runs a text of our own, without any value. */
export function runMysqlCommand(connection: Connection, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(text, (error, result) => {
      if (error !== null) {
        reject(error);
        return;
      }
      noteMysqlStatus(connection, result);
      resolve();
    });
  });
}
