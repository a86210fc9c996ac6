/** Derives the driver's connection settings from the settings of a datasource. */
import { messageOf } from '../handler/reply.js';
import type { Call } from '../handler/call.js';
import type { Row } from '../handler/json.js';
import type { DatasourceSettings } from '../server/settings.js';
import {
  readJdbcUrl,
  type DatabaseKind,
  type Host,
  type JdbcUrl,
  type TargetServer,
  type Tls,
} from './jdbc-url.js';

/** A statement sent before another one in the same transaction. Its settings end with the transaction. */
export interface QueryContext {
  readonly text: string;
  readonly values: readonly string[];
}

/** Settings for each statement of a datasource that policies of its tables read: values of the caller, and a role. */
export interface RowContext {
  /** The context for a statement of the call. Throws a ServiceError 403 if a value of the caller is missing. */
  of(call: Call): QueryContext;
  /**
   * Checks a new connection. Throws a DatabaseFailure if policies would not apply. `run` runs a statement on the connection, after the
   * context.
   */
  check(run: (text: string, context: QueryContext | undefined) => Promise<Row[]>): Promise<void>;
}

/** The servers of a datasource, and the rule that selects them. */
export interface Hosts {
  readonly all: readonly Host[];
  readonly target: TargetServer;
  readonly shuffled: boolean;
}

/** The settings of a connection. All settings are explicit, so that drivers do not read the environment. Times are in milliseconds. */
export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  /** Set for several hosts, or if a kind of server is requested. `host` is one of them. */
  readonly hosts?: Hosts | undefined;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: Tls;
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** False for a connection pooler that does not preserve sessions. */
  readonly sessions: boolean;
  /** Number of connections shared by quick reads, in addition to those of the pool. */
  readonly shared: number;
  readonly pool: { readonly min: number; readonly max: number };
  /** Settings applied before each statement. */
  readonly context?: RowContext | undefined;
  /** Whether sessions are read-only, and servers need not be primaries. */
  readonly isReplica?: boolean;
}

const defaultPoolMax = 10;
const defaultConnectTimeout = 5_000;
/** The connect timeout for several hosts: short enough to try other hosts while statements still wait for a connection. */
const defaultConnectTimeoutOfSeveral = 1_500;
const defaultStatementTimeout = 30_000;

/** The configuration of a database datasource, except the address. */
export interface DatabaseDefinition {
  /** The name of the datasource. */
  readonly name: string;
  /** Minimum and maximum number of connections; 0 and 10 by default. */
  readonly pool?: { readonly min?: number; readonly max?: number };
  /** Time limit of a statement in seconds; 30 by default. */
  readonly timeout?: number;
  /** Settings applied before each statement; only on PostgreSQL. */
  readonly context?: RowContext;
}

/** The address of a database: its service settings, resolved at the start. */
export type DatabaseSettings = Omit<DatasourceSettings, 'header' | 'responseLimit'>;

/** The settings of a datasource are invalid. The message is printed after the datasource name, and does not contain secrets. */
export class DatasourceStartError extends Error {
  override readonly name = 'DatasourceStartError';
}

/** Reads the settings. Throws a DatasourceStartError for a URL that is invalid or for a different database system. */
export function readConnectionSettings(
  kind: DatabaseKind,
  definition: DatabaseDefinition,
  settings: DatabaseSettings,
): { readonly connection: ConnectionSettings; readonly warnings: readonly string[] } {
  const url = readUrl(settings.url, kind);
  const user = settings.user ?? url.user ?? '';
  if (user === '') throw new DatasourceStartError(`the user is missing. Set 'user', or put it into the URL.`);
  const password = settings.password ?? url.password ?? '';
  const database = url.database ?? (kind === 'postgresql' ? user : '');
  const connection = connectionOf(url, hostsOf(url), { user, password, database }, definition, settings);
  return { connection, warnings: warningsOf(url) };
}

/** The settings of connections to the host or hosts. */
export function connectionOf(
  url: JdbcUrl,
  hosts: Hosts | undefined,
  account: Pick<ConnectionSettings, 'user' | 'password' | 'database'>,
  { pool, timeout: seconds, context }: DatabaseDefinition,
  { poolMax }: DatabaseSettings,
): ConnectionSettings {
  const { options } = url;
  const max = poolMax ?? pool?.max ?? defaultPoolMax;
  const shared = options.pipelining ? sharedOf(max) : 0;
  const own = max - shared;
  const timeout = seconds === undefined ? defaultStatementTimeout : seconds * 1000;
  const [{ host, port } = { host: '', port: 0 }] = url.hosts;
  return {
    host,
    port,
    hosts,
    ...account,
    tls: options.tls,
    currentSchema: options.currentSchema,
    applicationName: options.applicationName,
    connectTimeout:
      options.connectTimeout ??
      (hosts === undefined ? defaultConnectTimeout : defaultConnectTimeoutOfSeveral),
    statementTimeout: Math.min(timeout, options.socketTimeout ?? timeout),
    sessions: options.sessions,
    shared,
    pool: { min: Math.min(pool?.min ?? 0, own), max: own },
    context,
  };
}

/** Warnings about options in a URL that have no effect. */
export function warningsOf({ ignored }: JdbcUrl): readonly string[] {
  return ignored.length === 0 ? [] : [`Options of the URL have no effect: ${ignored.join(', ')}.`];
}

/** The distinct hosts; undefined for a single server of any kind. */
export function hostsOf({ hosts, options: { target, shuffled } }: JdbcUrl): Hosts | undefined {
  const all = [...new Map(hosts.map((one) => [`${one.host.toLowerCase()}:${one.port}`, one])).values()];
  return all.length === 1 && target === 'any' ? undefined : { all, target, shuffled };
}

/** Parses the URL. Throws a DatasourceStartError. */
export function readUrl(text: string, kind: DatabaseKind): JdbcUrl {
  let url: JdbcUrl;
  try {
    url = readJdbcUrl(text);
  } catch (error) {
    throw new DatasourceStartError(`the URL cannot be used: ${messageOf(error)}.`);
  }
  if (url.dialect === kind) return url;
  throw new DatasourceStartError(
    `the service was built for ${kindNames[kind]}, and the URL names another kind of database. Build it again for the other one.`,
  );
}

/**
 * The number of prepared statements cached by a connection. Shared connections are used by many operations, and cache more. `own` is
 * the total for all other connections, each of which caches at least `fewestStatements`, enough for most services.
 */
export function keptStatements(
  { pool }: ConnectionSettings,
  isShared: boolean,
  { shared, own }: { readonly shared: number; readonly own: number },
): number {
  return isShared ? shared : Math.min(shared, Math.max(fewestStatements, Math.floor(own / pool.max)));
}

const fewestStatements = 256;

/**
 * The number of connections, out of `max`, that quick reads share. Two are enough for most quick reads; writes and slow reads need
 * separate connections.
 */
function sharedOf(max: number): number {
  if (max < 4) return 0;
  return max < 8 ? 1 : 2;
}

const kindNames: Readonly<Record<DatabaseKind, string>> = {
  postgresql: 'PostgreSQL',
  mysql: 'MySQL or MariaDB',
};
