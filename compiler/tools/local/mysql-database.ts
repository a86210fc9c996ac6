/** A temporary database on a MySQL or MariaDB server, whose rows can be restored. */
import mysql2, { type Connection } from 'mysql2';
import { mysqlConnection } from '../../../runtime/mysql/session.js';
import { mysqlRows, runMysqlCommand } from '../../../runtime/mysql/session.js';
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';
import { mysqlUnreachable } from '../../analyze/database/mysql-server.js';
import { textOf } from '../../analyze/database/server.js';
import type { DatabaseFiles } from './embedded-database.js';
import { jdbcUrl } from './jdbc-url-of.js';
import { LocalDatabaseError, type LocalDatabase } from './local-database.js';
import { MysqlRows } from './mysql-rows.js';

/** Creates the database, and keeps the rows of the seed in a second database. */
export async function startMysqlDatabase(
  settings: ConnectionSettings,
  name: string,
  { schema, seed }: DatabaseFiles,
): Promise<LocalDatabase> {
  const connection = await open(settings);
  const run = async (sql: string): Promise<void> => {
    await runMysqlCommand(connection, sql);
  };
  const kept = `${name}_kept`;
  const stop = async (): Promise<void> => {
    for (const database of [kept, name])
      await run(`DROP DATABASE IF EXISTS \`${database}\``).catch(() => undefined);
    connection.destroy();
  };
  try {
    try {
      await run(`CREATE DATABASE \`${name}\``);
    } catch (error) {
      throw new LocalDatabaseError(
        'unreachable',
        `no temporary database can be created: ${messageOf(error)}`,
      );
    }
    await run(`USE \`${name}\``);
    for (const { path, text } of [...schema, ...seed]) {
      try {
        // The server splits the statements, because it knows its own syntax best.
        if (text.trim() !== '') await run(text);
      } catch (error) {
        throw new LocalDatabaseError(
          'refused',
          `${path}: the server refuses a statement: ${messageOf(error)}`,
        );
      }
    }
    await run("SET time_zone = '+00:00'");
    const session = {
      run,
      rows: async (sql: string) => (await mysqlRows(connection, sql)).map((row) => row.map(textOf)),
    };
    let rows = await MysqlRows.keep(session, name, kept);
    return {
      connection: { url: jdbcUrl('mysql', settings, name), user: settings.user, password: settings.password },
      keep: async () => {
        rows = await MysqlRows.keep(session, name, kept);
      },
      restore: () => rows.restore(),
      clear: () => rows.clear(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function open(settings: ConnectionSettings): Promise<Connection> {
  const connection = mysql2.createConnection({
    ...mysqlConnection({ ...settings, database: '' }),
    multipleStatements: true,
  });
  connection.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error === null) resolve(connection);
      else {
        connection.destroy();
        reject(mysqlUnreachable(error, settings));
      }
    });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
