/** What the PostgreSQL driver is given to connect. */
import type { ConnectionSettings } from './connection-settings.js';
import type { Tls } from './jdbc-tls.js';

/** The driver's settings. They leave nothing for it to look up in the environment. */
export function postgresConnection(settings: ConnectionSettings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    // A function shows no secret when something prints the settings.
    password: () => settings.password,
    ssl: tlsSettings(settings.tls),
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeout,
    // A pooler in transaction mode refuses connections that ask for settings of a session.
    ...(settings.sessions ? { options: sessionOptions(settings) } : {}),
  };
}

function tlsSettings(tls: Tls): unknown {
  switch (tls) {
    case 'off':
      return false;
    case 'encrypt':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { rejectUnauthorized: true };
  }
}

/** The session as the decoders want it, and the server's own limit for statements. */
export function sessionOptions({ statementTimeout, currentSchema }: ConnectionSettings): string {
  const session: Record<string, string> = {
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: String(statementTimeout),
    ...(currentSchema === undefined ? {} : { search_path: currentSchema }),
  };
  // White space ends an option, unless a backslash stands before it.
  return Object.entries(session)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ');
}
