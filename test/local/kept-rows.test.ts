/**
 * Test databases are reset to the rows of the seed after any change: with triggers, cascades, cyclic references, generated columns and
 * sequences.
 */
import { expect, test } from 'vitest';
import { startEmbeddedDatabase } from '../../compiler/tools/local/embedded-database.js';
import type { LocalDatabase } from '../../compiler/tools/local/local-database.js';
import { startTemporaryDatabase } from '../../compiler/tools/local/temporary-database.js';
import { parseJdbcUrl } from '../../compiler/read/config/jdbc/jdbc-url.js';
import { sharedMariadb, sharedPostgres } from '../helpers/shared-servers.js';
import pg from 'pg';

const schema = `
  CREATE TABLE team (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, lead int, size int GENERATED ALWAYS AS (length(name)) STORED);
  CREATE TABLE person (id serial PRIMARY KEY, team int REFERENCES team (id) ON DELETE CASCADE, "Nick Name" text);
  ALTER TABLE team ADD FOREIGN KEY (lead) REFERENCES person (id);
  CREATE TABLE audit (what text);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES (tg_op); RETURN NULL; END $$;
  CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON person FOR EACH ROW EXECUTE FUNCTION note();
`;
const seed = `
  INSERT INTO team (name) VALUES ('kiln'), ('glaze');
  INSERT INTO person (team, "Nick Name") VALUES (1, 'Ada'), (1, 'Bo'), (2, NULL);
  UPDATE team SET lead = 1 WHERE id = 1;
`;
const files = { schema: [{ path: 'schema.sql', text: schema }], seed: [{ path: 'seed.sql', text: seed }] };
const changes = [
  "UPDATE team SET lead = NULL; DELETE FROM team WHERE id = 1; INSERT INTO team (name) VALUES ('new')",
  'TRUNCATE person, team, audit',
  'INSERT INTO person (team) VALUES (2); DELETE FROM person WHERE id = 4',
  "UPDATE audit SET what = 'x'",
  "SELECT nextval('person_id_seq'), nextval('team_id_seq')",
];
const content = `SELECT json_build_object(
  'team', (SELECT json_agg(t ORDER BY id) FROM team t), 'person', (SELECT json_agg(p ORDER BY id) FROM person p),
  'audit', (SELECT json_agg(a) FROM audit a), 'numbers', (SELECT json_agg(s ORDER BY s) FROM (SELECT sequencename, last_value FROM pg_sequences) s)) AS content`;

test.each([
  [
    'CREATE TABLE c (); INSERT INTO d VALUES (1);',
    'seed.sql:3: the embedded PostgreSQL refuses this statement: relation "d" does not exist',
  ],
  ['VACUUM b;', undefined],
])('the numbers of rows do not depend on what cannot run with them: %s', async (last, problem) => {
  const tables =
    'CREATE TABLE a (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY); CREATE TABLE b (a int REFERENCES a);';
  const rows = `INSERT INTO a DEFAULT VALUES;\nINSERT INTO b VALUES (1);\n${last}`;
  const started = startEmbeddedDatabase({
    schema: [{ path: 'schema.sql', text: tables }],
    seed: [{ path: 'seed.sql', text: rows }],
  });
  const outcome = await started.then(
    (database) => database.stop(),
    (error: unknown) => (error as Error).message,
  );
  expect(outcome).toBe(problem);
});

async function connect(database: LocalDatabase): Promise<pg.Client> {
  const { url, user, password } = database.connection;
  const [, address] = /^jdbc:(postgresql:\/\/[^?]*)/.exec(url) ?? [];
  const { host, pathname } = new URL(`http://${address?.replace('postgresql://', '') ?? ''}`);
  const [hostname = '', port = ''] = host.split(':');
  const client = new pg.Client({
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user,
    password,
  });
  await client.connect();
  return client;
}

async function expectRestored(database: LocalDatabase): Promise<void> {
  const client = await connect(database);
  try {
    const read = async (): Promise<unknown> =>
      (await client.query<{ content: unknown }>(content)).rows[0]?.content;
    const before = await read();
    for (const change of changes) {
      await client.query(change);
      expect(await read()).not.toEqual(before);
      await database.restore();
      expect(await read(), change).toEqual(before);
    }
    await database.clear();
    expect(await read()).toMatchObject({ team: null, person: null, audit: null });
    await database.restore();
    expect(await read()).toEqual(before);
  } finally {
    await client.end();
  }
}

/** A dump with data, from a database with another name. */
const dump = {
  schema: [
    {
      path: 'schema.sql',
      text: `ALTER DATABASE kilns SET search_path TO app, public;
CREATE SCHEMA app;
CREATE TABLE app.glaze (id int PRIMARY KEY, name text);
COPY app.glaze (id, name) FROM stdin;
1\tceladon; "green"
2\t\\N
\\.
CREATE TABLE app.pot (glaze int REFERENCES app.glaze, made text);
INSERT INTO app.pot VALUES (1, 'here');`,
    },
  ],
  seed: [
    {
      path: 'seed.sql',
      text: `COPY app.pot FROM stdin WITH (FORMAT csv, DELIMITER ';');\n2;"O'Fallon"\n\\.\n`,
    },
  ],
};

async function expectDump(database: LocalDatabase): Promise<void> {
  const client = await connect(database);
  try {
    const { rows } = await client.query('SELECT name, made FROM glaze JOIN pot ON glaze = id ORDER BY id');
    expect(rows).toEqual([
      { name: 'celadon; "green"', made: 'here' },
      { name: null, made: "O'Fallon" },
    ]);
  } finally {
    await client.end();
  }
}

test('rows of COPY and the search path of ALTER DATABASE, on the embedded PostgreSQL', async () => {
  const database = await startEmbeddedDatabase(dump);
  try {
    await expectDump(database);
  } finally {
    await database.stop();
  }
});

test('policies hold for services, and not for what puts rows back', async () => {
  const schema = [
    {
      path: 'schema.sql',
      text: `
        CREATE TABLE pot (id serial PRIMARY KEY, tenant text NOT NULL DEFAULT current_setting('app.tenant', true), name text);
        ALTER TABLE pot ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON pot USING (tenant = current_setting('app.tenant', true));
        CREATE POLICY all_of_them ON pot FOR SELECT TO auditor USING (current_user = 'auditor');
        CREATE SCHEMA other; CREATE TABLE other.glaze (id int); CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    },
  ];
  const seed = [
    {
      path: 'seed.sql',
      text: "INSERT INTO pot (tenant, name) VALUES ('a', 'one'), ('b', 'two'), ('b', 'three')",
    },
  ];
  const database = await startEmbeddedDatabase({ schema, seed });
  const namesAs = async (tenant: string): Promise<unknown> => {
    const client = await connect(database);
    try {
      await client.query("SELECT set_config('app.tenant', $1, false)", [tenant]);
      return (await client.query<{ name: string }>('SELECT name FROM pot ORDER BY id')).rows.map(
        ({ name }) => name,
      );
    } finally {
      await client.end();
    }
  };
  try {
    expect(await namesAs('a')).toEqual(['one']);
    expect(await namesAs('b')).toEqual(['two', 'three']);
    const client = await connect(database);
    await client.query("INSERT INTO pot (name) VALUES ('four')");
    await expect(client.query("INSERT INTO pot (tenant, name) VALUES ('a', 'x')")).rejects.toThrow(
      'row-level security',
    );
    await client.query('INSERT INTO other.glaze SELECT one()');
    // Switch to another role of the schema, like an operation with a role.
    await client.query(
      "BEGIN; SELECT set_config('role', 'auditor', true); SELECT set_config('app.tenant', '', true)",
    );
    expect((await client.query('SELECT name FROM pot')).rowCount).toBe(4);
    await client.query('ROLLBACK');
    await client.end();
    await database.restore();
    expect([await namesAs('a'), await namesAs('b')]).toEqual([['one'], ['two', 'three']]);
    await database.clear();
    expect([await namesAs('a'), await namesAs('b')]).toEqual([[], []]);
    await database.restore();
    await database.keep();
    expect(await namesAs('b')).toEqual(['two', 'three']);
  } finally {
    await database.stop();
  }
});

test('the search path of the datasource holds for the seed and for services', async () => {
  const schema = [{ path: 'schema.sql', text: 'CREATE SCHEMA app; CREATE TABLE app.pot (id int)' }];
  const seed = [
    { path: 'seed.sql', text: "INSERT INTO pot VALUES (1); SELECT set_config('search_path', '', false)" },
  ];
  const database = await startEmbeddedDatabase({ schema, seed }, 'app, public');
  try {
    expect(parseJdbcUrl(database.connection.url).problems).toEqual([]);
    const client = await connect(database);
    expect((await client.query('SELECT id FROM pot')).rows).toEqual([{ id: 1 }]);
    await client.end();
  } finally {
    await database.stop();
  }
});

test('rows of COPY and the search path of ALTER DATABASE, on PostgreSQL', async () => {
  const server = await sharedPostgres();
  await server.createDatabase('kept_dump');
  const url = `postgresql://${server.user}:${server.password}@${server.host}:${server.port}/kept_dump`;
  const target = { name: 'db', dialect: 'postgresql', schema: undefined } as const;
  const database = await startTemporaryDatabase(target, url, dump);
  try {
    await expectDump(database);
  } finally {
    await database.stop();
  }
  const [copied] = dump.schema;
  const wrong = {
    schema: [{ path: 'schema.sql', text: copied?.text.replace('2\t', 'two\t') ?? '' }],
    seed: [],
  };
  await expect(startTemporaryDatabase(target, url, wrong)).rejects.toThrow(
    'schema.sql:4: the server refuses this statement: invalid input syntax for type integer: "two"',
  );
});

test('on the embedded PostgreSQL', async () => {
  const database = await startEmbeddedDatabase(files);
  try {
    await expectRestored(database);
  } finally {
    await database.stop();
  }
});

test.each(['superuser', 'other user'])('on PostgreSQL, as %s', async (kind) => {
  const server = await sharedPostgres();
  await server.createDatabase('kept_rows');
  await server.exec(
    'kept_rows',
    "DROP ROLE IF EXISTS rows_tester; CREATE ROLE rows_tester LOGIN CREATEDB PASSWORD 'plain'",
  );
  const [user, password] = kind === 'superuser' ? [server.user, server.password] : ['rows_tester', 'plain'];
  const url = `postgresql://${user}:${password}@${server.host}:${server.port}/kept_rows`;
  const database = await startTemporaryDatabase(
    { name: 'db', dialect: 'postgresql', schema: undefined },
    url,
    files,
  );
  try {
    await expectRestored(database);
  } finally {
    await database.stop();
  }
});

test('on MariaDB', async () => {
  const server = await sharedMariadb();
  await server.createDatabase('kept_rows');
  const own = {
    schema: [
      {
        path: 'schema.sql',
        text: `CREATE TABLE team (id int AUTO_INCREMENT PRIMARY KEY, name varchar(20) NOT NULL, size int AS (char_length(name)) STORED);
          CREATE TABLE person (id int AUTO_INCREMENT PRIMARY KEY, team int, FOREIGN KEY (team) REFERENCES team (id) ON DELETE CASCADE);
          CREATE TABLE audit (what varchar(20));
          CREATE TRIGGER note AFTER INSERT ON person FOR EACH ROW INSERT INTO audit VALUES ('insert');`,
      },
    ],
    seed: [
      {
        path: 'seed.sql',
        text: "INSERT INTO team (name) VALUES ('kiln'), ('glaze'); INSERT INTO person (team) VALUES (1), (1), (2); DELETE FROM person WHERE id = 3",
      },
    ],
  };
  const url = `mysql://${server.user}:${server.password}@${server.host}:${server.port}/kept_rows`;
  const database = await startTemporaryDatabase(
    { name: 'db', dialect: 'mysql', schema: undefined },
    url,
    own,
  );
  try {
    const name = /\/(apikiln_test_\w+)/.exec(database.connection.url)?.[1] ?? '';
    const read = async (): Promise<unknown[]> => [
      ...(await server.exec(name, 'SELECT * FROM team ORDER BY id')),
      ...(await server.exec(name, 'SELECT * FROM person ORDER BY id')),
      ...(await server.exec(name, 'SELECT * FROM audit')),
      ...(await server.exec(
        name,
        `SELECT TABLE_NAME, AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${name}' ORDER BY 1`,
      )),
    ];
    const before = await read();
    for (const change of [
      'DELETE FROM team WHERE id = 1',
      'INSERT INTO person (team) VALUES (2)',
      'INSERT INTO person (team) VALUES (2); DELETE FROM person WHERE id > 2; DELETE FROM audit LIMIT 1',
      "UPDATE audit SET what = 'x'",
    ]) {
      await server.exec(name, change);
      expect(await read()).not.toEqual(before);
      await database.restore();
      expect(await read(), change).toEqual(before);
    }
  } finally {
    await database.stop();
  }
});
