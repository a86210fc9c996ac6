/** `apikiln init --from-database`: reads the tables of a server, and writes operations for them. */
import { connectServer } from '../../../analyze/database/ask-server.js';
import { readMysqlTables } from '../../../analyze/database/read-mysql-tables.js';
import { readPostgresTables } from '../../../analyze/database/read-postgres-tables.js';
import { DatabaseError } from '../../../analyze/database/server.js';
import { dialectOf, serverSettings } from '../../../analyze/database/server-url.js';
import { filesFromTables } from '../../init/tables/from-tables.js';
import type { InitFile } from '../../init/init-file.js';
import type { StarterSyntax } from '../../init/starter.js';
import { wordsA, wordsB } from '../../init/words.js';
import { CommandError, exitStatus } from '../shared/exit-status.js';

/** Nothing changes on the server, and no password of the URL is written. Throws a CommandError. */
export async function filesFromDatabase(url: string, syntax: StarterSyntax): Promise<InitFile[]> {
  try {
    const dialect = dialectOf(url, process.env);
    const { settings } = serverSettings({ name: 'database', dialect, schema: undefined }, url, process.env);
    const server = await connectServer(dialect, settings);
    try {
      const database = await (dialect === 'postgresql'
        ? readPostgresTables(server)
        : readMysqlTables(server));
      if (database.tables.length === 0)
        throw new CommandError(
          exitStatus.environment,
          `The database '${settings.database}' has no tables that this user can read.`,
        );
      const { host, port } = settings;
      const search =
        settings.currentSchema === undefined
          ? ''
          : `?currentSchema=${encodeURIComponent(settings.currentSchema)}`;
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}/${encodeURIComponent(settings.database)}`;
      return filesFromTables(database, {
        words: syntax === 'a' ? wordsA : wordsB,
        name: 'database',
        datasource: {
          url: `jdbc:${dialect === 'postgresql' ? 'postgresql' : 'mariadb'}://${address}${search}`,
          user: `\${DB_USER:${settings.user}}`,
          password: '${DB_PASSWORD:}',
        },
      });
    } finally {
      await server.end();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const message = error.message
      .replace(/^--database database: /, '')
      .replace(/^[a-z]/, (letter) => letter.toUpperCase());
    throw new CommandError(error.kind === 'usage' ? exitStatus.usage : exitStatus.environment, message);
  }
}
