/** The URL of a temporary database or of a new service's database has the same connection settings as the server's URL. */
import { expect, test } from 'vitest';
import { jdbcUrl } from '../../compiler/tools/local/jdbc-url-of.js';
import { readConnectionSettings, type ConnectionSettings } from '../../runtime/sql/connection-settings.js';

test.each([
  ['postgresql', 'jdbc:postgresql://db.example:5433/news'],
  ['postgresql', 'jdbc:postgresql://[::1]:5432/news?sslmode=disable'],
  ['postgresql', 'jdbc:postgresql://db.example/news?sslmode=verify-ca&prepareThreshold=0'],
  ['postgresql', 'jdbc:postgresql://db.example/news?sslmode=verify-full&currentSchema=a%26b%2Cpublic'],
  ['mysql', 'jdbc:mysql://db.example/news?sslMode=DISABLED'],
  ['mysql', 'jdbc:mysql://db.example/news?sslMode=REQUIRED'],
  ['mysql', 'jdbc:mariadb://db.example/news?sslMode=verify-ca'],
  ['mysql', 'jdbc:mysql://[::1]/news?sslMode=VERIFY_IDENTITY'],
] as const)('%s: %s', (dialect, url) => {
  const settingsOf = (written: string): ConnectionSettings =>
    readConnectionSettings(dialect, { name: 'db' }, { url: written, user: 'me', password: 'secret' })
      .connection;
  const settings = settingsOf(url);
  const written = jdbcUrl(dialect, settings, 'temporary');
  expect(settingsOf(written)).toMatchObject({ ...ofServer(settings), database: 'temporary' });
});

function ofServer({ host, port, tls, currentSchema, sessions }: ConnectionSettings): object {
  return { host, port, tls, currentSchema, sessions };
}
