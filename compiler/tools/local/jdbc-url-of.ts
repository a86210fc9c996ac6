/** The JDBC URL for a service, of a database on a server with known settings. */
import type { ConnectionSettings } from '../../../runtime/sql/connection-settings.js';

const schemes = { postgresql: 'postgresql', mysql: 'mariadb' } as const;

/** A URL without the option means no TLS. */
const tlsModes = {
  postgresql: {
    off: [],
    encrypt: ['sslmode=require'],
    'verify-ca': ['sslmode=verify-ca'],
    'verify-full': ['sslmode=verify-full'],
  },
  mysql: {
    off: [],
    encrypt: ['sslMode=trust'],
    'verify-ca': ['sslMode=verify-ca'],
    'verify-full': ['sslMode=verify-full'],
  },
} as const;

export function jdbcUrl(
  dialect: 'postgresql' | 'mysql',
  { host, port, tls, currentSchema, sessions }: ConnectionSettings,
  database: string,
): string {
  const options = [
    ...tlsModes[dialect][tls],
    ...(currentSchema === undefined ? [] : [`currentSchema=${encodeURIComponent(currentSchema)}`]),
    ...(sessions || dialect === 'mysql' ? [] : ['prepareThreshold=0']),
  ];
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}/${encodeURIComponent(database)}`;
  return `jdbc:${schemes[dialect]}://${address}${options.length === 0 ? '' : `?${options.join('&')}`}`;
}
