/** The settings of a PostgreSQL session, the parameters sent while connecting, and checks of their effect. */
import { errorCode } from '../handler/reply.js';
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Client } from 'pg';
import type { ConnectionSettings } from '../sql/connection-settings.js';
import type { Tls } from '../sql/jdbc-url.js';
import type { Startup } from './driver-internals.js';

/** Facts about a session. */
export interface Session {
  /** False for a pooler that did not pass on the settings: the next statement may use another session. */
  readonly isKept: boolean;
  /** The server's time limit for statements, in its own notation. In a session of a pooler, every transaction sets it. */
  readonly statementTimeout: string;
  readonly timeZone: string;
}

/** The complete driver settings, so that the driver does not read the environment. */
export function postgresConnection(settings: ConnectionSettings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // A function hides the secret when the settings are printed.
    password: () => settings.password,
    ssl: tlsSettings(settings.tls, settings.host),
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeout,
  };
}

/**
 * The TLS settings of the driver; false without TLS. The certificate is checked for the configured host, even if the connection uses
 * its IP address.
 */
export function tlsSettings(tls: Tls, host: string): unknown {
  const named = isIP(host) === 0 ? { host, servername: host } : { host };
  switch (tls) {
    case 'off':
      return false;
    case 'encrypt':
      return { ...named, rejectUnauthorized: false };
    case 'verify-ca':
      return { ...named, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ...named, rejectUnauthorized: true };
  }
}

/** Settings that affect column values. Poolers know them, and preserve them for each client. */
export const zoneSettings = { TimeZone: 'UTC', DateStyle: 'ISO, MDY' } as const satisfies Startup;

/** A custom setting that identifies the session. */
const mark = 'apikiln.session';

/** The other settings of the session, for `options`, and the mark that shows whether they were applied. */
export function sessionOptions(
  { currentSchema }: ConnectionSettings,
  own: Startup = {},
): { readonly options: string; readonly expected: string } {
  const expected = randomUUID();
  const session: Record<string, string> = {
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    ...(currentSchema === undefined ? {} : { search_path: currentSchema }),
    ...own,
    [mark]: expected,
  };
  // White space ends an option, unless it is escaped by a backslash.
  const options = Object.entries(session).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`,
  );
  return { options: options.join(' '), expected };
}

/** Queries the settings, and sets the time limit of statements: that of the service, or that of the database administrator if shorter. */
const look = `
  SELECT s.is_kept, s.zone, CASE WHEN s.is_kept THEN set_config('statement_timeout', s.timeout, false) ELSE s.timeout END
  FROM (
    SELECT current_setting('${mark}', true) IS NOT DISTINCT FROM $1::text AS is_kept, current_setting('TimeZone') AS zone,
      CASE WHEN t.own > 0 AND t.own < $2::int THEN t.own ELSE $2::int END::text AS timeout
    FROM (SELECT round(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int AS own) AS t
  ) AS s`;

/**
 * Checks which settings were applied, and sets the time limit of statements. A server that does not understand the query is treated as
 * not preserving sessions. Throws the errors of the driver if the connection is unusable.
 */
export async function openSession(
  connection: Client,
  { statementTimeout }: ConnectionSettings,
  expected: string,
): Promise<Session> {
  try {
    const { rows } = await connection.query<[string, string, string]>({
      text: look,
      values: [expected, String(statementTimeout)],
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    const [isKept = 'f', timeZone = '', timeout = ''] = rows[0] ?? [];
    return { isKept: isKept === 't', timeZone, statementTimeout: timeout };
  } catch (error) {
    if (!/^(?:22|42|0A)/.test(String(errorCode(error)))) throw error;
    return { isKept: false, timeZone: zoneSettings.TimeZone, statementTimeout: String(statementTimeout) };
  }
}
