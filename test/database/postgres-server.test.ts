/** `--database` with a PostgreSQL server: errors are reported at their positions, and the server's data does not change. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedPostgres } from '../helpers/shared-servers.js';
import { ServerChecks, urlOf, type Single } from './server-check.js';

const database = 'asked_about';
const kinds = { shop: 'postgresql' };
let server: AttachedServer;
let url: string;
let checks: ServerChecks;

const schema = `
  CREATE TYPE state AS ENUM ('new', 'sent');
  CREATE TABLE orders (id bigint PRIMARY KEY, state state NOT NULL, total numeric(10, 2), made timestamptz NOT NULL DEFAULT now());
  CREATE TABLE line (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, amount int NOT NULL);
  CREATE VIEW sent AS SELECT id, total FROM orders WHERE state = 'sent';
  CREATE FUNCTION noted() RETURNS int LANGUAGE sql AS 'INSERT INTO line (order_id, amount) VALUES (1, 1) RETURNING amount';
  CREATE SCHEMA app; CREATE TABLE app.note (id int PRIMARY KEY, text text NOT NULL);
  CREATE SCHEMA hidden; CREATE TABLE hidden.secret (id int);
  INSERT INTO orders (id, state) VALUES (1, 'new');
  DROP ROLE IF EXISTS asking; CREATE ROLE asking LOGIN PASSWORD 'as:k@1';
  GRANT SELECT ON orders TO asking; GRANT USAGE ON SCHEMA app TO asking;`;

beforeAll(async () => {
  server = await sharedPostgres();
  await server.createDatabase(database);
  await server.exec(database, schema);
  url = urlOf(server, 'postgresql', database);
  checks = new ServerChecks();
});

afterAll(async () => {
  checks.remove();
  await server.exec(database, 'DROP OWNED BY asking; DROP ROLE asking');
});

const check = (singles: readonly Single[], ...args: readonly string[]) =>
  checks.check(singles, kinds, ...(args.length === 0 ? ['--database', url] : args));

describe('what the server reports', () => {
  test('is reported at its position in the file, with its hint', async () => {
    const { status, text } = await check([
      { sql: 'SELECT id, stat\nFROM orders WHERE id = :[PARAM(id)]\n' },
      { sql: 'SELECT id FROM ordres' },
      { sql: 'INSERT INTO line (order_id, amount) VALUES (:[PARAM(id)], now())', type: 'UPDATE' },
    ]);
    expect(status).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:10:26: error The database rejects this statement: column "stat" does not exist. [sql-refused]
        10 |               SELECT id, stat
           |                          ^^^^
        Did you mean 'state'?

      config.yaml:25:35: error The database rejects this statement: relation "ordres" does not exist. [sql-refused]
        25 |           - query: SELECT id FROM ordres
           |                                   ^^^^^^
        Did you mean 'orders'? The tables are line, orders, sent.

      config.yaml:39:78: error The database rejects this statement: column "amount" is of type integer but expression is of type timestamp with time zone. [sql-refused]
        39 |           - query: INSERT INTO line (order_id, amount) VALUES (:[PARAM(id)], now())
           |                                                                              ^^^
        Use a value of type integer, or a cast: (…)::integer.

      3 errors"
    `);
  });

  test('types and nullable columns flow into responses, by tables and by views', async () => {
    const { text } = await check([
      {
        sql: 'SELECT o.id, o.state, l.amount FROM orders o LEFT JOIN line l ON l.order_id = o.id',
        read: '$.amuont',
      },
      { sql: 'SELECT * FROM sent', read: '$.totl' },
      { sql: "UPDATE orders SET state = 'sent' WHERE id = :[PARAM(id)]", type: 'UPDATE', read: '$.stat' },
    ]);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:16:29: error The rows of 'row' have no column 'amuont'. [unknown-column]
        16 |           row: VALUE(row, $.amuont)
           |                             ^^^^^^
        Did you mean 'amount'? Its columns are 'id', 'state', 'amount'.

      config.yaml:30:29: error The rows of 'row' have no column 'totl'. [unknown-column]
        30 |           row: VALUE(row, $.totl)
           |                             ^^^^
        Did you mean 'total'? Its columns are 'id', 'total'.

      config.yaml:44:29: error The rows of 'row' have no column 'stat'. [unknown-column]
        44 |           row: VALUE(row, $.stat)
           |                             ^^^^
        Did you mean 'state'? Its columns are 'id', 'state', 'total', 'made'.

      3 errors"
    `);
  });

  test('what only a newer server knows is what this one does not take', async () => {
    const sql =
      "SELECT j.a FROM JSON_TABLE('[]', '$[*]' COLUMNS (a int PATH '$.a')) AS j WHERE j.a = :[PARAM(id)]";
    const { text } = await check([{ sql }]);
    const [{ version } = { version: 0 }] = await server.exec(
      database,
      "SELECT current_setting('server_version_num')::int AS version",
    );
    expect(text.includes('[sql-refused]')).toBe(Number(version) < 170000);
  });
});

test('RETURNING that the service leaves out if the server refuses it is not an error', async () => {
  const sql =
    "MERGE INTO orders o USING line l ON l.order_id = o.id WHEN MATCHED AND l.id = :[PARAM(id)] THEN UPDATE SET state = 'sent'";
  const { text } = await check([
    { sql, type: 'UPDATE' },
    { sql: sql.replace("'sent'", "'snt'"), type: 'UPDATE' },
  ]);
  expect(text).toContain('invalid input value for enum state: "snt". [sql-refused]');
  expect(text).toContain('1 error');
});

describe('nothing changes on the server', () => {
  const counts = `
    SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM line) AS lines,
      (SELECT last_value FROM line_id_seq) AS sequence, (SELECT is_called FROM line_id_seq) AS called,
      (SELECT count(*) FROM pg_class) AS classes, (SELECT count(*) FROM pg_proc) AS functions,
      (SELECT md5(string_agg(a::text, '' ORDER BY attrelid, attnum)) FROM pg_attribute a) AS columns,
      (SELECT string_agg(state::text || xmin::text, '') FROM orders) AS rows`;

  test('whatever the statements would do', async () => {
    const before = await server.exec(database, counts);
    const { text } = await check([
      { sql: 'DELETE FROM orders WHERE id > 0', type: 'UPDATE' },
      { sql: 'INSERT INTO line (order_id, amount) SELECT id, noted() FROM orders', type: 'UPDATE' },
      { sql: "SELECT nextval('line_id_seq') AS next, noted() AS noted" },
      { sql: 'WITH gone AS (DELETE FROM line RETURNING id) SELECT id FROM gone' },
      { sql: 'DROP TABLE line', type: 'UPDATE' },
      { sql: 'TRUNCATE orders CASCADE', type: 'UPDATE' },
      { sql: 'CREATE TABLE another (id int)', type: 'UPDATE' },
      { sql: 'SELECT pg_sleep(600)' },
    ]);
    expect(text).not.toMatch(/sql-refused|sql-not-checked/);
    expect(await server.exec(database, counts)).toEqual(before);
  });

  test('the session could not change anything if it wanted to', async () => {
    const { connectPostgres } = await import('../../compiler/analyze/database/postgres-server.js');
    const { serverSettings } = await import('../../compiler/analyze/database/server-url.js');
    const asked = { name: 'shop', dialect: 'postgresql', schema: undefined } as const;
    const connection = await connectPostgres(serverSettings(asked, url, {}).settings);
    try {
      const { tables, isWhole } = await connection.look([]);
      const names = (isFunction: boolean) =>
        tables.filter(({ body }) => (body !== undefined) === isFunction).map(({ name }) => name);
      expect({ tables: names(false), functions: names(true), isWhole }).toEqual({
        tables: ['app.note', 'hidden.secret', 'line', 'orders', 'sent'],
        functions: ['noted'],
        isWhole: true,
      });
      const sessions = `SELECT count(*) AS sessions FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`;
      expect(await server.exec(database, sessions)).toEqual([{ sessions: '1' }]);
      const [results] = await connection.describe(['SHOW default_transaction_read_only']);
      expect(results).toHaveProperty('description.columns.0.name', 'default_transaction_read_only');
    } finally {
      await connection.end();
    }
  });
});

describe('who asks', () => {
  const asking = () => urlOf({ ...server, user: 'asking', password: 'as:k@1' }, 'postgresql', database);

  test('a user who may only read can ask about changes', async () => {
    const { status, text } = await check(
      [
        { sql: "UPDATE orders SET state = 'sent' WHERE id = :[PARAM(id)]", type: 'UPDATE' },
        { sql: 'DELETE FROM line WHERE nope = 1', type: 'UPDATE' },
      ],
      '--database',
      asking(),
    );
    expect(status).toBe(1);
    expect(text).toContain('column "nope" does not exist. [sql-refused]');
    expect(text).toContain('1 error');
  });

  test('what the user may not see is unknown, and that is reported once', async () => {
    const { status, text } = await check(
      [
        { sql: 'SELECT id FROM hidden.secret WHERE id = :[PARAM(id)]' },
        { sql: 'SELECT nope FROM hidden.secret' },
      ],
      '--database',
      asking(),
    );
    expect(status).toBe(0);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:9:20: warning This statement is not checked: permission denied for schema hidden. [sql-not-checked]
        9 |           - query: SELECT id FROM hidden.secret WHERE id = :[PARAM(id)]
          |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        It and 1 more on 'shop' may be right or wrong. Connect as a user with the privileges of the service.

      1 warning"
    `);
  });

  test('names that are not there may be in a schema of the search path that the user may not use', async () => {
    const { text } = await check(
      [
        { sql: 'SELECT id FROM secret' },
        { sql: 'SELECT text FROM note WHERE id = :[PARAM(id)]', read: '$.txt' },
      ],
      '--database',
      `${asking()}?currentSchema=hidden,app`,
    );
    expect(text).not.toContain('[sql-refused]');
    expect(text).toContain("'txt'");
  });
});

describe('where the server is', () => {
  const sound = [{ sql: 'SELECT id FROM orders WHERE id = :[PARAM(id)]' }];

  test('a wrong password, another database, nobody there', async () => {
    const wrong = urlOf({ ...server, password: 'wr:ong@1' }, 'postgresql', database);
    expect(await check(sound, '--database', wrong)).toEqual({
      status: 4,
      text: `The database '${database}' at 127.0.0.1:${server.port} cannot be asked: the password is wrong.`,
    });
    expect(await check(sound, '--database', urlOf(server, 'postgres', 'nowhere'))).toEqual({
      status: 4,
      text: `The database 'nowhere' at 127.0.0.1:${server.port} cannot be asked: there is no such database.`,
    });
    const nobody = urlOf({ ...server, port: 1 }, 'postgresql', database);
    expect(await check(sound, '--database', nobody)).toEqual({
      status: 4,
      text: `The database '${database}' at 127.0.0.1:1 cannot be asked: no connection (ECONNREFUSED).`,
    });
  });

  test('a server that never responds is awaited as long as connectTimeout', async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { status, text } = await check(
      sound,
      '--database',
      `jdbc:postgresql://a:b@127.0.0.1:${port}/x?connectTimeout=1`,
    );
    silent.close();
    expect({ status, text }).toEqual({
      status: 4,
      text: `The database 'x' at 127.0.0.1:${port} cannot be asked: no connection.`,
    });
  });

  test('URLs of other forms, from the environment, without an account; their errors contain no secret', async () => {
    process.env['ASKED_URL'] = url;
    process.env['DATASOURCE_SHOP_USER'] = server.user;
    process.env['PGPASSWORD'] = server.password;
    try {
      const bare = `postgres://${server.host}:${server.port}/${database}`;
      for (const text of ['${ASKED_URL}', 'shop=${ASKED_URL}', `jdbc:${url}`, bare, `shop=${bare}`])
        expect(await check(sound, '--database', text)).toEqual({ status: 0, text: 'config.yaml is fine.' });
    } finally {
      for (const name of ['ASKED_URL', 'DATASOURCE_SHOP_USER', 'PGPASSWORD'])
        Reflect.deleteProperty(process.env, name);
    }
    const messages = [];
    for (const args of [
      ['--database', '${ASKED_URL}'],
      ['--database', `other=${url}`],
      ['--database', url.replace(':5', ':hunter2,5').replace('127.0.0.1', 'a,,b')],
      ['--database', url.replace('postgresql:', 'oracle:')],
      ['--database', url.replace('postgresql:', 'mysql:')],
      ['--database', url, '--database', `shop=${url}`],
      ['--database', url, '--schema', 'x.sql'],
      ['--database', `postgresql://${server.host}:${server.port}/${database}`],
    ]) {
      const { status, text } = await check(sound, ...args);
      expect(status).toBe(2);
      messages.push(text);
    }
    expect(messages.join('\n')).not.toContain(encodeURIComponent(server.password));
    expect(messages.join('\n')).not.toContain(server.password);
    expect(messages).toMatchInlineSnapshot(`
      [
        "--database shop: the environment variable ASKED_URL is not set.",
        "There is no database 'other'. The databases are 'shop'.",
        "--database shop: one of several hosts is empty. Write a host before and after each ','.",
        "--database shop: it does not name a supported database. Write jdbc:postgresql://host:5432/database, jdbc:mysql://host:3306/database or jdbc:mariadb://host:3306/database.",
        "--database shop: the datasource is of PostgreSQL, and the URL of MySQL or MariaDB.",
        "--database names the database 'shop' twice. Name one.",
        "--database and --schema both name the database 'shop'. Name one.",
        "--database shop: the user is missing. Set 'user', or put it into the URL.",
      ]
    `);
  });

  test('of several datasources each has its own', async () => {
    const two = { shop: 'postgresql', notes: 'postgresql' };
    const singles = [
      { sql: 'SELECT id FROM orders WHERE id = :[PARAM(id)]' },
      { sql: 'SELECT txt FROM note', datasource: 'notes' },
    ];
    expect((await checks.check(singles, two, '--database', url)).text).toBe(
      "There are several databases: 'shop', 'notes'. Name the one of the URL: --database shop=<url>",
    );
    const both = ['--database', `shop=${url}`, '--database', `notes=${url}?currentSchema=app`];
    const { text } = await checks.check(singles, two, ...both);
    expect(text).toContain('column "txt" does not exist');
    expect(text).toContain('1 error');
  });
});

describe('what is kept', () => {
  test('a second check asks one question; what changes on the server is noticed', async () => {
    const singles = [{ sql: 'SELECT id, total FROM orders WHERE id = :[PARAM(id)] AND total > 7' }];
    const asked = async (): Promise<{ text: string; questions: number }> => {
      const { text } = await check(singles);
      return { text, questions: checks.kept().length };
    };
    const first = await asked();
    expect(first.text).toBe('config.yaml is fine.');
    expect(await asked()).toEqual(first);
    await server.exec(database, 'ANALYZE; CREATE TEMPORARY TABLE passing (id int)');
    expect(await asked()).toEqual(first);
    await server.exec(database, 'DROP VIEW sent; ALTER TABLE orders ALTER COLUMN total TYPE text');
    const changed = await asked();
    expect(changed.text).toContain('operator does not exist: text > integer');
    expect(changed.questions).toBe(first.questions + 1);
  });
});
