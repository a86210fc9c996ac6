/** `apikiln init --from-database`: the written files pass `check` without a diagnostic, and every operation responds on the real server. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { connectServer } from '../../compiler/analyze/database/ask-server.js';
import { readMysqlTables } from '../../compiler/analyze/database/read-mysql-tables.js';
import { serverSettings } from '../../compiler/analyze/database/server-url.js';
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
    CREATE TYPE rating AS ENUM ('G', 'it''s R');
    CREATE DOMAIN year AS integer CHECK (VALUE >= 1901);
    CREATE TYPE span AS (first year, "last one" text);
    CREATE DOMAIN spans AS span[];
    CREATE TABLE language (language_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(20) NOT NULL);
    CREATE TABLE film (
      film_id serial PRIMARY KEY, title text NOT NULL, released year, language_id integer NOT NULL REFERENCES language,
      original_language_id integer REFERENCES language, rate numeric(4,2) NOT NULL DEFAULT 4.99, rating rating DEFAULT 'G',
      tags text[], shown span, showings spans, "order" integer, "odd name" jsonb, long_id bigint, last_update timestamptz NOT NULL DEFAULT now());
    CREATE TABLE actor (actor_id integer PRIMARY KEY, "name" text NOT NULL, password_hash text);
    CREATE TABLE film_actor (
      actor_id integer NOT NULL REFERENCES actor, film_id integer NOT NULL REFERENCES film, PRIMARY KEY (actor_id, film_id));
    CREATE TABLE "group" (at timestamp, value double precision, raw bytea);
    CREATE TABLE ticket (id serial PRIMARY KEY);
    CREATE TABLE cell ("limit" integer, place integer, note text, PRIMARY KEY ("limit", place));
    CREATE TABLE visit (id serial PRIMARY KEY, "limit" integer, place integer, FOREIGN KEY ("limit", place) REFERENCES cell);
    CREATE TABLE login (id serial PRIMARY KEY, token text UNIQUE);
    CREATE TABLE hit (id serial PRIMARY KEY, token text REFERENCES login (token));
    CREATE VIEW titles AS SELECT film_id, upper(title) AS title FROM film;`,
  mysql: `
    CREATE TABLE language (language_id integer AUTO_INCREMENT PRIMARY KEY, name varchar(20) NOT NULL);
    CREATE TABLE film (
      film_id integer AUTO_INCREMENT PRIMARY KEY, title text NOT NULL, released year, language_id integer NOT NULL,
      original_language_id integer, rate decimal(4,2) NOT NULL DEFAULT 4.99, rating enum('G', 'it''s R') DEFAULT 'G',
      \`order\` integer, \`odd name\` json, long_id bigint, last_update timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp,
      FOREIGN KEY (language_id) REFERENCES language (language_id), FOREIGN KEY (original_language_id) REFERENCES language (language_id));
    CREATE TABLE actor (actor_id integer PRIMARY KEY, name varchar(50) NOT NULL, password_hash varchar(99));
    CREATE TABLE film_actor (
      actor_id integer NOT NULL, film_id integer NOT NULL, PRIMARY KEY (actor_id, film_id),
      FOREIGN KEY (actor_id) REFERENCES actor (actor_id), FOREIGN KEY (film_id) REFERENCES film (film_id));
    CREATE TABLE \`group\` (at datetime, value double, raw blob);
    CREATE TABLE ticket (id integer AUTO_INCREMENT PRIMARY KEY);
    CREATE TABLE cell (\`limit\` integer, place integer, note text, PRIMARY KEY (\`limit\`, place));
    CREATE TABLE visit (id integer AUTO_INCREMENT PRIMARY KEY, \`limit\` integer, place integer, FOREIGN KEY (\`limit\`, place) REFERENCES cell (\`limit\`, place));
    CREATE TABLE login (id integer AUTO_INCREMENT PRIMARY KEY, token varchar(50) UNIQUE);
    CREATE TABLE hit (id integer AUTO_INCREMENT PRIMARY KEY, token varchar(50), FOREIGN KEY (token) REFERENCES login (token));
    CREATE VIEW titles AS SELECT film_id, upper(title) AS title FROM film;`,
};

describe.each(['postgresql', 'mysql'] as const)('%s', (kind) => {
  test.each(['a', 'b'] as const)('in syntax %s', async (syntax) => {
    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    const database = `init_tables_${syntax}`;
    await server.createDatabase(database);
    await server.exec(database, schemas[kind]);
    const { host, port, user, password } = server;
    const url = `${kind}://${user}:${password}@${host}:${port}/${database}`;
    const { status, stderr } = await space.run('init', 'films', '--syntax', syntax, '--from-database', url);
    expect(stderr.includes('npx apikiln test')).toBe(kind === 'postgresql');
    const asksForPassword = kind === 'mysql' && password !== '';
    expect(stderr.includes('It needs DB_PASSWORD, in the environment')).toBe(asksForPassword);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    for (const text of Object.values(space.files('films')))
      if (password !== '') expect(text.includes(`:${password}`), 'the password').toBe(false);
    const fine = { status: 0, stderr: 'films/config.yaml is fine.\n' };
    const unasked = await space.run('check', 'films/config.yaml');
    expect(unasked).toMatchObject(fine);
    expect(await space.run('check', 'films/config.yaml', '--database', url)).toMatchObject(fine);
    if (kind === 'postgresql')
      expect(await space.run('test', 'films/config.yaml')).toMatchObject({ status: 0 });
    expect(space.read('films/config.yaml')).toContain(
      "# Responses are without 'password_hash': the name is that of a secret.",
    );
    // The written schema creates the same tables.
    await server.createDatabase(`${database}_again`);
    await server.exec(`${database}_again`, space.read('films/schema.sql'));

    const service = await runInitService(space, 'films', server, `${database}_again`);
    try {
      const ask = async (request: string, expected: number, body?: unknown): Promise<unknown> => {
        const response = await service.ask(request, body);
        expect(response, `${request}\n${service.printed()}`).toMatchObject({ status: expected });
        return response.body;
      };
      await ask('POST /language', 201, { name: 'English' });
      const ada = { actor_id: 7, name: 'Ada' };
      expect(await ask('POST /actor', 201, { ...ada, password_hash: 'h' })).toEqual(ada);
      expect(await ask('GET /actor', 200)).toEqual({ total: 1, items: [ada], next: null });
      expect(await ask('GET /actor/7', 200)).toEqual({ ...ada, film_actor: [] });
      const film = { title: 'Kiln', language_id: 1, released: 1999, 'odd name': { a: 1 }, order: 3 };
      expect(await ask('POST /film', 201, film)).toMatchObject({
        film_id: 1,
        title: 'Kiln',
        rate: 4.99,
        rating: 'G',
        'odd name': { a: 1 },
      });
      await ask('POST /film', 400, { title: 'Kiln' });
      await ask('POST /film_actor', 201, { actor_id: 7, film_id: 1 });
      // A row generated completely by the database, a two-column key, and secret keys.
      expect(await ask('POST /ticket', 201)).toEqual({ id: 1 });
      const cell = { limit: 3, place: 4, note: 'here' };
      await ask('POST /cell', 201, cell);
      await ask('POST /visit', 201, { limit: 3, place: 4 });
      await ask('POST /visit', 201, { limit: 3, place: null });
      expect(await ask('GET /visit/1', 200)).toEqual({ id: 1, limit: 3, place: 4, cell });
      expect(await ask('GET /visit/2', 200)).toEqual({ id: 2, limit: 3, place: null, cell: null });
      expect(await ask('GET /cell/3/4', 200)).toEqual({ ...cell, visit: [{ id: 1 }] });
      await ask('POST /login', 201, { token: 'secret' });
      await ask('POST /hit', 201, { token: 'secret' });
      for (const one of ['login/1', 'hit/1']) expect(await ask(`GET /${one}`, 200)).toEqual({ id: 1 });
      await ask('POST /group', 201, { at: '2026-01-02T03:04:05', value: 1.5, raw: 'AAE=' });
      expect(await ask('GET /film/1', 200)).toMatchObject({
        ...{
          title: 'Kiln',
          order: 3,
          language: { language_id: 1, name: 'English' },
          original_language: null,
        },
        film_actor: [{ actor_id: 7 }],
      });
      expect(await ask('GET /language/1', 200)).toMatchObject({
        name: 'English',
        film_by_language: [{ title: 'Kiln' }],
        film_by_original_language: [],
      });
      expect(await ask('GET /actor/7', 200)).toMatchObject({ name: 'Ada', film_actor: [{ film_id: 1 }] });
      expect(await ask('GET /film_actor/7/1', 200)).toMatchObject({
        actor: { name: 'Ada' },
        film: { title: 'Kiln' },
      });
      for (const table of ['film', 'language', 'actor', 'film_actor', 'group', 'titles'])
        expect(await ask(`GET /${table}?limit=5`, 200)).toMatchObject({ total: 1, items: [{}] });
      expect(await ask('GET /titles?offset=1', 200)).toEqual({ total: 1, items: [] });
      await ask('POST /actor', 201, { actor_id: 8, name: 'Bo', password_hash: 'h' });
      const page = (await ask('GET /actor?sort=-name&limit=1', 200)) as { next: string };
      expect(page).toMatchObject({ total: 2, items: [{ actor_id: 8, name: 'Bo' }] });
      expect(page.next).toMatch(/^[\w-]+$/);
      expect(await ask(`GET /actor?sort=-name&limit=1&after=${page.next}`, 200)).toMatchObject({
        items: [ada],
        next: null,
      });
      await ask('GET /actor?sort=password_hash', 400);
      await ask('GET /film?limit=0', 400);
      for (const [query, total] of [
        ['language_id=1', 1],
        ['language_id=2', 0],
        ['rating=G', 1],
        ["rating=it's%20R", 0],
      ] as const)
        expect(await ask(`GET /film?${query}`, 200)).toMatchObject({ total });
      await ask('GET /film?rating=X', 400);
      expect(await ask('PUT /film/1', 200, { ...film, rating: "it's R" })).toMatchObject({
        rating: "it's R",
        rate: 4.99,
      });
      expect(await ask('PUT /actor/7', 200, { name: 'Grace' })).toEqual({ actor_id: 7, name: 'Grace' });
      const kept = 'SELECT password_hash FROM actor WHERE actor_id = 7';
      expect(await server.exec(`${database}_again`, kept)).toEqual([{ password_hash: 'h' }]);
      const patched = await ask('PATCH /film/1', 200, { order: null, long_id: 5 });
      expect(patched).toMatchObject({ title: 'Kiln', order: null, long_id: 5, rating: "it's R" });
      await ask('PATCH /film/1', 400, { title: null });
      await ask('PATCH /film/9', 404, { title: 'x' });
      expect(await ask('PUT /language/1', 200, { name: 'French' })).toMatchObject({ name: 'French' });
      await ask('PUT /language/9', 404, { name: 'French' });
      await ask('DELETE /language/1', 409);
      for (const one of ['film_actor/7/1', 'film/1', 'actor/7', 'language/1']) {
        await ask(`DELETE /${one}`, 204);
        await ask(`DELETE /${one}`, 404);
        await ask(`GET /${one}`, 404);
      }
    } finally {
      await service.stop();
    }
  });
});

test('related rows have readable names where a column is called like a table', async () => {
  const server = await sharedPostgres();
  const database = 'init_tables_names';
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE TABLE account (id integer PRIMARY KEY, post text);
    CREATE TABLE post (id integer PRIMARY KEY, account integer REFERENCES account, parent integer REFERENCES post);
    CREATE TABLE order_items (id integer PRIMARY KEY, n integer);`,
  );
  const { host, port, user, password } = server;
  const url = `postgresql://${user}:${password}@${host}:${port}/${database}`;
  expect((await space.run('init', 'made', '--from-database', url)).status).toBe(0);
  const config = space.read('made/config.yaml');
  expect(config).not.toMatch(/_2/);
  for (const name of ['account_row', 'parent_post', 'post_rows'])
    expect(config).toMatch(new RegExp(`\n {10}${name}: `));
  expect(config).toContain('message: There is no such order item\n');
  expect(config).not.toMatch(/\nsettings:/);
});

test('PostgreSQL: other schemas, keys of every type, names of every kind, secrets, rules and what triggers compute', async () => {
  const server = await sharedPostgres();
  const database = 'init_tables_odd';
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE SCHEMA "Odd Schema"; CREATE SCHEMA sales;
    CREATE TYPE sales.state AS ENUM ('open', 'in part');
    CREATE DOMAIN flag AS boolean NOT NULL DEFAULT false;
    CREATE DOMAIN sales.maybe AS sales.state;
    CREATE TYPE price_range AS RANGE (SUBTYPE = numeric);
    CREATE TABLE sales.customer (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, is_vip flag NOT NULL,
      state sales.maybe DEFAULT 'open', password text, "apiToken" text, pin varchar(4));
    CREATE UNIQUE INDEX customer_name ON sales.customer (name);
    CREATE TABLE customer (id bigserial PRIMARY KEY, of_sales integer REFERENCES sales.customer, by_name text REFERENCES sales.customer (name));
    CREATE TABLE sales (id integer PRIMARY KEY, note text);
    CREATE TABLE "Odd Schema"."Order Line" ("Order Id" integer, "Line No" smallint, period price_range, spot point, doc xml, bits bit(4),
      total integer GENERATED ALWAYS AS ("Line No" * 2) STORED, "select" text, "it's" text, PRIMARY KEY ("Order Id", "Line No"));
    CREATE TABLE doc (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title text NOT NULL, words tsvector NOT NULL);
    CREATE TRIGGER words BEFORE INSERT OR UPDATE ON doc FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger('words', 'pg_catalog.english', 'title');
    CREATE TABLE session (token text PRIMARY KEY, customer integer);
    CREATE TABLE secrets (secret text);
    CREATE TABLE ruled (id integer PRIMARY KEY, v text);
    CREATE RULE none AS ON INSERT TO ruled WHERE NEW.v = 'x' DO INSTEAD NOTHING;
    CREATE TABLE measure (at timestamptz, sensor integer, v real, PRIMARY KEY (at, sensor)) PARTITION BY RANGE (at);
    CREATE TABLE measure_1 PARTITION OF measure FOR VALUES FROM ('2000-01-01') TO ('2100-01-01');
    CREATE TABLE json_key (x jsonb PRIMARY KEY, v text);
    CREATE TABLE place_only (spot point, x integer);
    CREATE TABLE switch ("on" boolean PRIMARY KEY);
    CREATE TABLE switched (switch boolean REFERENCES switch, marks jsonb);
    CREATE TABLE nothing ();
    CREATE VIEW sales.vips AS SELECT * FROM sales.customer WHERE is_vip;`,
  );
  const { host, port, user, password } = server;
  const url = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  const { status, stderr } = await space.run('init', 'made', '--from-database', url);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('Requests need the header X-Api-Key');
  expect(space.mode('made/.env')).toBe(0o600);
  expect(await space.run('check', 'made/config.yaml')).toMatchObject({
    stderr: 'made/config.yaml is fine.\n',
  });
  expect(await space.run('test', 'made/config.yaml')).toMatchObject({ status: 0 });
  const config = space.read('made/config.yaml');
  for (const left of [
    "'session' has no operations: the name of its key 'token' is that of a secret.",
    "'secrets' has no operations: the names of all of its columns are those of secrets.",
  ])
    expect(config).toContain(`\n  # ${left}\n`);
  const service = await runInitService(space, 'made', server, database);
  try {
    const ask = async (request: string, expected: number, body?: unknown): Promise<unknown> => {
      const response = await service.ask(request, body);
      expect(response, `${request}\n${service.printed()}`).toMatchObject({ status: expected });
      return response.body;
    };
    const ann = { name: 'Ann', is_vip: true, state: 'in part' };
    const secrets = { password: 'p', apiToken: 't', pin: '1' };
    expect(await ask('POST /sales_2/customer', 201, { ...ann, ...secrets })).toEqual({ id: 1, ...ann });
    expect(await ask('GET /sales_2/customer?state=in%20part&is_vip=true', 200)).toMatchObject({ total: 1 });
    expect(await ask('GET /sales_2/vips?is_vip=false', 200)).toMatchObject({ total: 0 });
    expect(await ask('PATCH /sales_2/customer/1', 200, { state: 'open' })).toMatchObject({ state: 'open' });
    await ask('POST /customer', 201, { of_sales: 1, by_name: 'Ann' });
    expect(await ask('GET /sales_2/customer/1', 200)).toMatchObject({
      customer_by_of_sales: [{ by_name: 'Ann' }],
    });
    await ask('POST /sales', 201, { id: 1, note: 'n' });
    const line = { 'Order Id': 1, 'Line No': 2, period: '[1,2)', spot: '(1,2)', doc: '<a/>', bits: '1010' };
    const words = { select: 's', "it's": 'i' };
    await ask('POST /Odd-Schema/Order-Line', 201, { ...line, ...words });
    const set = { spot: '(3,4)', doc: '<b/>', bits: '0001', "it's": null };
    const changed = { ...line, ...words, ...set, total: 4 };
    expect(await ask('PATCH /Odd-Schema/Order-Line/1/2', 200, set)).toEqual(changed);
    const doc = (await ask('POST /doc', 201, { title: 'hello' })) as { id: string };
    expect(await ask(`GET /doc/${doc.id}`, 200)).toEqual({ id: doc.id, title: 'hello' });
    await ask('POST /ruled', 405, { id: 1 });
    await ask('GET /ruled', 200);
    await ask('POST /measure', 201, { at: '2001-02-03T04:05:06Z', sensor: 1, v: 2.5 });
    expect(await ask('PATCH /measure/2001-02-03T04:05:06Z/1', 200, { v: 3 })).toMatchObject({ v: 3 });
    await ask('POST /json_key', 201, { x: { a: 1 } });
    expect(await ask('GET /json_key/%7B%22a%22%3A%201%7D', 200)).toMatchObject({ x: { a: 1 } });
    await ask('GET /place_only', 200);
    await ask('POST /switch', 201, { on: true });
    await ask('POST /switched', 201, { switch: true, marks: [1] });
    expect(await ask('GET /switch/true', 200)).toEqual({ on: true, switched: [{ marks: [1] }] });
    expect(service.printed()).not.toContain('"level":"error"');
  } finally {
    await service.stop();
  }
});

test('PostgreSQL: a password is not written, and its variable is named', async () => {
  const server = await sharedPostgres();
  const database = 'init_tables_password';
  await server.createDatabase(database);
  await server.exec(database, 'CREATE TABLE thing (id integer PRIMARY KEY);');
  const { host, port, user } = server;
  const password = server.password === '' ? 'hunter2' : server.password;
  const address = `${host}:${port}/${database}?prepareThreshold=0`;
  const url = `postgresql://${user}:${encodeURIComponent(password)}@${address}`;
  const { status, stderr } = await space.run('init', 'made', '--from-database', url);
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('To reach the server, a service needs DB_PASSWORD, in') as string,
  });
  const all = Object.values(space.files('made')).join('\n');
  expect(all).toContain('password: ${DB_PASSWORD}\n');
  expect(all, 'what the URL says of the connection').toContain(`jdbc:postgresql://${address}`);
  expect(all).not.toContain('hunter2');
  expect(all).toMatch(/\nAPI_KEY=|^API_KEY=/m);
  expect(await space.run('test', 'made/config.yaml')).toMatchObject({ status: 0 });
});

test('PostgreSQL: functions, aggregates and triggers are copied; what needs another schema is left out', async () => {
  const server = await sharedPostgres();
  const database = 'init_tables_functions';
  await server.createDatabase(database);
  await server.exec(
    database,
    `SET check_function_bodies = off;
    CREATE TYPE mood AS ENUM ('calm', 'wild');
    CREATE FUNCTION is_mail(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT $1 LIKE '%@%' $$;
    CREATE DOMAIN mail AS text CHECK (is_mail(VALUE));
    CREATE FUNCTION next_code() RETURNS text LANGUAGE sql AS $$ SELECT 'c' || count(*) FROM person $$;
    CREATE TABLE person (id integer PRIMARY KEY, mail mail NOT NULL, mood mood, code text DEFAULT next_code(), changed integer);
    CREATE FUNCTION calm_people() RETURNS SETOF person LANGUAGE sql STABLE AS $$ SELECT * FROM person WHERE mood = 'calm' $$;
    CREATE FUNCTION "add Text"(text, text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce($1 || '+', '') || $2 $$;
    CREATE FUNCTION shout(text) RETURNS text LANGUAGE sql AS $$ SELECT upper($1) $$;
    CREATE AGGREGATE texts(text) (SFUNC = "add Text", STYPE = text, FINALFUNC = shout);
    CREATE VIEW calm AS SELECT texts(shout(mail)) AS mails FROM calm_people();
    CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.changed = coalesce(OLD.changed, 0) + 1; RETURN NEW; END $$;
    CREATE TRIGGER count_change BEFORE UPDATE ON person FOR EACH ROW EXECUTE FUNCTION count_change();
    CREATE SCHEMA other; CREATE TABLE other.thing (id integer);
    CREATE FUNCTION things() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM other.thing; END;
    CREATE VIEW counted AS SELECT things() AS things;`,
  );
  const { host, port, user, password } = server;
  const url = `postgresql://${user}:${password}@${host}:${port}/${database}?currentSchema=public`;
  const { status, stderr } = await space.run('init', 'made', '--open', '--from-database', url);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(space.exists('made/.env')).toBe(false);
  expect(stderr).toContain(`Left out, because the copy of the schema cannot hold them:
  function things(): relation "other.thing" does not exist
  view counted: function things() does not exist
`);
  expect(space.read('made/config.yaml')).not.toContain('counted');
  expect(await space.run('check', 'made/config.yaml')).toMatchObject({
    stderr: 'made/config.yaml is fine.\n',
  });
  space.write(
    'made/own.yaml',
    `tests:
  - name: views, defaults and triggers are as they were
    steps:
      - { name: add, request: POST /person, body: { id: 1, mail: a@b, mood: calm }, response: { bodyIncludes: { code: c0 } } }
      - { name: wrong, request: POST /person, body: { id: 2, mail: none }, response: { statuscode: 400 } }
      - { name: change, request: PUT /person/1, body: { mail: c@d, mood: calm }, response: { bodyIncludes: { changed: 1 } } }
      - { name: read, request: GET /calm, response: { bodyIncludes: { items: [{ mails: C@D }] } } }
`,
  );
  const tested = await space.run('test', 'made/config.yaml', '--tests', 'made/own.yaml');
  expect(tested).toMatchObject({ status: 0 });
});

test('PostgreSQL: what leaves a setting on its connection gets a transaction, and check is fine', async () => {
  const server = await sharedPostgres();
  const database = 'init_tables_settings';
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE TABLE note (id int PRIMARY KEY, v text);
    CREATE TABLE plain (id int PRIMARY KEY, v text);
    CREATE FUNCTION put(n text, v text) RETURNS text LANGUAGE sql AS $$ SELECT set_config(n, v, false) $$;
    CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM put('app.note', new.v); RETURN new; END $$;
    CREATE TRIGGER noted BEFORE INSERT OR UPDATE ON note FOR EACH ROW EXECUTE FUNCTION noted();
    CREATE VIEW noting AS SELECT put('app.note', v) AS x FROM plain;`,
  );
  const { host, port, user, password } = server;
  const url = `postgresql://${user}:${password}@${host}:${port}/${database}`;
  const { status, stderr } = await space.run('init', 'settings', '--open', '--from-database', url);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).not.toContain('`check`');
  expect(await space.run('check', 'settings/config.yaml')).toMatchObject({
    stderr: 'settings/config.yaml is fine.\n',
  });
  const config = parse(space.read('settings/config.yaml')) as {
    operations: Record<string, { transaction?: boolean }>;
  };
  const inTransaction = Object.keys(config.operations).filter(
    (name) => config.operations[name]?.transaction === true,
  );
  expect(inTransaction).toEqual([
    'POST /note',
    'PUT /note/{id}',
    'PATCH /note/{id}',
    'DELETE /note/{id}',
    'GET /noting',
  ]);
});

test.each([
  [
    'postgresql',
    `CREATE TABLE item (id varchar(5) DEFAULT '' PRIMARY KEY, v varchar(8) NOT NULL DEFAULT '', w char(3), n numeric(20,0), m numeric(8,2),
      s smallint NOT NULL DEFAULT 3, b bytea, a varchar(3)[], d date)`,
    {
      id: { type: 'string', maxLength: 5, minLength: 1 },
      v: { type: 'string', maxLength: 8 },
      w: { type: ['string', 'null'], maxLength: 3 },
      n: { type: ['integer', 'string', 'null'] },
      m: { type: ['number', 'null'] },
      s: { type: 'integer', minimum: -32768, maximum: 32767 },
      b: { type: ['string', 'null'], contentEncoding: 'base64' },
      a: { type: ['array', 'null'], items: { type: ['string', 'array', 'null'], items: {} } },
      d: { type: ['string', 'null'], format: 'date' },
    },
  ],
  [
    'mysql',
    `CREATE TABLE item (id varchar(5) DEFAULT '' PRIMARY KEY, v varchar(8) NOT NULL DEFAULT '', w char(3), n decimal(20,0), t tinyint, tb tinyint(1),
      mi mediumint unsigned, i int NOT NULL DEFAULT 1, b varbinary(8), d date, ts timestamp NULL, e enum('a', 'b') NOT NULL DEFAULT 'a')`,
    {
      id: { type: 'string', maxLength: 5, minLength: 1 },
      v: { type: 'string', maxLength: 8 },
      w: { type: ['string', 'null'], maxLength: 3 },
      n: { type: ['integer', 'string', 'null'] },
      t: { type: ['integer', 'null'], minimum: -128, maximum: 127 },
      tb: { type: ['boolean', 'null'] },
      mi: { type: ['integer', 'null'], minimum: 0, maximum: 16777215 },
      i: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
      b: { type: ['string', 'null'], contentEncoding: 'base64' },
      d: { type: ['string', 'null'], format: 'date' },
      ts: { type: ['string', 'null'], format: 'date-time' },
      e: { type: 'string', enum: ['a', 'b'] },
    },
  ],
] as const)(
  '%s: bodies have the lengths, bounds and formats of the columns',
  async (kind, table, expected) => {
    const server = kind === 'postgresql' ? await sharedPostgres() : await sharedMariadb();
    const database = 'init_tables_limits';
    await server.createDatabase(database);
    await server.exec(database, table);
    const { host, port, user, password } = server;
    const url = `${kind}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
    const { status, stderr } = await space.run('init', 'limits', '--open', '--from-database', url);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    interface Body {
      readonly requestBody: { content: { 'application/json': { schema: { properties: unknown } } } };
    }
    const { paths } = parse(space.read('limits/openapi.yaml')) as { paths: Record<string, { post: Body }> };
    const { schema } = paths['/item']?.post.requestBody.content['application/json'] ?? {};
    // An empty key would be a row that no path can address.
    expect(schema).toMatchObject({ required: ['id'] });
    expect(schema?.properties).toEqual(expected);
  },
);

test('MySQL: keys that the database makes, bytes as keys, sequences and defaults of every kind', async () => {
  const server = await sharedMariadb();
  const database = 'init_tables_keys';
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE SEQUENCE numbers START WITH 100 INCREMENT BY 10;
    CREATE TABLE node (
      id binary(16) NOT NULL PRIMARY KEY DEFAULT (unhex(replace(uuid(), '-', ''))), parent binary(16) REFERENCES node (id), name varchar(20));
    CREATE TABLE slot (code varchar(10) NOT NULL DEFAULT 'std', place int NOT NULL DEFAULT 1, note text, PRIMARY KEY (code, place));
    CREATE TABLE item (
      id bigint NOT NULL PRIMARY KEY DEFAULT (nextval(numbers)), raw varbinary(9) NOT NULL DEFAULT 'x', flags bit(8) NOT NULL DEFAULT b'1',
      active bit(1) NOT NULL DEFAULT b'1', meta json NOT NULL DEFAULT '{}');
    CREATE TABLE place (id int AUTO_INCREMENT PRIMARY KEY, location geometry NOT NULL, area polygon, kinds set('a', 'b'), SPATIAL KEY (location));`,
  );
  const { host, port, user, password } = server;
  const url = `mariadb://${user}:${password}@${host}:${port}/${database}`;
  const { status, stderr } = await space.run('init', 'keys', '--from-database', url);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(space.read('keys/config.yaml')).not.toContain('/numbers');
  expect(space.read('keys/schema.sql')).not.toContain(database);
  await server.createDatabase(`${database}_again`);
  await server.exec(`${database}_again`, space.read('keys/schema.sql'));
  const service = await runInitService(space, 'keys', server, `${database}_again`);
  try {
    const ask = async (request: string, expected: number, body?: unknown): Promise<unknown> => {
      const response = await service.ask(request, body);
      expect(response, `${request}\n${service.printed()}`).toMatchObject({ status: expected });
      return response.body;
    };
    const root = (await ask('POST /node', 201, { name: 'root' })) as { id: string };
    expect(await ask('POST /node', 201, { name: 'leaf', parent: root.id })).toMatchObject({
      parent: root.id,
    });
    const path = `/node/${encodeURIComponent(root.id)}`;
    expect(await ask(`GET ${path}`, 200)).toMatchObject({ name: 'root', node: [{ name: 'leaf' }] });
    expect(await ask(`PUT ${path}`, 200, { name: 'top' })).toMatchObject({ id: root.id, name: 'top' });
    await ask('GET /node/none', 404);
    expect(await ask('POST /slot', 201, { note: 'a' })).toEqual({ code: 'std', place: 1, note: 'a' });
    const item = { raw: 'YWI=', flags: '00000011', meta: 'text' };
    expect(await ask('POST /item', 201, item)).toEqual({ id: 100, ...item, active: true });
    const place = { location: 'POINT(1 2)', area: 'POLYGON((0 0,1 0,1 1,0 0))', kinds: 'a,b' };
    expect(await ask('POST /place', 201, place)).toEqual({ id: 1, ...place });
    const moved = { ...place, id: 1, location: 'POINT(3 4)', area: null };
    expect(await ask('PATCH /place/1', 200, { location: 'POINT(3 4)', area: null })).toEqual(moved);
    expect(await ask('GET /place?sort=-id', 200)).toMatchObject({ items: [moved] });
    expect(await ask('POST /item', 201, { ...item, active: false })).toMatchObject({
      id: 110,
      active: false,
    });
  } finally {
    await service.stop();
  }
});

test('MySQL: the schema has the quotes of the default mode, whatever mode the server has', async () => {
  const server = await sharedMariadb();
  const database = 'init_tables_mode';
  await server.createDatabase(database);
  await server.exec(database, `CREATE TABLE \`a"b\\\` (id int PRIMARY KEY, name varchar(9) DEFAULT 'x\\\\')`);
  const { host, port, user, password } = server;
  const url = `mariadb://${user}:${password}@${host}:${port}/${database}`;
  const of = { name: 'database', dialect: 'mysql', schema: undefined } as const;
  const connection = await connectServer('mysql', serverSettings(of, url, {}).settings);
  try {
    // Sessions of a server with these modes start like this.
    await connection.query("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    const { schema: objects } = await readMysqlTables(connection);
    const schema = objects.map(({ sql }) => sql).join('\n');
    expect(schema).toContain('CREATE TABLE `a"b\\` (\n  `id`');
    await server.createDatabase(`${database}_again`);
    await server.exec(`${database}_again`, schema);
  } finally {
    await connection.end();
  }
});

test('a URL of nothing known, and a server that is not there', async () => {
  expect(await space.run('init', '--from-database', 'oracle://localhost/x')).toMatchObject({ status: 2 });
  const { status, stderr } = await space.run('init', '--from-database', 'postgresql://me@127.0.0.1:1/x');
  expect({ status, stderr }).toMatchObject({
    status: 4,
    stderr: expect.stringContaining("The database 'x' at 127.0.0.1:1") as string,
  });
  expect(space.files()).toEqual({});
});
