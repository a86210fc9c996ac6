/** The settings that a driver connects with, from those of a datasource. */
import type { DatasourceSettings } from '../server/settings.js';
import {
  readJdbcUrl,
  type DatabaseKind,
  type Host,
  type JdbcUrl,
  type TargetServer,
  type Tls,
} from './jdbc-url.js';
import type { RowContext } from './row-context.js';

/** The servers of a datasource, and which of them are used. */
export interface Hosts {
  readonly all: readonly Host[];
  readonly target: TargetServer;
  readonly shuffled: boolean;
}

/** Everything explicit, so that a driver has nothing to look up in the environment; times in milliseconds. */
export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  /** Only where there are several, or where a server of a kind is asked for: the host is one of them. */
  readonly hosts?: Hosts | undefined;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: Tls;
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** False behind a pooler that does not keep sessions. */
  readonly sessions: boolean;
  /** How many connections quick reads share, besides those of the pool. */
  readonly shared: number;
  readonly pool: { readonly min: number; readonly max: number };
  /** The settings behind which all statements run. */
  readonly context?: RowContext | undefined;
}

const defaultPoolMax = 10;
const defaultConnectTimeout = 5_000;
/** The other hosts are tried while statements still wait for a connection. */
const defaultConnectTimeoutOfSeveral = 1_500;
const defaultStatementTimeout = 30_000;

/** A database datasource as the configuration declares it, except its address. */
export interface DatabaseDefinition {
  /** The datasource's name. */
  readonly name: string;
  /** The minimum (0) and maximum (10) number of connections. */
  readonly pool?: { readonly min?: number; readonly max?: number };
  /** The maximum seconds of a statement (30). */
  readonly timeout?: number;
  /** The settings behind which all statements run; only on PostgreSQL. */
  readonly context?: RowContext;
}

/** Where a database is: its settings of the service, resolved when it starts. */
export type DatabaseSettings = Omit<DatasourceSettings, 'header' | 'responseLimit'>;

/** The settings of a datasource are invalid. The message follows the datasource's name, and contains no secret. */
export class DatasourceStartError extends Error {
  override readonly name = 'DatasourceStartError';
}

/** Reads the settings. Throws a DatasourceStartError for a URL that is wrong, or names another kind of database. */
export function readConnectionSettings(
  kind: DatabaseKind,
  definition: DatabaseDefinition,
  settings: DatabaseSettings,
): { readonly connection: ConnectionSettings; readonly warnings: readonly string[] } {
  const url = read(settings.url);
  if (url.dialect !== kind) {
    throw new DatasourceStartError(
      `the service was built for ${kindNames[kind]}, and the URL names another kind of database. Build it again for the other one.`,
    );
  }

  const { options } = url;
  const user = settings.user ?? url.user ?? '';
  if (user === '') throw new DatasourceStartError(`the user is missing. Set 'user', or put it into the URL.`);
  const max = settings.poolMax ?? definition.pool?.max ?? defaultPoolMax;
  const shared = options.pipelining ? sharedOf(max) : 0;
  const own = max - shared;
  const timeout = definition.timeout === undefined ? defaultStatementTimeout : definition.timeout * 1000;
  const hosts = hostsOf(url);
  const [{ host, port } = { host: '', port: 0 }] = url.hosts;
  const connection: ConnectionSettings = {
    host,
    port,
    hosts,
    database: url.database ?? (kind === 'postgresql' ? user : ''),
    user,
    password: settings.password ?? url.password ?? '',
    tls: options.tls,
    currentSchema: options.currentSchema,
    applicationName: options.applicationName,
    connectTimeout:
      options.connectTimeout ??
      (hosts === undefined ? defaultConnectTimeout : defaultConnectTimeoutOfSeveral),
    statementTimeout: Math.min(timeout, options.socketTimeout ?? timeout),
    sessions: options.sessions,
    shared,
    pool: { min: Math.min(definition.pool?.min ?? 0, own), max: own },
    context: definition.context,
  };
  const warnings =
    url.ignored.length === 0 ? [] : [`Options of the URL have no effect: ${url.ignored.join(', ')}.`];
  return { connection, warnings };
}

/** Each address once. */
function hostsOf({ hosts, options: { target, shuffled } }: JdbcUrl): Hosts | undefined {
  const all = [...new Map(hosts.map((one) => [`${one.host.toLowerCase()}:${one.port}`, one])).values()];
  return all.length === 1 && target === 'any' ? undefined : { all, target, shuffled };
}

function read(url: string): JdbcUrl {
  try {
    return readJdbcUrl(url);
  } catch (error) {
    throw new DatasourceStartError(`the URL cannot be used: ${error instanceof Error ? error.message : ''}.`);
  }
}

/** How many of so many connections are shared by quick reads: two do the most; writes and slow reads need their own. */
function sharedOf(max: number): number {
  if (max < 4) return 0;
  return max < 8 ? 1 : 2;
}

const kindNames: Readonly<Record<DatabaseKind, string>> = {
  postgresql: 'PostgreSQL',
  mysql: 'MySQL or MariaDB',
};
