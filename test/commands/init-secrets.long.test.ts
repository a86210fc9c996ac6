/** `apikiln init --from-database`: tables of tools and secrets of users do not appear in operations or responses. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import { runInitService } from './init-service.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});
afterEach(() => {
  space.remove();
});

const schemas = {
  postgresql: `
    CREATE TABLE apikiln_outbox (id serial PRIMARY KEY, url text, content text);
    CREATE TABLE apikiln_schedule (timer text PRIMARY KEY, at timestamptz);
    CREATE TABLE flyway_schema_history (installed_rank integer PRIMARY KEY, script text);
    CREATE TABLE knex_migrations (id varchar(36) PRIMARY KEY, migration_name text);
    CREATE TABLE users (id serial PRIMARY KEY, name text NOT NULL, password_login boolean NOT NULL DEFAULT false, twofa_key text,
      totp_recover text, login_pin integer, vault_data bytea, akey bytea, secret_data jsonb, ssh_key text, invited_by integer REFERENCES users);
    CREATE TABLE sessions (id text PRIMARY KEY, user_id integer REFERENCES users, data jsonb);
    CREATE TABLE settings (key text NOT NULL UNIQUE, value jsonb NOT NULL DEFAULT '{}');
    CREATE TABLE twofactor (id serial PRIMARY KEY, user_id integer NOT NULL REFERENCES users, data text NOT NULL, kind integer);
    CREATE TABLE course_session (id serial PRIMARY KEY, title text NOT NULL);
    CREATE TABLE region (region_key text PRIMARY KEY, zone_key text UNIQUE, blend_key text);
    CREATE TABLE place (id serial PRIMARY KEY, region_key text REFERENCES region, session_id integer REFERENCES course_session);`,
  mysql: `
    CREATE TABLE apikiln_outbox (id integer AUTO_INCREMENT PRIMARY KEY, url text, content text);
    CREATE TABLE apikiln_schedule (timer varchar(99) PRIMARY KEY, at datetime);
    CREATE TABLE flyway_schema_history (installed_rank integer PRIMARY KEY, script text);
    CREATE TABLE knex_migrations (id varchar(36) PRIMARY KEY, migration_name text);
    CREATE TABLE users (id integer AUTO_INCREMENT PRIMARY KEY, name text NOT NULL, password_login boolean NOT NULL DEFAULT false,
      twofa_key text, totp_recover text, login_pin integer, vault_data blob, akey blob, secret_data json, ssh_key text, invited_by integer,
      FOREIGN KEY (invited_by) REFERENCES users (id));
    CREATE TABLE sessions (id varchar(99) PRIMARY KEY, user_id integer, data json, FOREIGN KEY (user_id) REFERENCES users (id));
    CREATE TABLE settings (\`key\` varchar(99) NOT NULL UNIQUE, value json NOT NULL);
    CREATE TABLE twofactor (id integer AUTO_INCREMENT PRIMARY KEY, user_id integer NOT NULL, data text NOT NULL, kind integer,
      FOREIGN KEY (user_id) REFERENCES users (id));
    CREATE TABLE course_session (id integer AUTO_INCREMENT PRIMARY KEY, title text NOT NULL);
    CREATE TABLE region (region_key varchar(9) PRIMARY KEY, zone_key varchar(9) UNIQUE, blend_key varchar(9));
    CREATE TABLE place (id integer AUTO_INCREMENT PRIMARY KEY, region_key varchar(9), session_id integer,
      FOREIGN KEY (region_key) REFERENCES region (region_key), FOREIGN KEY (session_id) REFERENCES course_session (id));`,
};

describe.each(['postgresql', 'mysql'] as const)('%s', (kind) => {
  const made = async (
    database: string,
    ...options: readonly string[]
  ): Promise<{ status: number; stderr: string; paths: string[] }> => {
    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    const { host, port, user, password } = server;
    const url = `${kind}://${user}:${password}@${host}:${port}/${database}`;
    const { status, stderr } = await space.run('init', database, '--from-database', url, ...options);
    const config = status === 0 ? space.read(`${database}/config.yaml`) : '';
    const paths = [...config.matchAll(/^ {2}'?[A-Z]+ \/([\w-]+)/gm)].map(([, path = '']) => path);
    return { status, stderr, paths: [...new Set(paths)] };
  };

  test('what is left out, hidden and named as doubtful', async () => {
    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    const database = 'init_secrets';
    await server.createDatabase(database);
    await server.exec(database, schemas[kind]);
    const { status, stderr, paths } = await made(database);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(paths.toSorted()).toEqual(['course_session', 'place', 'region', 'twofactor', 'users']);
    expect(stderr).toContain(`
Tables without operations:
  apikiln_outbox: a table of a running apikiln service
  apikiln_schedule: a table of a running apikiln service
  flyway_schema_history: a table of a tool for migrations
  knex_migrations: a table of a tool for migrations
  sessions: sessions of users
  settings: settings by name, which may be passwords
To write operations for one: --tables flyway_schema_history

Not in responses, because their names are those of secrets:
  region: blend_key
  twofactor: data
  users: twofa_key, totp_recover, login_pin, akey, secret_data

In responses; remove what is a secret from config.yaml and openapi.yaml:
  region: zone_key
  users: ssh_key
`);
    expect(await space.run('check', `${database}/config.yaml`)).toMatchObject({
      status: 0,
      stderr: `${database}/config.yaml is fine.\n`,
    });
    if (kind === 'postgresql')
      expect(await space.run('test', `${database}/config.yaml`)).toMatchObject({ status: 0 });
    const service = await runInitService(space, database, server, database);
    try {
      const ask = async (request: string, expected: number, body?: unknown): Promise<unknown> => {
        const response = await service.ask(request, body);
        expect(response, `${request}\n${service.printed()}`).toMatchObject({ status: expected });
        return response.body;
      };
      const secrets = {
        ...{ twofa_key: 'HUSH1', totp_recover: 'HUSH2', login_pin: 4711, akey: 'SFVTSA==' },
        secret_data: { hush: 'HUSH3' },
      };
      const shown = { name: 'Ann', vault_data: 'AAE=', ssh_key: 's', invited_by: null };
      await ask('POST /users', 201, { ...shown, ...secrets });
      await server.exec(
        database,
        `INSERT INTO sessions (id, user_id, data) VALUES ('HUSH4', 1, '{"hush": "HUSH5"}')`,
      );
      await ask('POST /twofactor', 201, { user_id: 1, data: 'HUSH6', kind: 1 });
      const rest = { ...shown, password_login: false };
      expect(await ask('PUT /users/1', 200, rest)).toMatchObject({ id: 1, ...shown });
      await ask('PATCH /users/1', 200, { name: 'Ann' });
      const bodies = [];
      for (const request of ['users', 'users/1', 'twofactor', 'twofactor/1', 'users?sort=name'])
        bodies.push(JSON.stringify(await ask(`GET /${request}`, 200)));
      expect(bodies.join('\n')).not.toMatch(/HUSH|4711|SFVTSA|hush|sessions/);
      // PUT and PATCH must not change hidden columns.
      await server.exec(
        database,
        `INSERT INTO course_session (title) SELECT name FROM users WHERE twofa_key = 'HUSH1' AND totp_recover = 'HUSH2'
          AND login_pin = 4711 AND akey = 'HUSH' AND secret_data IS NOT NULL`,
      );
      expect(await ask('GET /course_session', 200)).toMatchObject({ items: [{ title: 'Ann' }] });
      await ask('POST /region', 201, { region_key: 'r', zone_key: 'z', blend_key: 'HUSH7' });
      await ask('POST /place', 201, { region_key: 'r', session_id: 1 });
      const place = await ask('GET /place/1', 200);
      expect(place).toMatchObject({ region_key: 'r', session_id: 1 });
      expect(JSON.stringify(place)).toContain('"zone_key":"z"');
      expect(JSON.stringify(place)).not.toContain('HUSH7');
    } finally {
      await service.stop();
    }
  });

  test('tables that are named, and tables that are excepted', async () => {
    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    for (const name of ['named', 'starred', 'excepted', 'unknown', 'none'])
      await server.createDatabase(`init_choice_${name}`);
    for (const name of ['named', 'starred', 'excepted', 'unknown', 'none'])
      await server.exec(`init_choice_${name}`, schemas[kind]);
    const named = await made(
      'init_choice_named',
      '--tables',
      'users, flyway_schema_history,settings,apikiln_outbox',
    );
    expect(named.paths.toSorted()).toEqual(['flyway_schema_history', 'settings', 'users']);
    expect(named.stderr).toContain(
      '\nTables without operations:\n  apikiln_outbox: a table of a running apikiln service\n\n',
    );
    expect(space.read('init_choice_named/config.yaml')).not.toContain('twofactor');
    const starred = await made('init_choice_starred', '--tables', '*s*');
    expect(starred.paths.toSorted()).toEqual(['course_session', 'users']);
    const excepted = await made('init_choice_excepted', '--except', 'USERS,course_*');
    expect(excepted.paths.toSorted()).toEqual(['place', 'region', 'twofactor']);
    expect(await made('init_choice_unknown', '--except', 'user')).toMatchObject({
      status: 2,
      stderr: "There is no table 'user'. Did you mean 'users'?\n",
    });
    expect(await made('init_choice_none', '--tables', 'apikiln_outbox')).toMatchObject({
      status: 2,
      stderr: 'No table gets operations.\n  apikiln_outbox: a table of a running apikiln service\n',
    });
    expect(await space.run('init', 'x', '--tables', 'a')).toMatchObject({
      status: 2,
      stderr: '--tables and --except name tables of --from-database <url>.\n',
    });
  });
});
