/** Local databases for a configuration: created from the schema and seed next to it, embedded or on a named server. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { searchPathOf } from '../../../../read/config/jdbc/search-path.js';
import { databaseNames } from '../../../../analyze/operations/statements/databases.js';
import type { Config, Datasource } from '../../../../read/config/config-model.js';
import type { LocalDatabase } from '../../../local/local-database.js';
import type { DatabaseFiles } from '../../../local/embedded-database.js';
import type { Source } from '../../../../read/source.js';
import { CommandError, exitStatus } from '../output/exit-status.js';
import { refuseOutside } from '../files/file-inside.js';
import { findDatabases, ownFirst, type SchemaOptions } from '../files/find-schemas.js';
import { notNoted, readText, type Place } from '../files/read-text.js';
import type { SeverityOptions } from '../severity-options.js';

/** A database that has not been started yet. */
export interface PlannedDatabase {
  /** Datasources that use the database. */
  readonly names: readonly string[];
  readonly files: DatabaseFiles;
  start(): Promise<LocalDatabase>;
}

/** Throws a CommandError if a database cannot be started anywhere. */
export function planDatabases(
  { datasources }: Config,
  options: SchemaOptions & SeverityOptions,
  place: Place,
): PlannedDatabase[] {
  const databases = databaseNames(datasources);
  const schemas = findDatabases({ schema: options.schema ?? [] }, place);
  const servers = findDatabases({ schema: false, database: options.database ?? [] }, place);
  const planned = new Map<string, PlannedDatabase>();
  for (const datasource of datasources.filter(({ type }) => type === 'db')) {
    const { value: name } = datasource.name;
    const schema = schemas(name, databases);
    const server = servers(name, databases);
    const files = {
      schema: schema?.kind === 'schema' ? schema.sources : [],
      seed: findSeed(name, databases, place),
      skipsFailing: skipsFailing(options),
    };
    const url = server?.kind === 'server' ? server.url : undefined;
    if (url === undefined && datasource.dialect !== 'postgresql')
      throw new CommandError(
        exitStatus.environment,
        `'${name}' is a MySQL or MariaDB database, and only PostgreSQL is embedded. Name a server on which temporary databases can be created: --database ${databases.length > 1 ? `${name}=` : ''}mysql://user@localhost/`,
      );
    // Datasources with different files need different databases.
    const key = JSON.stringify([datasource.url?.value ?? name, files, url]);
    const start = (): Promise<LocalDatabase> => startDatabase(datasource, files, url);
    const { names } = planned.get(key) ?? { names: [] };
    planned.set(key, { files, start, ...planned.get(key), names: [...names, name] });
  }
  return [...planned.values()];
}

/** Whether schema errors are ignored in this run. */
export function skipsFailing({ warn = [], off = [] }: SeverityOptions): boolean {
  return [...warn, ...off].includes('schema-refused');
}

async function startDatabase(
  { name, dialect, url }: Datasource,
  files: DatabaseFiles,
  server: string | undefined,
): Promise<LocalDatabase> {
  const { path: schema } = searchPathOf({ url });
  if (server !== undefined) {
    const { startTemporaryDatabase } = await import('../../../local/temporary-database.js');
    return startTemporaryDatabase({ name: name.value, dialect, schema }, server, files);
  }
  const { startEmbeddedDatabase } = await import('../../../local/embedded-database.js');
  return startEmbeddedDatabase(files, schema);
}

/** `seed.sql` for a single database, `seed.<datasource>.sql` if there are several. */
export function findSeed(
  name: string,
  databases: readonly (readonly string[])[],
  { config, folder, note = notNoted }: Place,
): Source[] {
  const own = ownFirst(name, databases).map((one) => `seed.${one}.sql`);
  const candidates = [...own, ...(databases.length === 1 ? ['seed.sql'] : [])];
  const paths = candidates.map((file) => join(dirname(config), file));
  const found = paths.find((path) => {
    note(path);
    return existsSync(path);
  });
  if (found === undefined) return [];
  const shown = relative(folder, found);
  refuseOutside(found, shown, config);
  return [{ path: shown, text: readText(found, shown) }];
}
