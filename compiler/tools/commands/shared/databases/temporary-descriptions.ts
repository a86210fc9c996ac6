/** Databases that describe the statements of a service under test: MySQL and MariaDB in temporary databases on the named servers. */
import { upperFirst } from '../../../../generate/plan/names/identifiers.js';
import { databaseNames } from '../../../../analyze/operations/statements/databases.js';
import type { Databases } from '../../../../analyze/operations/statements/statement-descriptions.js';
import { DiskCache } from '../../../../analyze/database/disk-cache.js';
import type { KnownDatabase } from '../../../../analyze/database/schema-databases.js';
import { DatabaseError } from '../../../../analyze/database/server.js';
import { LocalDatabaseError, type LocalDatabase } from '../../../local/local-database.js';
import { askedDatabases, findDatabases, ofDatabase, type SchemaOptions } from '../files/find-schemas.js';
import type { Place } from '../files/read-text.js';
import { CommandError, exitStatus } from '../output/exit-status.js';

/**
 * `options.database` names the servers. PostgreSQL describes statements embedded, as in `check`. A temporary database contains the schema
 * without the seed, and is dropped as soon as the statements are described. Failures are command errors.
 */
export function temporaryDescriptions(
  options: SchemaOptions,
  place: Place,
  stage?: (text: string) => void,
): Databases {
  return {
    ask: async (datasources, questions) => {
      const schemas = findDatabases({ schema: options.schema ?? [] }, place);
      const servers = findDatabases({ schema: false, database: options.database ?? [] }, place);
      const names = databaseNames(datasources.filter(({ type }) => type === 'db'));
      const started = new Map<string, LocalDatabase>();
      const found = new Map<string, KnownDatabase>();
      try {
        for (const { type, dialect, name } of datasources) {
          if (type !== 'db') continue;
          const schema = schemas(name.value, names);
          const server = servers(name.value, names);
          if (schema?.kind !== 'schema') continue;
          if (dialect !== 'mysql' || server?.kind !== 'server') {
            found.set(name.value, schema);
            continue;
          }
          const files = { schema: schema.sources, seed: [], skipsFailing: false };
          const key = JSON.stringify([server.url, files]);
          stage?.('Loading the schema');
          const { startTemporaryDatabase } = await import('../../../local/temporary-database.js');
          const database =
            started.get(key) ??
            (await startTemporaryDatabase(
              { name: name.value, dialect, schema: undefined },
              server.url,
              files,
            ));
          started.set(key, database);
          found.set(name.value, { kind: 'server', url: urlWithAccount(database) });
        }
        // No other run uses these databases, so a cache would never be read.
        const cache = started.size === 0 ? undefined : new DiskCache(undefined);
        const asked = askedDatabases((name) => found.get(name), options, stage, cache);
        return await asked.ask(datasources, questions);
      } catch (error) {
        if (error instanceof LocalDatabaseError) throw ofLocalDatabase(error);
        throw error instanceof DatabaseError ? ofDatabase(error) : error;
      } finally {
        for (const database of started.values()) await database.stop();
      }
    },
  };
}

/** The command error for a local database that could not be started. */
export function ofLocalDatabase({ kind, message }: LocalDatabaseError): CommandError {
  return kind === 'refused'
    ? new CommandError(exitStatus.errors, message)
    : new CommandError(exitStatus.environment, upperFirst(message));
}

/** The account is part of the URL, because that of the environment belongs to the URL on the command line. */
function urlWithAccount({ connection: { url, user, password } }: LocalDatabase): string {
  const account = [user, password].map(encodeURIComponent).join(':');
  return url.replace('//', `//${account}@`);
}
