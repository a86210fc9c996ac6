/** The files of a new service that runs at once: a small one about tasks, from `templates/starter`. */
import { fillTemplate } from '../../generate/emit/service/yaml-text.js';
import type { InitFile } from './init-file.js';

export type StarterSyntax = 'a' | 'b';
export type StarterDatabase = 'postgresql' | 'mysql';

/** The parts of the templates that differ between the kinds of databases. */
const holes: Readonly<Record<StarterDatabase, Readonly<Record<string, string | readonly string[]>>>> = {
  postgresql: {
    scheme: 'postgresql',
    port: '5432',
    insertedId: 'id',
    noneDeletedA: 'SIZE(VALUE(deleted, $))',
    noneDeletedB: 'deleted.size()',
    localDatabase: 'need no server: they run schema.sql and seed.sql in an embedded PostgreSQL',
    server: [],
    testServer: '                 ',
    checked: 'statements are checked against them before anything runs',
  },
  mysql: {
    scheme: 'mariadb',
    port: '3306',
    insertedId: 'insert_id',
    noneDeletedA: 'VALUE(deleted, $.affected_rows)',
    noneDeletedB: 'deleted.affected_rows',
    localDatabase: 'need a server: apikiln dev --database mariadb://user:password@localhost/tasks',
    checked: '`check --database <url>` checks the statements on a server that has them',
    testServer: ' --database mariadb://user:password@localhost/',
    server: [
      '`dev` needs a MySQL or MariaDB server with these tables and rows:',
      '',
      '```sh',
      "mariadb -e 'CREATE DATABASE tasks'",
      'cat schema.sql seed.sql | mariadb tasks',
      'export DATASOURCE_TASKSDB_URL=jdbc:mariadb://localhost:3306/tasks',
      'export DATASOURCE_TASKSDB_USER=me DATASOURCE_TASKSDB_PASSWORD=secret',
      '```',
      '',
      '`test` does not read these variables: it makes databases of its own on the server that `--database` names, from `schema.sql` and `seed.sql`, and drops them. The user must be allowed to create databases.',
      '',
    ],
  },
};

/** `template`: the text of a file below `templates`. */
export function starterFiles(
  syntax: StarterSyntax,
  database: StarterDatabase,
  template: (name: string) => string,
): InitFile[] {
  const filled = (name: string): string => fillTemplate(template(`starter/${name}`), holes[database]);
  return [
    { path: 'config.yaml', text: filled(`config.${syntax}.yaml`) },
    { path: 'openapi.yaml', text: filled('openapi.yaml') },
    { path: 'schema.sql', text: filled(`schema.${database}.sql`) },
    { path: 'seed.sql', text: filled('seed.sql') },
    { path: 'config.test.yaml', text: filled('config.test.yaml') },
    { path: '.gitignore', text: filled('gitignore'), mayExist: true },
    { path: 'README.md', text: filled('README.md'), mayExist: true },
  ];
}
