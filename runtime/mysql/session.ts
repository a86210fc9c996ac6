/** Settings of a new session of MySQL or MariaDB, and the facts that are recorded about it. */
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { DatabaseFailure } from '../sql/failure.js';
import { checkCertificate, tlsSettings } from './tls.js';

/** The server and the session of a connection, as far as the server reports them; equal for two connections to one server. */
export interface MysqlServer {
  readonly hostname: string;
  readonly port: string;
  readonly serverId: string;
}

/** Facts about a session, recorded at its start. */
export interface MysqlSession {
  readonly server: MysqlServer;
  /** The server's number of the session. */
  readonly id: string;
  /** The address and port from which the server is reached: no two sessions have it at the same time. */
  readonly client: string;
  /** True for a server that is known to hang if statements are sent before the previous one has a result: Aurora. */
  readonly takesOneAtATime: boolean;
  /** The variable that limits the time of statements, with its value; undefined if the server has no such variable. */
  readonly timeLimit: TimeLimit | undefined;
  /** Whether it may return fewer rows of a SELECT than there are: `sql_select_limit`. */
  readonly cutsRows: boolean;
  /** State that survives the server's reset of a session: the current user, database and roles, and whether statements were profiled. */
  readonly kept: string;
}

interface TimeLimit {
  readonly name: string;
  readonly value: number;
}

/** The driver's options for a connection. Only options that the driver knows are set, and none is read from a URL. */
export function mysqlConnection(settings: ConnectionSettings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    connectTimeout: settings.connectTimeout,
    ...tlsSettings(settings),
    // Column values are strings wherever a JavaScript value would lose information.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    // The first would let a server ask for any file of this machine; the second would change the session's sql_mode.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
  };
}

/**
 * Settings on which everything else depends, whatever `init_connect` or the server's settings made of the session: the character set of the
 * driver, autocommit after every single statement, and a COMMIT that neither begins another transaction nor ends the connection.
 */
const basics =
  "NAMES utf8mb4 COLLATE utf8mb4_unicode_ci, autocommit = 1, completion_type = 'NO_CHAIN', time_zone = '+00:00'";

/**
 * The session's time zone is UTC. The server ends statements that take too long (MySQL: only reads), after our limit or the one set for the
 * account or the server, whichever is smaller. The server's sql_mode is unchanged. Throws errors of the driver, and a DatabaseFailure if
 * the session does not keep its settings.
 */
export async function startMysqlSession(
  connection: Connection,
  settings: ConnectionSettings,
): Promise<MysqlSession> {
  checkCertificate(connection, settings);
  const known = await variables(connection, [
    ...['max_statement_time', 'max_execution_time', 'aurora_version'],
    'sql_select_limit',
  ]);
  const timeLimit = timeLimitOf(known, settings);
  const limits = timeLimit === undefined ? '' : `, ${timeLimit.name} = ${timeLimit.value}`;
  await runMysqlCommand(connection, `SET ${basics}${limits}`);
  const session = await describeSession(connection);
  if (settings.isReplica === true) await runMysqlCommand(connection, readOnly);
  if (session.timeZone !== '+00:00') throw new DatabaseFailure({ kind: 'unavailable', reason: forgetful });
  const cutsRows = known.get('sql_select_limit') !== allRows;
  return { ...session, takesOneAtATime: known.has('aurora_version'), timeLimit, cutsRows };
}

/** The usual limit. */
const allRows = '18446744073709551615';

/** The session is read-only afterwards. */
export const readOnly = 'SET SESSION TRANSACTION READ ONLY';

const forgetful =
  'the session does not keep its time zone: something between the service and the database uses another session for each statement';

/** The setting that limits the time of statements. MariaDB counts seconds, MySQL milliseconds under another name. */
function timeLimitOf(
  known: ReadonlyMap<string, string>,
  { statementTimeout }: ConnectionSettings,
): TimeLimit | undefined {
  for (const [name, unit] of [
    ['max_statement_time', 1000],
    ['max_execution_time', 1],
  ] as const) {
    const value = known.get(name);
    if (value === undefined) continue;
    const theirs = Number(value) * unit;
    const ours = theirs > 0 ? Math.min(theirs, statementTimeout) : statementTimeout;
    return { name, value: ours / unit };
  }
  return undefined;
}

/** Seconds in which a client that reads rows one by one must read some of them. The service ends slow statements earlier. */
const pace = 86_400;

/** The statements before and after a query whose reader may be slow. */
export function withoutLimits({ timeLimit }: MysqlSession): readonly [before: string, behind: string] {
  const [none, usual] =
    timeLimit === undefined
      ? ['', '']
      : [`, ${timeLimit.name} = 0`, `, ${timeLimit.name} = ${timeLimit.value}`];
  return [`SET net_write_timeout = ${pace}${none}`, `SET net_write_timeout = DEFAULT${usual}`];
}

/** The variables of the session that the server knows, by name. */
async function variables(connection: Connection, names: readonly string[]): Promise<Map<string, string>> {
  const list = names.map((name) => `'${name}'`).join(', ');
  const rows = await mysqlRows(connection, `SHOW VARIABLES WHERE Variable_name IN (${list})`);
  return new Map(rows.map(([name, value]) => [text(name), text(value)]));
}

/** Roles exist since MySQL 8.0 and MariaDB 10.0.5: older servers skip the comments. */
const kept =
  'CURRENT_USER(), DATABASE() /*!80000 , CURRENT_ROLE() *//*M!100005 , CURRENT_ROLE(), EXISTS (SELECT * FROM information_schema.PROFILING) */';

/** The identity of the session. A server that hides its sessions does not report it, so statements cannot be cancelled there. */
export async function describeSession(
  connection: Connection,
): Promise<Omit<MysqlSession, 'takesOneAtATime' | 'timeLimit' | 'cutsRows'> & { readonly timeZone: string }> {
  const [row = []] = await mysqlRows(
    connection,
    `SELECT @@time_zone, @@hostname, @@port, @@server_id, CONNECTION_ID(), ${kept}`,
  );
  const [timeZone = '', hostname = '', port = '', serverId = '', id = '', ...own] = row.map(text);
  const client = await clientOf(connection, id);
  return { timeZone, server: { hostname, port, serverId }, id, client, kept: JSON.stringify(own) };
}

/**
 * The address that the session with that number is used from; empty if this account has no such session, or if the server does not report
 * it.
 */
export async function clientOf(connection: Connection, id: string): Promise<string> {
  // The number is from the server; it is always digits.
  if (!/^\d+$/.test(id)) return '';
  try {
    const [row] = await mysqlRows(
      connection,
      `SELECT host FROM information_schema.processlist WHERE id = ${id}`,
    );
    return text(row?.[0]);
  } catch (error) {
    if (!(error instanceof Error) || !('errno' in error)) throw error;
    return '';
  }
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : '';
}

/** Runs a built-in command without values, and returns the driver's result. */
export function runMysqlCommand(connection: Connection, command: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query({ sql: command, rowsAsArray: true }, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/** Sends a command that takes no time in the server, and waits for the response. */
export function pingMysql(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    // The declared type is wrong: without an error the driver passes nothing.
    connection.ping((error?: Error | null) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}

/** Makes the server forget everything of the session. */
export function resetMysql(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.reset((error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}

/** The rows of a built-in command, each as a list of its columns. */
export async function mysqlRows(
  connection: Connection,
  command: string,
): Promise<readonly (readonly unknown[])[]> {
  return (await runMysqlCommand(connection, command)) as readonly (readonly unknown[])[];
}
