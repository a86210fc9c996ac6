/** The JDBC URL of a database on a server whose settings are known, for a service. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';

const tlsModes = {
  postgresql: {
    off: 'sslmode=disable',
    encrypt: 'sslmode=require',
    'verify-ca': 'sslmode=verify-ca',
    'verify-full': 'sslmode=verify-full',
  },
  mysql: {
    off: 'sslMode=DISABLED',
    encrypt: 'sslMode=REQUIRED',
    'verify-ca': 'sslMode=VERIFY_CA',
    'verify-full': 'sslMode=VERIFY_IDENTITY',
  },
} as const;

export function jdbcUrl(
  dialect: 'postgresql' | 'mysql',
  { host, port, tls, currentSchema, sessions }: ConnectionSettings,
  database: string,
): string {
  const options = [
    tlsModes[dialect][tls],
    ...(currentSchema === undefined ? [] : [`currentSchema=${encodeURIComponent(currentSchema)}`]),
    ...(sessions || dialect === 'mysql' ? [] : ['prepareThreshold=0']),
  ];
  return `jdbc:${dialect}://${host.includes(':') ? `[${host}]` : host}:${port}/${database}?${options.join('&')}`;
}
