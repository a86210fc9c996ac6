/** What the MySQL driver receives to connect: only options that it knows, and none from a URL. */
import type { ConnectionSettings } from '../sql/connection-settings.js';
import { tlsSettings } from './tls.js';

export function mysqlConnection(settings: ConnectionSettings): Record<string, unknown> {
  return {
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    connectTimeout: settings.connectTimeout,
    ...tlsSettings(settings),
    // Column values as texts where a JavaScript value would lose something.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    // A server could ask for any file of this machine; the other one would change the session's sql_mode.
    flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
  };
}
