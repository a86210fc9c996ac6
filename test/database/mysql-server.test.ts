/** `--database` with a MariaDB server: errors are reported at their positions, and the server's data does not change. */
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DiskCache } from '../../compiler/analyze/database/disk-cache.js';
import { askServer } from '../../compiler/analyze/database/ask-server.js';
import { SchemaDatabases } from '../../compiler/analyze/database/schema-databases.js';
import { serverSettings } from '../../compiler/analyze/database/server-url.js';
import { checkWithDatabases } from '../../compiler/compile.js';
import { position } from '../../compiler/read/source.js';
import type { AttachedServer } from '../helpers/database-server.js';
import { sharedMariadb } from '../helpers/shared-servers.js';
import { ServerChecks, urlOf, type Single } from './server-check.js';

const database = 'asked_about';
const kinds = { shop: 'mariadb' };
let server: AttachedServer;
let url: string;
let checks: ServerChecks;

const schema = `
  CREATE TABLE orders (id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, state enum('new', 'se''nt') NOT NULL, total decimal(10, 2),
    paid tinyint(1) NOT NULL, marks bit(5), mark bit(1) NOT NULL, made datetime NOT NULL, doc json, tags set('a', 'b'), big bigint unsigned NOT NULL,
    year year, double_id int GENERATED ALWAYS AS (id * 2), note longtext);
  CREATE TABLE line (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, order_id int unsigned NOT NULL, amount int NOT NULL);
  CREATE VIEW sent AS SELECT id, total, coalesce(paid, 0) AS is_paid FROM orders WHERE state = 'se''nt';
  CREATE PROCEDURE fill() INSERT INTO line (order_id, amount) VALUES (1, 1);
  INSERT INTO orders (id, state, paid, mark, made, big) VALUES (1, 'new', 1, b'1', '2026-01-31', 7);
  CREATE OR REPLACE USER asking IDENTIFIED BY 'as:k@1'; GRANT SELECT ON ${database}.* TO asking;
  CREATE OR REPLACE USER single IDENTIFIED BY 'as:k@1'; GRANT SELECT ON ${database}.line TO single`;

beforeAll(async () => {
  server = await sharedMariadb();
  await server.createDatabase(database);
  await server.exec(database, schema);
  url = urlOf(server, 'mysql', database);
  checks = new ServerChecks();
});

afterAll(async () => {
  checks.remove();
  await server.exec(database, 'DROP USER asking, single');
});

const check = (singles: readonly Single[], ...args: readonly string[]) =>
  checks.check(singles, kinds, ...(args.length === 0 ? ['--database', url] : args));

describe('exceptions of constraints', () => {
  const exceptions = (...names: readonly string[]): object[] =>
    names.map((constraint) => ({ constraint, statuscode: 400, message: 'no' }));
  const known = ['PRIMARY', 'link_slug_key', 'link_owner_fkey', 'link_visits_check', 'small', 'link.small'];
  const single = (...names: readonly string[]): Single => ({
    sql: 'INSERT INTO link (id) VALUES (:[PARAM(id)])',
    type: 'UPDATE',
    exceptions: exceptions(...names),
  });

  beforeAll(() =>
    server.exec(
      database,
      `CREATE TABLE person (id int PRIMARY KEY);
       CREATE TABLE link (id int PRIMARY KEY, slug varchar(20), owner int, visits int, small int CHECK (small < 10),
         CONSTRAINT link_slug_key UNIQUE (slug), CONSTRAINT link_owner_fkey FOREIGN KEY (owner) REFERENCES person (id),
         CONSTRAINT link_visits_check CHECK (visits >= 0))`,
    ),
  );

  afterAll(() => server.exec(database, 'DROP TABLE link, person'));

  test('the names of keys and checks are known', async () => {
    expect(await check([single(...known)])).toEqual({
      status: 0,
      text: 'config.yaml is fine.',
    });
    const { text } = await check([single('link_slug_keys', 'person_fkey')]);
    expect(text).toContain("The database has no constraint 'link_slug_keys'. [unknown-constraint]");
    expect(text).toContain("Did you mean 'link_slug_key'?");
    expect(text).toContain("The database has no constraint 'person_fkey'. [unknown-constraint]");
  });

  test('nothing is reported if the user may not change the table, whose foreign keys are then hidden', async () => {
    const asking = url.replace(/\/\/[^@]*@/, `//asking:${encodeURIComponent('as:k@1')}@`);
    const { status, text } = await check([single(...known)], '--database', asking);
    expect(text).not.toContain('unknown-constraint');
    expect(status).toBe(0);
  });
});

describe('what the server reports', () => {
  test('of an error has the position of the name in it, or of the text that follows', async () => {
    const { status, text } = await check([
      {
        sql: 'SELECT id, total\nFROM orders\nWHERE total = 1 total AND id = :[PARAM(id)] AND made > now() AND big > 100000000000000000 AND year > 1\n',
      },
      { sql: 'SELECT o.id AS total, o.stat FROM orders o WHERE o.id = :[PARAM(id)] ORDER BY o.stat' },
      { sql: 'SELECT id FROM orders WHERE nope IN (SELECT order_id FROM line) AND id IN (:[PARAM(id)])' },
      { sql: 'SELECT ordres.id FROM ordres' },
      { sql: 'SELECT fo(id), coalesce(id) AS fo FROM orders' },
      { sql: 'SELECT id FROM orders o JOIN line l ON l.order_id = o.id' },
      { sql: 'INSERT INTO line (order_id, amont) VALUES (:[PARAM(id)], 1)', type: 'UPDATE' },
      { sql: 'UPDATE line SET amount = amout + 1 WHERE id = :[PARAM(id)]', type: 'UPDATE' },
      { sql: 'SELECT x.* FROM line l' },
      { sql: 'SELECT id FROM line ORDER BY' },
      { sql: 'SELECT l.id FROM line l, orders l' },
    ]);
    expect(status).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:12:31: error Unexpected 'total' after '1'. [sql-unexpected]
        12 |               WHERE total = 1 total AND id = :[PARAM(id)] AND made > now() AND big > 100000000000000000 AND year > 1
           |                               ^^^^^
        Write a comma, an operator or a keyword between them.

      config.yaml:26:42: error The database rejects this statement: Unknown column 'o.stat' in 'SELECT'. [sql-refused]
        26 |           - query: SELECT o.id AS total, o.stat FROM orders o WHERE o.id = :[PARAM(id)] ORDER BY o.stat
           |                                          ^^^^^^
        Correct the statement at 'o.stat'.

      config.yaml:40:48: error The database rejects this statement: Unknown column 'nope' in 'IN/ALL/ANY'. [sql-refused]
        40 |           - query: SELECT id FROM orders WHERE nope IN (SELECT order_id FROM line) AND id IN (:[PARAM(id)])
           |                                                ^^^^
        Correct the statement at 'nope'.

      config.yaml:54:42: error The database rejects this statement: Table 'asked_about.ordres' doesn't exist. [sql-refused]
        54 |           - query: SELECT ordres.id FROM ordres
           |                                          ^^^^^^
        Did you mean 'orders'? The tables are line, orders, sent.

      config.yaml:68:27: error The database rejects this statement: FUNCTION asked_about.fo does not exist. [sql-refused]
        68 |           - query: SELECT fo(id), coalesce(id) AS fo FROM orders
           |                           ^^
        Correct the statement at 'fo'.

      config.yaml:82:27: error The database rejects this statement: Column 'id' in SELECT is ambiguous. [sql-refused]
        82 |           - query: SELECT id FROM orders o JOIN line l ON l.order_id = o.id
           |                           ^^
        Correct the statement at 'id'.

      config.yaml:96:48: error The database rejects this statement: Unknown column 'amont' in 'INSERT INTO'. [sql-refused]
        96 |           - query: INSERT INTO line (order_id, amont) VALUES (:[PARAM(id)], 1)
           |                                                ^^^^^
        Correct the statement at 'amont'.

      config.yaml:110:45: error The database rejects this statement: Unknown column 'amout' in 'SET'. [sql-refused]
        110 |           - query: UPDATE line SET amount = amout + 1 WHERE id = :[PARAM(id)]
            |                                             ^^^^^
        Correct the statement at 'amout'.

      config.yaml:124:27: error The database rejects this statement: Unknown table 'asked_about.x'. [sql-refused]
        124 |           - query: SELECT x.* FROM line l
            |                           ^
        Correct the statement at 'x'.

      config.yaml:138:46: error The database rejects this statement: syntax error at its end. [sql-refused]
        138 |           - query: SELECT id FROM line ORDER BY
            |                                              ^^
        Correct the statement at 'BY'.

      config.yaml:152:45: warning Nothing joins 'l' with the other tables: each of its rows is combined with each of theirs. [sql-no-join]
        152 |           - query: SELECT l.id FROM line l, orders l
            |                                             ^^^^^^^^
        Write JOIN … ON with the condition, or CROSS JOIN to read all pairs of rows.

      config.yaml:152:52: error The database rejects this statement: Not unique table/alias: 'l'. [sql-refused]
        152 |           - query: SELECT l.id FROM line l, orders l
            |                                                    ^
        Correct the statement at 'l'.

      11 errors, 1 warning"
    `);
  });

  test('of columns is what the service will return', async () => {
    const texts = [
      'SELECT o.*, l.amount, l.id AS line FROM orders o LEFT JOIN line l ON l.order_id = o.id WHERE o.id = ?',
      'SELECT count(*) AS n, max(state) AS state, coalesce(total, 0) AS total, coalesce(paid, 0) AS paid, paid = 1 AS one, json_object("a", 1) AS j FROM orders WHERE id = ?',
      'SELECT coalesce(total, ?) AS total, id FROM orders',
      'SELECT id, total, is_paid FROM sent',
      'SELECT line.id, line.state FROM (SELECT id, state FROM orders) AS line',
      'INSERT INTO line (order_id, amount) VALUES (?, ?) RETURNING id',
      'CALL fill()',
    ];
    const asked = { name: 'shop', dialect: 'mysql', schema: undefined } as const;
    const { settings } = serverSettings(asked, url, {});
    const { results, tables } = await askServer('mysql', settings, texts, new DiskCache(undefined));
    expect(tables.map(({ name }) => name)).toEqual(['line', 'orders', 'sent']);
    expect(tables.find(({ name }) => name === 'line')?.columns).toContain('order_id');
    // A generated key accepts null and uses the next value.
    expect(tables.find(({ name }) => name === 'line')?.refusingNull).toEqual(['order_id', 'amount']);
    const shown = texts.map((text) => {
      const result = results.get(text);
      if (result === undefined || !('description' in result)) return result;
      const { parameters, columns } = result.description;
      return {
        parameters: parameters.length,
        columns: columns?.map(({ name, type, origin }) =>
          [
            `${name}: ${type.name}`,
            ...(type.labels ?? []),
            ...(origin === undefined ? [] : [`${origin.table}${origin.isNotNull ? ', never null' : ''}`]),
          ].join(' | '),
        ),
      };
    });
    expect(shown).toMatchInlineSnapshot(`
      [
        {
          "columns": [
            "id: int | orders, never null",
            "state: varchar | new | se'nt | orders, never null",
            "total: decimal | orders",
            "paid: tinyint(1) | orders, never null",
            "marks: varbinary | orders",
            "mark: bit(1) | orders, never null",
            "made: datetime | orders, never null",
            "doc: json | orders",
            "tags: varchar | orders",
            "big: bigint unsigned | orders, never null",
            "year: year | orders",
            "double_id: int | orders",
            "note: text | orders",
            "amount: int",
            "line: int",
          ],
          "parameters": 1,
        },
        {
          "columns": [
            "n: bigint",
            "state: varchar",
            "total: decimal",
            "paid: int",
            "one: int",
            "j: json",
          ],
          "parameters": 1,
        },
        {
          "columns": [
            "total: unknown",
            "id: int | orders, never null",
          ],
          "parameters": 1,
        },
        {
          "columns": [
            "id: int",
            "total: decimal",
            "is_paid: int",
          ],
          "parameters": 0,
        },
        {
          "columns": [
            "id: int",
            "state: varchar",
          ],
          "parameters": 0,
        },
        {
          "columns": undefined,
          "parameters": 2,
        },
        {
          "columns": undefined,
          "parameters": 0,
        },
      ]
    `);
  });

  test('flows into conditions and responses', async () => {
    const { text } = await check([
      { sql: 'SELECT id, state FROM orders WHERE id = :[PARAM(id)]', read: '$.stat' },
      { sql: 'SELECT * FROM sent', read: '$.totl' },
      // The letter case of column names in results depends on the server.
      { sql: 'SELECT STATE FROM orders', read: '$.state' },
    ]);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:16:29: error The rows of 'row' have no column 'stat'. [unknown-column]
        16 |           row: VALUE(row, $.stat)
           |                             ^^^^
        Did you mean 'state'? Its columns are 'id', 'state'.

      config.yaml:30:29: error The rows of 'row' have no column 'totl'. [unknown-column]
        30 |           row: VALUE(row, $.totl)
           |                             ^^^^
        Did you mean 'total'? Its columns are 'id', 'total', 'is_paid'.

      config.yaml:44:29: error The rows of 'row' have no column 'state'. [unknown-column]
        44 |           row: VALUE(row, $.state)
           |                             ^^^^^
        Did you mean 'STATE'? Its columns are 'STATE'.

      3 errors"
    `);
  });
});

test('a column that is a number, next to a possible string, is a warning', async () => {
  const { status, text } = await check([
    { sql: 'SELECT max(coalesce(order_id, :[PARAM(id)])) AS m FROM line' },
    { sql: 'SELECT o.id FROM `orders` o ORDER BY ifnull(o.`total`, :[PARAM(id)]) DESC' },
    // A string; a column of an unknown table; a column converted by the statement.
    { sql: 'SELECT coalesce(note, :[PARAM(id)]) AS note FROM orders' },
    {
      sql: 'SELECT d.total FROM (SELECT note AS total FROM orders) d ORDER BY coalesce(d.nope, :[PARAM(id)])',
    },
    { sql: 'SELECT max(coalesce(order_id, CAST(:[PARAM(id)] AS SIGNED))) AS m FROM line' },
  ]);
  expect(status).toBe(1);
  expect(text.match(/^config.*text-beside-number/gm)).toEqual([
    'config.yaml:9:52: warning PARAM(id) may be a string, and the other values are numbers: MySQL and MariaDB then compare and return strings. [text-beside-number',
    'config.yaml:23:77: warning PARAM(id) may be a string, and the other values are numbers: MySQL and MariaDB then compare and return strings. [text-beside-number',
  ]);
});

test('nothing changes on the server, whatever the statements would do', async () => {
  const counts = `
    SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM line) AS \`lines\`,
      (SELECT group_concat(concat(table_name, coalesce(auto_increment, '')) ORDER BY 1) FROM information_schema.tables WHERE table_schema = '${database}') AS tables,
      (SELECT max(state) FROM orders) AS state`;
  const before = await server.exec(database, counts);
  const { text } = await check([
    { sql: 'DELETE FROM orders WHERE id > 0', type: 'UPDATE' },
    { sql: 'INSERT INTO line (order_id, amount) SELECT id, 1 FROM orders', type: 'UPDATE' },
    { sql: 'CALL fill()', type: 'UPDATE' },
    { sql: 'SELECT sleep(600)' },
    { sql: 'SELECT id FROM orders WHERE id = (SELECT sleep(600)) FOR UPDATE' },
    { sql: 'SELECT d.s FROM (SELECT sleep(600) AS s) AS d' },
    { sql: "UPDATE orders SET state = 'new' WHERE id = :[PARAM(id)]", type: 'UPDATE' },
    { sql: 'DROP TABLE line', type: 'UPDATE' },
    { sql: 'TRUNCATE TABLE line', type: 'UPDATE' },
    { sql: 'CREATE TABLE another (id int)', type: 'UPDATE' },
    { sql: 'ALTER TABLE line ADD COLUMN more int', type: 'UPDATE' },
  ]);
  expect(text).not.toMatch(/sql-refused|sql-not-checked/);
  expect(await server.exec(database, counts)).toEqual(before);
});

test('a named schema file is reported as unused, and one next to the configuration is ignored', async () => {
  checks.write('schema.sql', 'CREATE TABLE `t` (id int)');
  const sound = [{ sql: 'SELECT id FROM anything WHERE id = :[PARAM(id)]' }];
  expect(await check(sound, '--schema', 'schema.sql')).toEqual({
    status: 2,
    text: '--schema shop: schemas of MySQL and MariaDB are not read. Ask a server that has the schema: --database shop=<url>',
  });
  expect(await check(sound, '--quiet')).toEqual({ status: 0, text: '' });
});

describe('who asks, and where', () => {
  const as = (user: string) => urlOf({ ...server, user, password: 'as:k@1' }, 'mariadb', database);

  test('a user who may only read gets nothing about changes, which is reported once', async () => {
    const { status, text } = await check(
      [
        { sql: "UPDATE orders SET state = 'new' WHERE id = :[PARAM(id)]", type: 'UPDATE' },
        { sql: 'DELETE FROM line WHERE nope = 1', type: 'UPDATE' },
        { sql: 'SELECT nope FROM line' },
      ],
      '--database',
      as('asking'),
    );
    expect(status).toBe(1);
    expect(text).toMatchInlineSnapshot(`
      "config.yaml:9:20: warning This statement is not checked: UPDATE command denied to user 'asking'@'127.0.0.1' for table \`asked_about\`.\`orders\`. [sql-not-checked]
        9 |           - query: UPDATE orders SET state = 'new' WHERE id = :[PARAM(id)]
          |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        It and 1 more on 'shop' may be right or wrong. Connect as a user with the privileges of the service.

      config.yaml:37:27: error The database rejects this statement: Unknown column 'nope' in 'SELECT'. [sql-refused]
        37 |           - query: SELECT nope FROM line
           |                           ^^^^
        Correct the statement at 'nope'.

      1 error, 1 warning"
    `);
  });

  test('a table that the user may not see is not one that is not there', async () => {
    const { status, text } = await check([{ sql: 'SELECT id FROM nope' }], '--database', as('single'));
    expect(status).toBe(0);
    expect(text).toContain('[sql-not-checked]');
  });

  test('a wrong password, another database, nobody there', async () => {
    const sound = [{ sql: 'SELECT id FROM orders WHERE id = :[PARAM(id)]' }];
    const wrong = urlOf({ ...server, password: 'wr:ong@1' }, 'mysql', database);
    expect(await check(sound, '--database', wrong)).toEqual({
      status: 4,
      text: `The database '${database}' at 127.0.0.1:${server.port} cannot be asked: the user or the password is wrong, or the account asks for an encrypted connection.`,
    });
    expect(await check(sound, '--database', urlOf(server, 'mysql', 'nowhere'))).toEqual({
      status: 4,
      text: `The database 'nowhere' at 127.0.0.1:${server.port} cannot be asked: there is no such database.`,
    });
    const unnamed = await check(sound, '--database', urlOf(server, 'mysql', ''));
    expect(unnamed.text).toContain('Write the name of the database at the end of the URL.');
    expect(await check(sound, '--database', urlOf({ ...server, port: 1 }, 'mysql', database))).toEqual({
      status: 4,
      text: `The database '${database}' at 127.0.0.1:1 cannot be asked: no connection (ECONNREFUSED).`,
    });
  });
});

test('a second check asks one question; what changes on the server is noticed', async () => {
  const counted = await countPrepared(server.port);
  const through = urlOf({ ...server, port: counted.port }, 'mysql', database);
  const singles = [{ sql: 'SELECT id, amount FROM line WHERE id = :[PARAM(id)]', read: '$.amount' }];
  try {
    expect(await check(singles, '--database', through)).toEqual({ status: 0, text: 'config.yaml is fine.' });
    const first = counted.prepared();
    expect(first).toBeGreaterThan(0);
    expect(await check(singles, '--database', through)).toEqual({ status: 0, text: 'config.yaml is fine.' });
    expect(counted.prepared()).toBe(first);
    await server.exec(database, 'ALTER TABLE line CHANGE amount quantity int NOT NULL');
    expect((await check(singles, '--database', through)).text).toContain("Unknown column 'amount'");
  } finally {
    counted.close();
  }
});

describe('lists of a CHECK, and foreign keys', () => {
  beforeAll(async () => {
    await server.exec(
      database,
      `CREATE TABLE task (id int PRIMARY KEY, kind varchar(10) NOT NULL CHECK (kind IN ('call', 'mail') OR kind = 'visit'),
        line_id int REFERENCES line (id), note text CHECK (note <> 'x'))`,
    );
  });

  test('what a CHECK refuses is reported where it is written; the server ignores letter case', async () => {
    const { text } = await check([
      { sql: "UPDATE task SET kind = 'CALL ', note = 'y' WHERE id = :[PARAM(id)]", type: 'UPDATE' },
      { sql: "UPDATE task SET kind = 'male' WHERE id = :[PARAM(id)]", type: 'UPDATE' },
      { sql: 'SELECT t.id, l.order_id FROM task t JOIN line l ON l.id = t.id' },
      { sql: 'SELECT t.id, l.order_id FROM task t JOIN line l ON l.id = t.line_id' },
    ]);
    expect(text.match(/\S+: (?:error|warning) .*/g)).toMatchInlineSnapshot(`
      [
        "config.yaml:23:43: error A CHECK of the table refuses 'male' in the column 'kind'. [check-refuses-value]",
        "config.yaml:37:78: warning The keys 't.id' and 'l.id' belong to two tables, and are equal only by chance. [sql-key-join]",
      ]
    `);
  });

  test('and where the column is compared', async () => {
    const text = `specification: '1.0'
operations:
  GET /task/{id}:
    fulfillments:
      - name: task
        type: READ
        datasource: shop
        instructions: [{ query: 'SELECT kind AS is_kind FROM task WHERE id = :[PARAM(id)]' }]
        exceptions:
          - { if: 'VALUE(task, $.is_kind) == TEXT(CALL)', statuscode: 409, message: In another letter case }
          - { if: 'VALUE(task, $.is_kind) == TEXT(letter)', statuscode: 409, message: Never }
          - { if: 'VALUE(task, $.is_kind) != TEXT(call) && VALUE(task, $.is_kind) != TEXT(mail)', statuscode: 409, message: Visit }
          - { if: 'VALUE(task, $[1].is_kind) == TEXT(call)', statuscode: 409, message: No second row }
    responses: [{ name: ok, default: true, statuscode: 204 }]
datasources: { shop: { type: db, url: 'jdbc:mariadb://localhost/shop' } }
`;
    const databases = new SchemaDatabases(() => ({ kind: 'server', url }), new DiskCache(undefined));
    const { diagnostics } = await checkWithDatabases({ config: { path: 'config.yaml', text } }, databases);
    expect(diagnostics.map(({ code, span }) => [code, position(span.source, span.start).line])).toEqual([
      ['never-true', 11],
      ['row-never-there', 13],
    ]);
  });
});

/** A proxy that counts prepared statements, because other test files use the same server. */
async function countPrepared(
  target: number,
): Promise<{ readonly port: number; readonly prepared: () => number; close(): void }> {
  const prepare = 0x16;
  let prepared = 0;
  const between = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let rest = Buffer.alloc(0);
    client.on('data', (data) => {
      upstream.write(data);
      rest = Buffer.concat([rest, data]);
      while (rest.length > 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
        if (rest[3] === 0 && rest[4] === prepare) prepared += 1;
        rest = rest.subarray(4 + rest.readUIntLE(0, 3));
      }
    });
    upstream.on('data', (data) => client.write(data));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const { port } = between.address() as AddressInfo;
  return { port, prepared: () => prepared, close: () => between.close() };
}
