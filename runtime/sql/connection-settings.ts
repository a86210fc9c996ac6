/** The driver's settings of connections, derived from those of a datasource. */
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

/** The statement that is sent before a statement, in the same transaction: its settings end with the transaction. */
export interface QueryContext {
  readonly text: string;
  readonly values: readonly string[];
}

/** The settings of each statement of a datasource, as the policies of its tables read them: values of the caller, and a role. */
export interface RowContext {
  /** The context of a statement of the call. Throws a ServiceError (403) if its caller lacks a value. */
  of(call: Call): QueryContext;
  /** Throws a DatabaseFailure if policies would not apply on a new connection. `run` runs a statement on it, after the context. */
  check(run: (text: string, context: QueryContext | undefined) => Promise<Row[]>): Promise<void>;
}

/** The servers of a datasource, and the rule that selects them. */
export interface Hosts {
  readonly all: readonly Host[];
  readonly target: TargetServer;
  readonly shuffled: boolean;
}

/** Everything is explicit, so that drivers do not read the environment. Times are in milliseconds. */
export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  /** Only for several hosts, or if servers of one kind are asked for. `host` is then one of them. */
  readonly hosts?: Hosts | undefined;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: Tls;
  readonly currentSchema: string | undefined;
  readonly applicationName: string | undefined;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** False for a pooler that does not keep sessions. */
  readonly sessions: boolean;
  /** How many connections quick reads share, in addition to those of the pool. */
  readonly shared: number;
  readonly pool: { readonly min: number; readonly max: number };
  /** Settings that are set before every statement. */
  readonly context?: RowContext | undefined;
  /** Whether its sessions are read-only, and its servers need not be primaries. */
  readonly isReplica?: boolean;
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
  /** Settings that are set before every statement; only on PostgreSQL. */
  readonly context?: RowContext;
}

/** The address of a database: its settings in the service, resolved at the start. */
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
  const url = readUrl(settings.url, kind);
  const user = settings.user ?? url.user ?? '';
  if (user === '') throw new DatasourceStartError(`the user is missing. Set 'user', or put it into the URL.`);
  const password = settings.password ?? url.password ?? '';
  const database = url.database ?? (kind === 'postgresql' ? user : '');
  const connection = connectionOf(url, hostsOf(url), { user, password, database }, definition, settings);
  return { connection, warnings: warningsOf(url) };
}

/** The settings of connections to the hosts, or to the only one. */
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

/** Warnings for a URL with options that have no effect. */
export function warningsOf({ ignored }: JdbcUrl): readonly string[] {
  return ignored.length === 0 ? [] : [`Options of the URL have no effect: ${ignored.join(', ')}.`];
}

/** Each address once; undefined for a single server of any kind. */
export function hostsOf({ hosts, options: { target, shuffled } }: JdbcUrl): Hosts | undefined {
  const all = [...new Map(hosts.map((one) => [`${one.host.toLowerCase()}:${one.port}`, one])).values()];
  return all.length === 1 && target === 'any' ? undefined : { all, target, shuffled };
}

/** Throws a DatasourceStartError. */
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
 * How many prepared statements a connection keeps. Many operations use the shared connections. `own` is the total of the other connections,
 * and `fewest` for each of them are enough for most services.
 */
export function keptStatements(
  { pool }: ConnectionSettings,
  isShared: boolean,
  { shared, own }: { readonly shared: number; readonly own: number },
): number {
  return isShared ? shared : Math.min(shared, Math.max(fewestStatements, Math.floor(own / pool.max)));
}

const fewestStatements = 256;

/** How many of `max` connections are shared by quick reads. Two handle most of them; writes and slow reads need separate connections. */
function sharedOf(max: number): number {
  if (max < 4) return 0;
  return max < 8 ? 1 : 2;
}

const kindNames: Readonly<Record<DatabaseKind, string>> = {
  postgresql: 'PostgreSQL',
  mysql: 'MySQL or MariaDB',
};
