/** Numbers of MariaDB that the API description declares as strings: the service `digits`, with columns reported by a server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { compile } from '../../compiler/compile.js';
import { assets, textOf } from '../emit/compile-text.js';
import { RunningService } from '../helpers/running-service.js';
import { buildServices } from '../helpers/service-build.js';
import { descriptionIn, repository, requestsFile } from '../helpers/service-fixture.js';
import { sharedMariadb } from '../helpers/shared-servers.js';
import { urlOf } from './server-check.js';

const folder = join(repository, 'fixtures/services/digits');

test('MariaDB sends the same strings, and more digits of a maximum', async () => {
  const server = await sharedMariadb();
  await server.createDatabase('digits');
  await server.exec('digits', readFileSync(join(folder, 'schema.sql'), 'utf8'));
  const url = urlOf(server, 'mariadb', 'digits');
  const databases = new SchemaDatabases(() => ({ kind: 'server', url }), new DiskCache(undefined));
  const text = readFileSync(join(folder, 'config.yaml'), 'utf8').replace('jdbc:postgresql', 'jdbc:mariadb');
  const description = descriptionIn(folder);
  const input = { config: { path: 'config.yaml', text }, ...(description && { description }) };
  const { files = [], diagnostics } = await compile(input, assets, undefined, databases);
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  // The server knows how many digits an expression has after its point.
  expect(textOf(files, 'src/operations/get-invoices-by-id.ts')).toContain('most: digits(sums?.most, 3),');
  const built = buildServices('mysql-digits', [{ name: 'digits', files }]).get('digits') ?? '';
  const { user, password } = server;
  const service = await RunningService.start(built, {
    DATASOURCE_DB_URL: server.jdbcUrl('digits'),
    DATASOURCE_DB_USER: user,
    DATASOURCE_DB_PASSWORD: password,
  });
  try {
    // The others send a body, and read no database.
    const reads = requestsFile('digits').requests.filter(({ request }) => request.startsWith('GET '));
    for (const { request, text: expected = '', status } of reads) {
      const response = await fetch(`${service.url}${request.replace('GET ', '')}`);
      expect(response.status).toBe(status);
      const ofMariadb = expected.replace('"most":"10.1"', '"most":"10.100"').replace(/WyJ\w+/, '…');
      expect((await response.text()).replace(/WyJ\w+/, '…')).toBe(ofMariadb);
    }
  } finally {
    await service.stop();
  }
});
