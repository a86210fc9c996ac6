/** Sets up a new MySQL or MariaDB session, and records facts about it. */
import type { Connection } from 'mysql2';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { DatabaseFailure } from '../sql/failure.js';
import { checkCertificate, tlsSettings } from './tls.js';

/** The identity of a server as far as it is reported; equal for all connections to the same server. */
export interface MysqlServer {
  readonly hostname: string;
  readonly port: string;
  readonly serverId: string;
}

/** Facts about a session, recorded at its start. */
export interface MysqlSession {
  readonly server: MysqlServer;
  /** The connection id on the server. */
  readonly id: string;
  /** The client address and port as seen by the server, which no other session uses at the same time. */
  readonly client: string;
  /** True for servers known to hang when several statements are sent without waiting for results: Aurora. */
  readonly takesOneAtATime: boolean;
  /** Whether the server is MariaDB, which runs compound statements. */
  readonly runsBlocks: boolean;
  /** The variable that limits the duration of statements, with its value; undefined if the server does not have such a variable. */
  readonly timeLimit: TimeLimit | undefined;
  /** Whether `sql_select_limit` may truncate the result of a SELECT. */
  readonly cutsRows: boolean;
  /** State that survives a reset of the session: current user, database and roles, and whether statements were profiled. */
  readonly kept: string;
}

interface TimeLimit {
  readonly name: string;
  readonly value: number;
}

/** The driver options for a connection. Only options known to the driver are set, and the driver does not read a URL. */
export function mysqlConnection(settings: ConnectionSettings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    connectTimeout: settings.connectTimeout,
    ...tlsSettings(settings),
    // Column values are strings where a JavaScript value would lose information.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    // LOCAL_FILES would let the server request any file of this machine; IGNORE_SPACE would change the sql_mode of the session.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
  };
}

/**
 * Essential settings, set regardless of `init_connect` and the server configuration: the character set of the driver, autocommit after
 * every statement, and a COMMIT that neither begins another transaction nor ends the connection.
 */
const basics =
  "NAMES utf8mb4 COLLATE utf8mb4_unicode_ci, autocommit = 1, completion_type = 'NO_CHAIN', time_zone = '+00:00'";

/**
 * Sets up the session. Its time zone is UTC. The server cancels slow statements (on MySQL, only reads) after the limit of the
 * datasource or of the account or server, whichever is smaller. The sql_mode is not changed. Throws the errors of the driver, and a
 * DatabaseFailure if the session does not keep its settings.
 */
export async function startMysqlSession(
  connection: Connection,
  settings: ConnectionSettings,
): Promise<MysqlSession> {
  checkCertificate(connection, settings);
  const known = await variables(connection, [
    ...['max_statement_time', 'max_execution_time', 'aurora_version'],
    'sql_select_limit',
    'lc_messages',
  ]);
  const timeLimit = timeLimitOf(known, settings);
  const limits = timeLimit === undefined ? '' : `, ${timeLimit.name} = ${timeLimit.value}`;
  // Names of constraints are only in messages.
  const isEnglish = known.get('lc_messages')?.startsWith('en') ?? true;
  const language = isEnglish ? '' : ", lc_messages = 'en_US'";
  await runMysqlCommand(connection, `SET ${basics}${language}${limits}`);
  const session = await describeSession(connection);
  if (settings.isReplica === true) await runMysqlCommand(connection, readOnly);
  if (session.timeZone !== '+00:00') throw new DatabaseFailure({ kind: 'unavailable', reason: forgetful });
  const cutsRows = known.get('sql_select_limit') !== allRows;
  const runsBlocks = known.has('max_statement_time');
  return { ...session, takesOneAtATime: known.has('aurora_version'), runsBlocks, timeLimit, cutsRows };
}

/** The default of `sql_select_limit`. */
const allRows = '18446744073709551615';

/** Makes the session read-only. */
export const readOnly = 'SET SESSION TRANSACTION READ ONLY';

const forgetful =
  'the session does not keep its time zone: something between the service and the database uses another session for each statement';

/** The setting that limits the duration of statements: in seconds on MariaDB, and in milliseconds under a different name on MySQL. */
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

/** Seconds within which a client must read some rows of a streamed result. The service itself ends slow reads earlier. */
const pace = 86_400;

/** The statements to run before and after a query with a slow reader. */
export function withoutLimits({ timeLimit }: MysqlSession): readonly [before: string, behind: string] {
  const [none, usual] =
    timeLimit === undefined
      ? ['', '']
      : [`, ${timeLimit.name} = 0`, `, ${timeLimit.name} = ${timeLimit.value}`];
  return [`SET net_write_timeout = ${pace}${none}`, `SET net_write_timeout = DEFAULT${usual}`];
}

/** The session variables known to the server, by name. */
async function variables(connection: Connection, names: readonly string[]): Promise<Map<string, string>> {
  const list = names.map((name) => `'${name}'`).join(', ');
  const rows = await mysqlRows(connection, `SHOW VARIABLES WHERE Variable_name IN (${list})`);
  return new Map(rows.map(([name, value]) => [text(name), text(value)]));
}

/** Roles were added in MySQL 8.0 and MariaDB 10.0.5; older servers skip these comments. */
const kept =
  'CURRENT_USER(), DATABASE() /*!80000 , CURRENT_ROLE() *//*M!100005 , CURRENT_ROLE(), EXISTS (SELECT * FROM information_schema.PROFILING) */';

/** The identity of the session. Some servers hide sessions, so their statements cannot be cancelled. */
export async function describeSession(connection: Connection): Promise<
  Omit<MysqlSession, 'takesOneAtATime' | 'runsBlocks' | 'timeLimit' | 'cutsRows'> & {
    readonly timeZone: string;
  }
> {
  const [row = []] = await mysqlRows(
    connection,
    `SELECT @@time_zone, @@hostname, @@port, @@server_id, CONNECTION_ID(), ${kept}`,
  );
  const [timeZone = '', hostname = '', port = '', serverId = '', id = '', ...own] = row.map(text);
  const client = await clientOf(connection, id);
  return { timeZone, server: { hostname, port, serverId }, id, client, kept: JSON.stringify(own) };
}

/** The client address of the session with this id; empty if the account does not have such a session, or the server does not report it. */
export async function clientOf(connection: Connection, id: string): Promise<string> {
  // The id is from the server and should only contain digits.
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

/** Runs a constant command, and returns the result of the driver. */
export function runMysqlCommand(connection: Connection, command: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query({ sql: command, rowsAsArray: true }, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/** Sends a command that the server handles immediately, and waits for the response. */
export function pingMysql(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    // The declared type is wrong: on success, the driver passes nothing.
    connection.ping((error?: Error | null) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}

/** Resets the session on the server. */
export function resetMysql(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.reset((error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
}

/** The rows of a constant command, each as a list of column values. */
export async function mysqlRows(
  connection: Connection,
  command: string,
): Promise<readonly (readonly unknown[])[]> {
  return (await runMysqlCommand(connection, command)) as readonly (readonly unknown[])[];
}
