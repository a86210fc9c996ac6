/** The files of new services that can run immediately: a small task list, and accounts with a log-in. */
import { copied, filled, trimmedEnd, type Written } from '../../notation/written.js';
import type { InitFile } from './init-file.js';

export type StarterSyntax = 'a' | 'b';
export type StarterDatabase = 'postgresql' | 'mysql';

/** How a client stays logged in: a cookie with the key of a session, or an access token and a refresh token. */
export type LoginSessions = 'cookie' | 'tokens';

/** Values for the holes of templates. */
type Holes = Readonly<Record<string, Written<'copy'> | readonly Written<'copy'>[]>>;

/** The parts of the templates that depend on the database. */
const holes: Readonly<Record<StarterDatabase, Holes>> = {
  postgresql: {
    scheme: copied('postgresql'),
    port: copied('5432'),
    insertedId: copied('id'),
    noneDeletedA: copied('SIZE(VALUE(deleted, $))'),
    noneDeletedB: copied('deleted.size()'),
    noneChangedA: copied('SIZE(VALUE(changed, $))'),
    noneChangedB: copied('changed.size()'),
    emailKey: copied('account_email_key'),
    now: copied('now()'),
    in30Days: copied("now() + interval '30 days'"),
    in3Days: copied("now() + interval '3 days'"),
    in30Minutes: copied("now() + interval '30 minutes'"),
    tenSecondsAgo: copied("now() - interval '10 seconds'"),
    localDatabase: copied('need no server: they run schema.sql and seed.sql in an embedded PostgreSQL'),
    server: [],
    accountsServer: [],
    testServer: copied('                 '),
    checked: copied('statements are checked against them before anything runs'),
  },
  mysql: {
    scheme: copied('mariadb'),
    port: copied('3306'),
    insertedId: copied('insert_id'),
    noneDeletedA: copied('VALUE(deleted, $.affected_rows)'),
    noneDeletedB: copied('deleted.affected_rows'),
    noneChangedA: copied('VALUE(changed, $.affected_rows)'),
    noneChangedB: copied('changed.affected_rows'),
    emailKey: copied('email'),
    now: copied('utc_timestamp()'),
    in30Days: copied('utc_timestamp() + INTERVAL 30 DAY'),
    in3Days: copied('utc_timestamp() + INTERVAL 3 DAY'),
    in30Minutes: copied('utc_timestamp() + INTERVAL 30 MINUTE'),
    tenSecondsAgo: copied('utc_timestamp() - INTERVAL 10 SECOND'),
    localDatabase: copied('need a server: apikiln dev --database mariadb://user:password@localhost/tasks'),
    checked: copied('`check --database <url>` checks the statements on a server that has them'),
    testServer: copied(' --database mariadb://user:password@localhost/'),
    server: [
      copied('`dev` needs a MySQL or MariaDB server with these tables and rows:'),
      copied(''),
      copied('```sh'),
      copied("mariadb -e 'CREATE DATABASE tasks'"),
      copied('cat schema.sql seed.sql | mariadb tasks'),
      copied('export DATASOURCE_TASKSDB_URL=jdbc:mariadb://localhost:3306/tasks'),
      copied('export DATASOURCE_TASKSDB_USER=me DATASOURCE_TASKSDB_PASSWORD=secret'),
      copied('```'),
      copied(''),
      copied(
        '`test` does not read these variables: it makes databases of its own on the server that `--database` names, from `schema.sql` and `seed.sql`, and drops them. The user must be allowed to create databases.',
      ),
      copied(''),
    ],
    accountsServer: [
      copied('`dev` needs a MySQL or MariaDB server with these tables:'),
      copied(''),
      copied('```sh'),
      copied("mariadb -e 'CREATE DATABASE accounts'"),
      copied('mariadb accounts < schema.sql'),
      copied('export DATASOURCE_ACCOUNTSDB_URL=jdbc:mariadb://localhost:3306/accounts'),
      copied('export DATASOURCE_ACCOUNTSDB_USER=me DATASOURCE_ACCOUNTSDB_PASSWORD=secret'),
      copied('```'),
      copied(''),
      copied(
        '`test` creates databases from `schema.sql` on the server that `--database` names, and drops them. Its user must be allowed to create databases.',
      ),
      copied(''),
    ],
  },
};

/** `template` is the text of a file in `templates`. */
export function starterFiles(
  syntax: StarterSyntax,
  database: StarterDatabase,
  template: (name: string) => Written<'copy'>,
): InitFile[] {
  const file = (name: string): Written<'copy'> => filled(template(`starter/${name}`), holes[database]);
  return [
    { path: 'config.yaml', text: file(`config.${syntax}.yaml`) },
    { path: 'openapi.yaml', text: file('openapi.yaml') },
    { path: 'schema.sql', text: file(`schema.${database}.sql`) },
    { path: 'seed.sql', text: file('seed.sql') },
    { path: 'config.test.yaml', text: file('config.test.yaml') },
    { path: '.gitignore', text: file('gitignore'), mayExist: true },
    { path: 'README.md', text: file('README.md'), mayExist: true },
  ];
}

/** Accounts with sign-up, log-in and log-out, from `templates/login`. */
export function loginFiles(
  {
    syntax,
    database,
    sessions,
  }: { readonly syntax: StarterSyntax; readonly database: StarterDatabase; readonly sessions: LoginSessions },
  template: (name: string) => Written<'copy'>,
): InitFile[] {
  const mailSyntax =
    syntax === 'b'
      ? [copied('# Operations that send mails, or call others after the commit, are written in Syntax A.')]
      : [];
  // In both syntaxes: a file can contain operations of both.
  const part = (name: string): Written<'copy'> =>
    trimmedEnd(filled(template(`login/${name}`), { ...holes[database], mailSyntax }));
  const parts = { signUp: part('sign-up.yaml'), mailOperations: part('mail.yaml') };
  const file = (name: string): Written<'copy'> =>
    filled(template(`login/${name}`), { ...holes[database], ...parts });
  return [
    { path: 'config.yaml', text: file(`${sessions}.${syntax}.yaml`) },
    { path: 'openapi.yaml', text: file(`openapi.${sessions}.yaml`) },
    { path: 'schema.sql', text: file(`schema.${sessions}.${database}.sql`) },
    { path: 'config.test.yaml', text: file(`${sessions}.test.yaml`) },
    { path: '.gitignore', text: template('starter/gitignore'), mayExist: true },
    { path: 'README.md', text: file(`README.${sessions}.md`), mayExist: true },
  ];
}
