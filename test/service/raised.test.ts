/**
 * Refusals by a database rule (RAISE, SIGNAL), for all ways in which statements run: one status, one message, no change, and the rule in
 * the log.
 */
import { expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { filesOf } from '../emit/compile-text.js';
import { kinds, sharedServer } from './services.js';

const schemas = {
  postgresql: `
    CREATE TABLE line (n int PRIMARY KEY, note text);
    CREATE FUNCTION rule() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.n >= 100 THEN RAISE EXCEPTION 'Line of % is closed', new.note USING ERRCODE = CASE new.n WHEN 100 THEN 'P0001' ELSE 'PT' || new.n END; END IF;
      RETURN new; END $$;
    CREATE TRIGGER rule BEFORE INSERT ON line FOR EACH ROW EXECUTE FUNCTION rule();
    CREATE FUNCTION refuse(n int, v text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Line of % is closed', v; END $$;
    CREATE TABLE late (n int, note text);
    CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Late of %', new.note; END $$;
    CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late();`,
  mariadb: `
    CREATE TABLE line (n int PRIMARY KEY, note varchar(40));
    CREATE TRIGGER rule BEFORE INSERT ON line FOR EACH ROW BEGIN
      DECLARE m varchar(80) DEFAULT concat('Line of ', new.note, ' is closed');
      IF new.n = 100 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = m; END IF;
      IF new.n = 409 THEN SIGNAL SQLSTATE 'PT409' SET MESSAGE_TEXT = m; END IF;
      IF new.n = 503 THEN SIGNAL SQLSTATE 'PT503' SET MESSAGE_TEXT = m; END IF;
    END;
    CREATE FUNCTION refuse(n int, v varchar(40)) RETURNS int BEGIN
      DECLARE m varchar(80) DEFAULT concat('Line of ', v, ' is closed');
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = m; RETURN 1;
    END;
    CREATE TABLE late (n int, note varchar(40));`,
};

const insert = 'INSERT INTO line (n, note) VALUES (:[BODY($.n)], :[BODY($.note)])';

function step(name: string, query: string): object {
  return { name, type: 'UPDATE', datasource: 'db', instructions: [{ query }] };
}

function operation(fulfillments: readonly object[], more: object = {}): object {
  return { ...more, fulfillments, responses: [{ name: 'ok', default: true, statuscode: 204 }] };
}

const first = step('first', "INSERT INTO line (n, note) VALUES (1, 'first')");
const each = step('each', 'INSERT INTO line (n, note) VALUES (:[VALUE(n, $)], :[BODY($.note)])');
const loop = (more: object = {}): object => ({
  ...{ name: 'n', type: 'LOOP', loop: 'BODY($.all)', ...more },
  fulfillments: [each],
});

const operations = {
  'POST /plain': operation([step('plain', insert)]),
  'POST /transaction': operation([first, step('plain', insert)], { transaction: true }),
  'POST /loop': operation([loop()], { transaction: true }),
  'POST /concurrent': operation([loop({ concurrency: 4 })]),
  'POST /stream': {
    fulfillments: [
      {
        ...{ name: 'rows', type: 'READ', datasource: 'db' },
        instructions: [{ query: 'SELECT n, refuse(n, :[BODY($.note)]) AS x FROM line' }],
      },
    ],
    responses: [
      {
        ...{ name: 'ok', default: true, statuscode: 200, contentType: 'application/x-ndjson' },
        schema: 'VALUE(rows, $)',
      },
    ],
  },
  'POST /late': operation([step('late', insert.replace('line', 'late'))], { transaction: true }),
};

test.each(kinds)('%s', { timeout: 120_000 }, async (kind) => {
  const server = await sharedServer[kind]();
  const database = 'raised';
  await server.createDatabase(database);
  await server.exec(database, schemas[kind]);
  const files = await filesOf({
    specification: '1.0',
    operations,
    datasources: { db: { type: 'db', url: server.jdbcUrl(database) } },
  });
  const folder = translateServices(`raised-${kind}`, [{ name: 'service', files }]).get('service') ?? '';
  const service = await RunningService.start(folder, {
    DATASOURCE_DB_USER: server.user,
    DATASOURCE_DB_PASSWORD: server.password,
    LOG_FORMAT: 'json',
  });
  const ask = async (path: string, body: object): Promise<unknown[]> => {
    const response = await fetch(`${service.url}/${path}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(body),
    });
    return [response.status, await response.text()];
  };
  const refused = '{"message":"The database refuses the request"}';
  const note = 'canary-5471';
  try {
    expect(await ask('plain', { n: 100, note })).toEqual([400, refused]);
    expect(await ask('plain', { n: 409, note })).toEqual([409, refused]);
    expect(await ask('plain', { n: 503, note })).toEqual([500, '{"message":"Internal server error"}']);
    expect(await ask('transaction', { n: 100, note })).toEqual([400, refused]);
    expect(await ask('loop', { all: [7, 100, 8], note })).toEqual([400, refused]);
    expect(await ask('concurrent', { all: [100, 100, 409], note })).toEqual([
      expect.toBeOneOf([400, 409]),
      refused,
    ]);
    if (kind === 'postgresql') expect(await ask('late', { n: 1, note })).toEqual([400, refused]);
    // All changes have been rolled back, and the connections still work.
    expect(await ask('plain', { n: 2, note: 'second' })).toEqual([204, '']);
    expect(await server.exec(database, 'SELECT n FROM line')).toEqual([{ n: 2 }]);
    expect(await ask('stream', { note })).toEqual([400, refused]);
    // Log lines may arrive after the responses.
    const reasons = () => service.printed.match(/"reason":"Line of \*\*\* is closed"/g)?.length;
    await expect.poll(reasons, { timeout: 5000 }).toBe(7);
    const log = service.printed;
    if (kind === 'postgresql') expect(log).toContain('"reason":"PL/pgSQL function late() line 1 at RAISE"');
    expect(log).not.toContain(note);
  } finally {
    await service.stop();
  }
});
