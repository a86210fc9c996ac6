/** The databases of `apikiln dev`: which settings the service has for the server that `--database` names. */
import { expect, test } from 'vitest';
import { DevDatabases } from '../../compiler/tools/commands/dev/dev-databases.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';

const config = `specification: '1.0'
operations: {}
datasources:
  tasksdb: { type: db, url: 'jdbc:mariadb://localhost/tasks', user: written, password: hush }
`;
const set = { DATASOURCE_TASKSDB_USER: 'set', DATASOURCE_TASKSDB_PASSWORD: 'set-secret' };

test.each([
  ['mariadb://me:p%40ss@localhost:1/tasks', {}, ['me', 'p@ss']],
  ['mariadb://me:secret@localhost:1/tasks', set, ['me', 'secret']],
  ['mariadb://me@localhost:1/tasks', { MYSQL_PWD: 'own' }, ['me', 'own']],
  ['mariadb://me@localhost:1/tasks', {}, ['me', '']],
  // Settings of the environment and of the configuration reach the service by themselves.
  ['mariadb://localhost:1/tasks', set, [undefined, undefined]],
])('the service has the account of %s, with %j in the environment', async (url, environment, account) => {
  const { datasources = [] } = readConfig({ path: 'config.yaml', text: config }, new Report()) ?? {};
  const { settings } = await new DevDatabases().prepare(datasources, {
    ...{ config: '/nowhere/config.yaml', folder: '/nowhere', environment },
    find: () => ({ kind: 'server', url }),
    note: () => undefined,
    skipsFailing: false,
  });
  expect(settings.DATASOURCE_TASKSDB_URL).toBe(`jdbc:${url}`);
  expect([settings.DATASOURCE_TASKSDB_USER, settings.DATASOURCE_TASKSDB_PASSWORD]).toEqual(account);
});
