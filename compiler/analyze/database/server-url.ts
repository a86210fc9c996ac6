/** Reads the URL of a database server from the command line or the environment. */
import {
  DatasourceStartError,
  readConnectionSettings,
  type ConnectionSettings,
} from '../../../runtime/sql/connection-settings.js';
import { readReplicaSettings } from '../../../runtime/sql/replica-settings.js';
import { parseJdbcUrl } from '../../read/config/jdbc/jdbc-url.js';
import { upperSnake } from '../../../runtime/server/environment-reference.js';
import type { Dialect } from '../../read/sql/dialect.js';
import { resolvedReferences } from './resolved-references.js';
import { DatabaseError } from './server.js';

type Environment = Readonly<Record<string, string | undefined>>;

const kindNames: Readonly<Record<Dialect, string>> = {
  postgresql: 'PostgreSQL',
  mysql: 'MySQL or MariaDB',
};

/** Variables of the database's own tools, used if neither the URL nor the service's variables specify the value. */
const variables = {
  postgresql: { user: 'PGUSER', password: 'PGPASSWORD' },
  mysql: { user: undefined, password: 'MYSQL_PWD' },
} as const;

/**
 * How to connect to `url` for the datasource. `schema` is `currentSchema` of the datasource's own URL. A user or password missing from the
 * URL is taken from the environment, preferably from the service's variables. Throws a DatabaseError whose message does not repeat the URL.
 */
export function serverSettings(
  { name, dialect, schema }: { name: string; dialect: Dialect | undefined; schema: string | undefined },
  url: string,
  environment: Environment,
): { readonly dialect: Dialect; readonly settings: ConnectionSettings } {
  const written = asJdbc(resolved(url, name, environment));
  const { dialect: kind, user, password, problems } = parseJdbcUrl(written);
  const problem = problems.find(({ severity }) => severity === 'error');
  if (problem !== undefined || kind === undefined)
    throw usage(name, `${problem?.message ?? 'the URL names no database'}. ${problem?.hint ?? ''}`);
  if (dialect !== undefined && dialect !== kind)
    throw usage(name, `the datasource is of ${kindNames[dialect]}, and the URL of ${kindNames[kind]}.`);
  const ofName = (field: string): string | undefined =>
    environment[`DATASOURCE_${upperSnake(name)}_${field}`] || undefined;
  const own = variables[kind];
  const account = {
    user: user ?? ofName('USER') ?? (own.user && environment[own.user]),
    password: password ?? ofName('PASSWORD') ?? environment[own.password],
  };
  try {
    const { connection } = readConnectionSettings(kind, { name }, { url: written, ...account });
    const currentSchema = connection.currentSchema ?? (connection.sessions ? schema : undefined);
    return { dialect: kind, settings: { ...connection, currentSchema } };
  } catch (error) {
    if (!(error instanceof DatasourceStartError)) throw error;
    throw usage(name, error.message);
  }
}

/** How to connect to a database's read replica (`--replica`), as services do. Throws a DatabaseError. */
export function replicaSettings(
  dialect: Dialect,
  primary: ConnectionSettings,
  url: string,
  replicaUrl: string,
  environment: Environment,
): ConnectionSettings {
  const own = resolvedReferences(replicaUrl, environment, (variable) => {
    throw new DatabaseError('usage', `--replica: the environment variable ${variable} is not set.`);
  });
  try {
    const settings = { url: jdbcUrlOf(url, 'url', environment) };
    return readReplicaSettings(dialect, { name: 'url' }, settings, primary, asJdbc(own)).connection;
  } catch (error) {
    if (!(error instanceof DatasourceStartError)) throw error;
    throw new DatabaseError('usage', `--replica: ${error.message}`);
  }
}

/** The URL as read by services. Throws a DatabaseError if it refers to an unset variable. */
export function jdbcUrlOf(url: string, name: string, environment: Environment): string {
  return asJdbc(resolved(url, name, environment));
}

/** The dialect for a URL. Throws a DatabaseError if unknown. */
export function dialectOf(url: string, environment: Environment): Dialect {
  const { dialect } = parseJdbcUrl(asJdbc(resolved(url, 'url', environment)));
  if (dialect === undefined)
    throw new DatabaseError('usage', 'the URL names neither PostgreSQL nor MySQL or MariaDB.');
  return dialect;
}

function usage(name: string, message: string): DatabaseError {
  return new DatabaseError('usage', `--database ${name}: ${message.trim()}`);
}

/** Resolves environment references as in configurations, so that the command line does not need to contain passwords. */
function resolved(url: string, name: string, environment: Environment): string {
  return resolvedReferences(url, environment, (variable) => {
    throw usage(name, `the environment variable ${variable} is not set.`);
  });
}

/** Adds `jdbc:`, which URLs of other tools do not have. */
function asJdbc(url: string): string {
  return url
    .trim()
    .replace(/^(?:postgres(?=:)|(?=(?:postgresql|mysql|mariadb):))/i, (scheme) =>
      scheme === '' ? 'jdbc:' : 'jdbc:postgresql',
    );
}
