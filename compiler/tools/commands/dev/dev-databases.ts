/**
 * The databases of `apikiln dev`: a server named by the user, an embedded PostgreSQL with the schema, or the server in the configuration.
 */
import { upperSnake } from '../../../../runtime/server/environment-reference.js';
import { parseJdbcUrl } from '../../../read/config/jdbc/jdbc-url.js';
import type { Datasource } from '../../../read/config/config-model.js';
import { databaseNames } from '../../../analyze/operations/statements/databases.js';
import { connectServer } from '../../../analyze/database/ask-server.js';
import type { FindDatabase } from '../../../analyze/database/schema-databases.js';
import { searchPathOf } from '../../../read/config/jdbc/search-path.js';
import { DatabaseError } from '../../../analyze/database/server.js';
import { resolvedReferences } from '../../../analyze/database/resolved-references.js';
import { jdbcUrlOf, serverSettings } from '../../../analyze/database/server-url.js';
import { startEmbeddedDatabase } from '../../local/embedded-database.js';
import { datasourceSettings, type LocalDatabase } from '../../local/local-database.js';
import type { Place } from '../shared/files/read-text.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { ownFirst } from '../shared/files/find-schemas.js';
import { findSeed } from '../shared/databases/local-databases.js';

export interface DevDatabasesOptions extends Place {
  /** Environment variables, including those in `.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly find: FindDatabase;
  /** Whether failing schema statements are skipped. */
  readonly skipsFailing: boolean;
}

/** Settings for the service, and lines to print. */
export interface PreparedDatabases {
  readonly settings: Readonly<Record<string, string>>;
  /** One line per database, only for databases that changed since the last time. */
  readonly news: readonly string[];
  /** To be stopped once no version uses them. */
  readonly outdated: readonly LocalDatabase[];
}

interface Embedded {
  /** The schema and search path that the database was created from, as JSON. A different key requires a new database. */
  readonly key: string;
  readonly database: LocalDatabase;
}

interface Found {
  readonly settings: Readonly<Record<string, string>>;
  readonly line: string;
}

export class DevDatabases {
  #embedded = new Map<string, Embedded>();
  #lines = new Map<string, string>();

  /** Throws a CommandError if there is no database, and a LocalDatabaseError if a database rejects its schema or data. */
  async prepare(
    datasources: readonly Datasource[],
    options: DevDatabasesOptions,
  ): Promise<PreparedDatabases> {
    const databases = datasources.filter(({ type }) => type === 'db');
    const names = databaseNames(datasources);
    const before = this.#embedded;
    const now = new Map<string, Embedded>();
    const settings: Record<string, string> = {};
    const news: string[] = [];
    try {
      for (const datasource of databases) {
        const name = datasource.name.value;
        const found = await this.#find(datasource, names, options, now);
        Object.assign(settings, found.settings);
        const isNew = now.get(name) !== before.get(name) || this.#lines.get(name) !== found.line;
        if (isNew) news.push(found.line);
        this.#lines.set(name, found.line);
      }
    } catch (error) {
      await Promise.all(onlyIn(now, before).map((database) => database.stop()));
      throw error;
    }
    this.#embedded = now;
    return { settings, news, outdated: onlyIn(before, now) };
  }

  async stop(): Promise<void> {
    await Promise.all(onlyIn(this.#embedded, new Map()).map((database) => database.stop()));
    this.#embedded = new Map();
  }

  async #find(
    datasource: Datasource,
    names: readonly (readonly string[])[],
    { environment, find, skipsFailing, ...place }: DevDatabasesOptions,
    now: Map<string, Embedded>,
  ): Promise<Found> {
    const name = datasource.name.value;
    const variable = `DATASOURCE_${upperSnake(name)}_URL`;
    const known = find(name, names);
    if (known?.kind === 'server') {
      const url = jdbcUrlOf(known.url, name, environment);
      const account = accountOf(url, datasource, environment);
      return { settings: { [variable]: url, ...account }, line: `${name}: the server of --database` };
    }
    if (environment[variable]) return { settings: {}, line: `${name}: the server of ${variable}` };
    if (known !== undefined && datasource.dialect === 'postgresql') {
      const seed = findSeed(name, names, place);
      const { path: searchPath } = searchPathOf(datasource);
      const files = { schema: known.sources, seed, skipsFailing };
      const key = JSON.stringify([files, searchPath]);
      const kept = await this.#embeddedFor(ownFirst(name, names), now, key, () =>
        startEmbeddedDatabase(files, searchPath),
      );
      now.set(name, kept);
      const { database } = kept;
      const paths = [...known.sources, ...seed].map(({ path }) => path).join(', ');
      return {
        settings: datasourceSettings(upperSnake(name), database.connection),
        line: `${name}: an embedded PostgreSQL with ${paths}`,
      };
    }
    const problem = await unreachable(datasource, environment);
    if (problem === undefined) return { settings: {}, line: `${name}: the server of the configuration` };
    throw new CommandError(exitStatus.environment, nothingFor(datasource, variable, problem));
  }

  /**
   * Reuses the database of another datasource or of an earlier version if it was created from the same input; otherwise creates a new
   * database.
   */
  async #embeddedFor(
    [name = '', ...others]: readonly string[],
    now: ReadonlyMap<string, Embedded>,
    key: string,
    start: () => Promise<LocalDatabase>,
  ): Promise<Embedded> {
    const shared = others.map((other) => now.get(other)).find((one) => one?.key === key);
    if (shared !== undefined) return shared;
    const before = this.#embedded.get(name);
    const isFree = before?.key === key && ![...now.values()].includes(before);
    return isFree ? before : { key, database: await start() };
  }
}

/** Databases in the first map that the second map does not contain. */
function onlyIn(some: ReadonlyMap<string, Embedded>, others: ReadonlyMap<string, Embedded>): LocalDatabase[] {
  const kept = new Set(others.values());
  return [...new Set(some.values())].filter((one) => !kept.has(one)).map(({ database }) => database);
}

/**
 * The variables for the account in a URL: the service connects with this account, as the checks do, even if the configuration names another
 * one.
 */
function accountOf(
  url: string,
  { name, dialect }: Datasource,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (parseJdbcUrl(url).user === undefined) return {};
  const { settings } = serverSettings({ name: name.value, dialect, schema: undefined }, url, environment);
  const prefix = `DATASOURCE_${upperSnake(name.value)}`;
  return { [`${prefix}_USER`]: settings.user, [`${prefix}_PASSWORD`]: settings.password };
}

/** Why the server in the configuration cannot be used; undefined if it responds. */
async function unreachable(
  { name, dialect, url, user, password }: Datasource,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (url === undefined) return 'the configuration has no url.';
  const account = (text: string | undefined, field: string): Record<string, string> =>
    text === undefined
      ? {}
      : { [`DATASOURCE_${upperSnake(name.value)}_${field}`]: resolvedReferences(text, environment) };
  const variables = {
    ...account(user?.value, 'USER'),
    ...account(password?.value, 'PASSWORD'),
    ...environment,
  };
  try {
    const target = serverSettings({ name: name.value, dialect, schema: undefined }, url.value, variables);
    const server = await connectServer(target.dialect, target.settings);
    await server.end();
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return error.message.replace(/^--database [^:]+: /, '');
  }
}

function nothingFor({ name, dialect, url }: Datasource, variable: string, problem: string): string {
  // The database name in the URL: jdbc:mariadb://db.example.com:3306/tasks?sslMode=trust → tasks
  const [, database = name.value] = /:\/\/[^/]*\/([A-Za-z_][\w-]*)(?:[?;]|$)/.exec(url?.value ?? '') ?? [];
  const [kind, scheme] = dialect === 'mysql' ? ['MySQL or MariaDB', 'mariadb'] : ['PostgreSQL', 'postgresql'];
  const first =
    dialect === 'mysql'
      ? `There is no server for the datasource '${name.value}', and only PostgreSQL can be embedded`
      : `There is neither a schema.sql for the datasource '${name.value}' nor a server`;
  const write = dialect === 'mysql' ? 'Start' : 'Write the tables into schema.sql, or start';
  return `${first}: ${problem} ${write} a ${kind} server and name it: --database ${name.value}=${scheme}://user:password@localhost/${database}, or ${variable} in the environment.`;
}
