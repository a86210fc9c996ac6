/** The databases of `apikiln dev`: servers, embedded databases, or none. */
import { expect, test } from 'vitest';
import { DevDatabases } from '../../compiler/tools/commands/dev/dev-databases.js';
import type { Datasource } from '../../compiler/read/config/config-model.js';
import { readConfig } from '../../compiler/read/config/read-config.js';
import { Report } from '../../compiler/read/diagnostics/report.js';

const config = `specification: '1.0'
operations: {}
datasources:
  tasksdb: { type: db, url: 'jdbc:mariadb://localhost/tasks', user: written, password: hush }
`;
const set = { DATASOURCE_TASKSDB_USER: 'set', DATASOURCE_TASKSDB_PASSWORD: 'set-secret' };

function datasourcesOf(text: string): readonly Datasource[] {
  return readConfig({ path: 'config.yaml', text }, new Report())?.datasources ?? [];
}

const place = {
  ...{ config: '/nowhere/config.yaml', folder: '/nowhere', environment: {} },
  ...{ note: () => undefined, skipsFailing: false },
};

test.each([
  ['mariadb://me:p%40ss@localhost:1/tasks', {}, ['me', 'p@ss']],
  ['mariadb://me:secret@localhost:1/tasks', set, ['me', 'secret']],
  ['mariadb://me@localhost:1/tasks', { MYSQL_PWD: 'own' }, ['me', 'own']],
  ['mariadb://me@localhost:1/tasks', {}, ['me', '']],
  // The service reads account settings from the environment and the configuration itself.
  ['mariadb://localhost:1/tasks', set, [undefined, undefined]],
])('the service has the account of %s, with %j in the environment', async (url, environment, account) => {
  const datasources = datasourcesOf(config);
  const { settings } = await new DevDatabases().prepare(datasources, {
    ...place,
    environment,
    find: () => ({ kind: 'server', url }),
  });
  expect(settings.DATASOURCE_TASKSDB_URL).toBe(`jdbc:${url}`);
  expect([settings.DATASOURCE_TASKSDB_USER, settings.DATASOURCE_TASKSDB_PASSWORD]).toEqual(account);
});

const two = `specification: '1.0'
operations: {}
datasources:
  first: { type: db, url: 'jdbc:postgresql://127.0.0.1:1/shop', user: me, password: hush }
  second: { type: db, url: 'jdbc:postgresql://127.0.0.1:1/shop', user: me, password: hush }
`;

test('datasources of one database share an embedded one, which stays as long as its schema does', async () => {
  const databases = new DevDatabases();
  const prepare = (text: string) =>
    databases.prepare(datasourcesOf(two), {
      ...place,
      find: () => ({ kind: 'schema', sources: [{ path: 'schema.sql', text }] }),
    });
  try {
    const { settings, news } = await prepare('CREATE TABLE item (id integer);');
    expect(settings.DATASOURCE_SECOND_URL).toBe(settings.DATASOURCE_FIRST_URL);
    expect(news).toEqual(
      ['first', 'second'].map((name) => `${name}: an embedded PostgreSQL with schema.sql`),
    );
    const again = { settings, news: [], outdated: [] };
    expect(await prepare('CREATE TABLE item (id integer);')).toEqual(again);
    await expect(prepare('CREATE TABLE item (id unknown_type);')).rejects.toThrow(
      'schema.sql:1: the embedded PostgreSQL refuses this statement: type "unknown_type" does not exist',
    );
    expect(await prepare('CREATE TABLE item (id integer);')).toEqual(again);
  } finally {
    await databases.stop();
  }
});

test('without a schema and a server both are asked for in one sentence', async () => {
  const prepared = new DevDatabases().prepare(datasourcesOf(two), { ...place, find: () => undefined });
  await expect(prepared).rejects.toThrow(
    "There is neither a schema.sql for the datasource 'first' nor a server: the database 'shop' at 127.0.0.1:1 cannot be asked: " +
      'no connection (ECONNREFUSED). Write the tables into schema.sql, or start a PostgreSQL server and name it: ' +
      '--database first=postgresql://user:password@localhost/shop, or DATASOURCE_FIRST_URL in the environment.',
  );
});
