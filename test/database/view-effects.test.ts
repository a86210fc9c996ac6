/**
 * READs of views whose queries change data: they are not retried and not sent on shared connections, and state left in the session is an
 * error.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { viewEffectsIn } from '../../compiler/read/sql/facts/view-effects.js';
import { wholeText } from '../../compiler/read/source.js';
import { read } from '../sql/reading.js';
import { Workspace } from '../commands/workspace.js';

let space: Workspace;

beforeAll(() => {
  space = new Workspace();
});

afterAll(() => {
  space.remove();
});

const schema = `
  CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, at timestamptz);
  CREATE FUNCTION noted(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
  CREATE VIEW v_plain AS SELECT id, left(name, 3) AS start, substring(name FROM 2) AS rest, coalesce(at, now()) AS at
    FROM item WHERE id = ANY (ARRAY[1, 2]) AND name LIKE 'a%';
  CREATE VIEW v_set AS SELECT set_config('search_path', 'pg_catalog', false) AS x;
  CREATE VIEW a_over_set AS SELECT x FROM v_set;
  CREATE VIEW v_note AS SELECT noted(id) AS id FROM item;
  CREATE FUNCTION set_tenant(x text) RETURNS text LANGUAGE sql AS $$SELECT set_config('app.tenant', $1, false)$$;
  CREATE FUNCTION note_tenant(x text) RETURNS void LANGUAGE plpgsql AS
    $$DECLARE done text; BEGIN IF x <> '' THEN done := set_tenant(x); END IF; END$$;
  CREATE FUNCTION set_zone() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN SET timezone = 'UTC'; RETURN new; END$$;
  CREATE FUNCTION of_transaction(x text) RETURNS text LANGUAGE plpgsql AS
    $$BEGIN SET LOCAL timezone = 'UTC'; RETURN set_config('app.tenant', coalesce(x, ''), true); END$$;
  CREATE VIEW v_tenant AS SELECT set_tenant(name) AS x FROM item;
  CREATE TABLE watched (id int);
  CREATE TRIGGER zone BEFORE INSERT ON watched FOR EACH ROW EXECUTE FUNCTION set_zone();
  CREATE MATERIALIZED VIEW v_kept AS SELECT noted(id) AS id FROM item;
`;

function operation(query: string, transaction = false): object {
  return {
    ...(transaction ? { transaction } : {}),
    fulfillments: [{ name: 'row', type: 'READ', datasource: 'db', instructions: [{ query }] }],
    responses: [{ name: 'ok', default: true, statuscode: 200, schema: { rows: 'VALUE(row, $)' } }],
  };
}

function write(operations: Readonly<Record<string, object>>): void {
  space.write('schema.sql', schema);
  const datasources = { db: { type: 'db', url: 'jdbc:postgresql://localhost/a' } };
  space.write('config.yaml', stringify({ specification: '1.0', operations, datasources }));
}

describe('PostgreSQL', () => {
  test('a setting that stays is an error, also by a view of a view', async () => {
    write({
      'GET /a': operation('SELECT x FROM v_set'),
      'GET /b': operation('SELECT x FROM a_over_set'),
      'GET /c': operation('SELECT x FROM v_set', true),
    });
    const { stdout, stderr } = await space.run('check');
    const output = stdout + stderr;
    expect(output.match(/error set_config in the view '\w+' changes the state of the connection/g)).toEqual([
      "error set_config in the view 'v_set' changes the state of the connection",
      "error set_config in the view 'a_over_set' changes the state of the connection",
    ]);
    expect(output).not.toContain('useless-transaction');
  });

  test('a setting that a function of the author leaves is an error, also by other functions, views and triggers', async () => {
    const insert = operation('INSERT INTO watched (id) VALUES (1)');
    Object.assign(insert, {
      fulfillments: [
        {
          name: 'row',
          type: 'UPDATE',
          datasource: 'db',
          instructions: [{ query: 'INSERT INTO watched (id) VALUES (1)' }],
        },
      ],
    });
    write({
      'GET /direct': operation("SELECT set_tenant('a') AS x"),
      'GET /other': operation("SELECT note_tenant('a') AS x"),
      'GET /view': operation('SELECT x FROM v_tenant'),
      'POST /trigger': insert,
      'GET /local': operation("SELECT of_transaction('a') AS x", true),
      'GET /watched': operation('SELECT id FROM watched'),
    });
    const { stdout, stderr } = await space.run('check');
    const output = stdout + stderr;
    expect(output.match(/error \w+ in the \w+ '\w+' changes the state of the connection/g)).toEqual([
      "error set_config in the function 'set_tenant' changes the state of the connection",
      "error set_config in the function 'note_tenant' changes the state of the connection",
      "error set_config in the view 'v_tenant' changes the state of the connection",
      "error SET in the function 'set_zone' changes the state of the connection",
    ]);
  });

  test('a transaction with such a function ends its connection', async () => {
    write({
      'GET /tenant': operation("SELECT set_tenant('a') AS x", true),
      'GET /view': operation('SELECT x FROM v_set', true),
      'GET /local': operation("SELECT of_transaction('a') AS x", true),
    });
    const { status, stderr } = await space.run('build', '--out', 'ended');
    expect(status, stderr).toBe(0);
    const ended = ['tenant', 'view', 'local'].filter((name) =>
      space.read(`ended/src/operations/get-${name}.ts`).includes('changesSession: true'),
    );
    expect(ended).toEqual(['tenant', 'view']);
  });

  test('a function of the author is not repeated', async () => {
    write({
      'GET /plain': operation('SELECT id, start, rest, at FROM v_plain'),
      'GET /note': operation('SELECT id FROM v_note'),
      'GET /kept': operation('SELECT id FROM v_kept'),
      'GET /item': operation('SELECT id FROM item'),
    });
    const { status, stderr } = await space.run('build', '--out', 'service');
    expect(status, stderr).toBe(0);
    const repeated = ['plain', 'note', 'kept', 'item'].filter(
      (name) => !space.read(`service/src/operations/get-${name}.ts`).includes('retry: false'),
    );
    expect(repeated).toEqual(['plain', 'kept', 'item']);
  });
});

test.each([
  ['BEGIN RESET app.tenant; END', [{ view: 'touch', isFunction: true, leaves: 'RESET' }]],
  ["BEGIN SET LOCAL app.tenant = 'a'; END", []],
])('a function whose body is %s', (body, expected) => {
  const { statement } = read('postgresql READ query', wholeText('query', 'SELECT touch()'));
  if (statement === undefined) throw new Error('The statement is not there.');
  expect(viewEffectsIn([{ name: 'touch', body }], 'postgresql')(statement)).toEqual(expected);
});

test('MariaDB', () => {
  const { statement } = read(
    'mysql READ query',
    wholeText('query', 'SELECT x FROM `v_set` JOIN item USING (id)'),
  );
  if (statement === undefined) throw new Error('The statement is not there.');
  const item =
    'select `shop`.`item`.`id` AS `id`,ifnull(`shop`.`item`.`n`,0) AS `n` from (`shop`.`item` join `shop`.`b` on(1 = 1))';
  expect(
    viewEffectsIn(
      [
        { name: 'item', query: item },
        { name: 'v_set', query: 'select `shop`.`set_tenant`(1) AS `x`' },
        { name: 'other', query: "select get_lock('a',0) AS `x`" },
      ],
      'mysql',
    )(statement),
  ).toEqual([{ view: 'v_set' }]);
  const lock = [{ name: 'V_Set', query: "select get_lock('a',0) AS `x`" }];
  expect(viewEffectsIn(lock, 'mysql')(statement)).toEqual([{ view: 'V_Set', leaves: 'get_lock()' }]);
});

test('each view and function is read once, whatever the number of statements', () => {
  const { statement } = read('postgresql READ query', wholeText('query', 'SELECT touch() FROM a.v_set'));
  if (statement === undefined) throw new Error('The statement is not there.');
  let reads = 0;
  const touch = {
    name: 'touch',
    get body() {
      reads++;
      return 'BEGIN RESET app.tenant; END';
    },
  };
  const view = { name: 'a.v_set', query: "SELECT set_config('a.b', '', false) AS x" };
  const effects = viewEffectsIn([touch, view], 'postgresql');
  const first = reads;
  for (let count = 0; count < 3; count++)
    expect(effects(statement)).toEqual([
      { view: 'touch', isFunction: true, leaves: 'RESET' },
      { view: 'a.v_set', leaves: 'set_config' },
    ]);
  expect(reads).toBe(first);
});
