/** A separate database on a named server, created from schema and seed and dropped at the end. Other databases are not touched. */
import { randomBytes } from 'node:crypto';
import type { Dialect } from '../../read/sql/dialect.js';
import { oneServer } from '../../analyze/database/ask-server.js';
import { serverSettings } from '../../analyze/database/server-url.js';
import type { DatabaseFiles } from './embedded-database.js';
import type { LocalDatabase } from './local-database.js';

/** Throws a DatabaseError for an invalid URL, and a LocalDatabaseError if the server rejects something. */
export async function startTemporaryDatabase(
  datasource: {
    readonly name: string;
    readonly dialect: Dialect | undefined;
    readonly schema: string | undefined;
  },
  url: string,
  files: DatabaseFiles,
): Promise<LocalDatabase> {
  const { dialect, settings: several } = serverSettings(datasource, url, process.env);
  const settings = await oneServer(dialect, several);
  const name = `apikiln_test_${randomBytes(6).toString('hex')}`;
  if (dialect === 'postgresql') {
    const { startPostgresDatabase } = await import('./postgres-database.js');
    return startPostgresDatabase(settings, name, files);
  }
  const { startMysqlDatabase } = await import('./mysql-database.js');
  return startMysqlDatabase(settings, name, files);
}
