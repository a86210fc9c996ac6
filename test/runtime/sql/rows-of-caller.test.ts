/** Datasources with a context and a role on a real server: each statement sees its caller's rows, and the session is clean afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { get, type Json, type Row } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller, type RowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { TickLedger } from '../../../runtime/schedule/ledger.js';
import type { StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { open as openDatasource, read } from './open-datasource.js';

const database = 'rows_of_caller';
const role = 'rows_of_caller_user';
const settings = { 'app.tenant': (call: Call) => get(call.caller, 'tenant') };

let server: AttachedServer;
let shop: DatabaseDatasource;
let owner: DatabaseDatasource;

beforeAll(async () => {
  server = await sharedPostgres();
  await server.createDatabase(database);
  await server.exec(
    database,
    `DROP ROLE IF EXISTS ${role};
     CREATE ROLE ${role} NOLOGIN;
     CREATE TABLE project (id int PRIMARY KEY, tenant text NOT NULL, name text);
     INSERT INTO project SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, 'project' || i FROM generate_series(1, 10) AS i;
     ALTER TABLE project ENABLE ROW LEVEL SECURITY;
     CREATE POLICY own ON project USING (tenant = current_setting('app.tenant', true));
     CREATE TABLE message (id int PRIMARY KEY, tenant text NOT NULL);
     ALTER TABLE message ENABLE ROW LEVEL SECURITY;
     CREATE POLICY send ON message FOR INSERT WITH CHECK (true);
     CREATE POLICY own ON message FOR SELECT USING (tenant = current_setting('app.tenant', true));
     CREATE PROCEDURE add_twice(one int, two int) LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO project VALUES (one, current_setting('app.tenant'), current_user);
       COMMIT;
       INSERT INTO project VALUES (two, 'b', current_user);
     END $$;
     CREATE PROCEDURE add_once(one int) LANGUAGE sql AS $$
       INSERT INTO project VALUES (one, current_setting('app.tenant'), current_user)
     $$;
     GRANT SELECT, INSERT, UPDATE, DELETE ON project, message TO ${role};
     CREATE TABLE secret (id int);`,
  );
  shop = open({ settings, role });
  owner = openDatasource(postgres({ name: 'owner' }), server, database);
});

afterAll(() => Promise.all([shop, owner].map((one) => one.close(performance.now()))));

function open(rows: RowsOfCaller, max = 10): DatabaseDatasource {
  const shop = postgres({ name: 'shop', pool: { max }, context: rowsOfCaller(rows) });
  return openDatasource(shop, server, database);
}

/** Reads as the owner, who sees all rows. */
function outside(sql: string): Promise<Row[]> {
  return read(owner, sql);
}

function callOf(tenant: Json): Call {
  return { ...testCall(), caller: tenant === null ? null : { tenant } };
}

function statement(sql: string, more: Partial<StatementDefinition> = {}): StatementDefinition {
  return { operation: 'GET /test', fulfillment: 'rows', sql, ...more };
}

const all = 'SELECT id, tenant, current_user AS role FROM project ORDER BY id';

async function failure(result: Promise<unknown>): Promise<ServiceError> {
  try {
    await result;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

function tenantsOf(rows: readonly Row[]): unknown[] {
  return [...new Set(rows.map((row) => row['tenant']))];
}

test('the ledger of timers claims as the user: a tick has no caller', async () => {
  const ledger = new TickLedger(shop, pino({ level: 'silent' }));
  const isReady = await Promise.race([ledger.open().then(() => true), delay(4_000, false)]);
  expect(isReady).toBe(true);
  const nightly = { operation: 'nightly', trigger: 'at night' };
  expect(await ledger.claim(nightly, new Date('2024-01-01T03:00:00Z'))).toBe(true);
  expect(await ledger.claim(nightly, new Date('2024-01-01T03:00:00Z'))).toBe(false);
  ledger.close();
});

describe('a statement outside of a transaction', () => {
  test('sees the rows of its caller, as the role', async () => {
    const select = shop.read(statement(all));
    for (const tenant of ['a', 'b', 'a']) {
      const rows = await select(callOf(tenant));
      expect(rows).toHaveLength(5);
      expect(tenantsOf(rows)).toEqual([tenant]);
      expect(rows[0]?.['role']).toBe(role);
    }
  });

  test('leaves nothing on its connection', async () => {
    const rows = rowsOfCaller({ settings, role });
    const nothing = { text: 'SELECT 1', values: [] };
    const context = { ...rows, of: (call: Call) => (call.caller === null ? nothing : rows.of(call)) };
    const one = openDatasource(postgres({ name: 'one', pool: { max: 1 }, context }), server, database);
    const left = one.read(
      statement(`SELECT current_setting('app.tenant', true) AS tenant, current_user AS role`),
    );
    expect(await left(callOf('b'))).toEqual([{ tenant: 'b', role }]);
    expect(await left(callOf(null))).toEqual([{ tenant: '', role: server.user }]);
    await inTransaction(callOf('b'), (call) => left(call));
    expect(await left(callOf(null))).toEqual([{ tenant: '', role: server.user }]);
    await one.close(performance.now());
  });

  test('changes rows of its caller alone', async () => {
    const rename = shop.update(statement(`UPDATE project SET name = $1`));
    expect(await rename(callOf('a'), ['of a'])).toEqual([]);
    const names = await outside(`SELECT DISTINCT tenant FROM project WHERE name = 'of a'`);
    expect(names).toEqual([{ tenant: 'a' }]);
  });

  test('is 403 where it would write a row of somebody else', async () => {
    const add = shop.update(statement('INSERT INTO project VALUES ($1, $2)', { returning: 'RETURNING *' }));
    const { status, details } = await failure(add(callOf('a'), [100, 'b']));
    expect(status).toBe(403);
    expect(details.log).toMatchObject({ code: '42501', datasource: 'shop' });
    expect(await add(callOf('a'), [102, 'a'])).toMatchObject([{ id: 102, tenant: 'a' }]);
    const missing = await failure(shop.read(statement('SELECT id FROM secret'))(callOf('a')));
    expect(missing.status).toBe(403);
  });

  test('is not run where the caller has no value', async () => {
    const add = shop.update(statement(`INSERT INTO message VALUES ($1, 'a')`));
    for (const tenant of [null, 'a\0b']) {
      const { status, message } = await failure(add(callOf(tenant), [1]));
      expect([status, message]).toEqual([403, 'Forbidden']);
    }
    expect(await outside('SELECT id FROM message')).toEqual([]);
  });

  test('binds values of every type', async () => {
    const select = shop.read(statement(`SELECT current_setting('app.tenant') AS tenant`));
    const values: readonly [Json, string][] = [
      [7, '7'],
      [true, 'true'],
      ["it's $1; \\", "it's $1; \\"],
      [['a', 'b'], '["a","b"]'],
    ];
    for (const [value, text] of values) expect(await select(callOf(value))).toEqual([{ tenant: text }]);
  });

  test('of a loop is sent ahead for its caller', async () => {
    const select = shop.read(statement('SELECT id, tenant FROM project WHERE id = $1'));
    for (let round = 0; round < 20; round += 1) await select(callOf('a'), [2]);
    const callers = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
    await Promise.all(
      callers.map(async (tenant) => {
        const ids = [1, 2, 3, 4, 5, 6, 7, 8];
        const found: Row[] = [];
        for await (const [, rows] of readEach(select, callOf(tenant), ids, (id) => [id])) found.push(...rows);
        expect(found).toHaveLength(4);
        expect(tenantsOf(found)).toEqual([tenant]);
      }),
    );
  });
});

describe('what learns from a refusal', () => {
  test('learns nothing of rows', async () => {
    const send = shop.update(statement('INSERT INTO message VALUES ($1, $2)', { returning: 'RETURNING *' }));
    expect(await send(callOf('a'), [10, 'a'])).toEqual([{ id: 10, tenant: 'a' }]);
    // The SELECT policy refuses RETURNING, which the runtime has added.
    expect(await send(callOf('a'), [11, 'b'])).toEqual([]);
    expect(await send(callOf('a'), [12, 'a'])).toEqual([{ id: 12, tenant: 'a' }]);
    const inside = await inTransaction(callOf('a'), async (call) => [
      await send(call, [13, 'b']),
      await send(call, [14, 'a']),
    ]);
    expect(inside).toEqual([[], [{ id: 14, tenant: 'a' }]]);
  });
});

describe('CALL and DO', () => {
  test('run between BEGIN and COMMIT', async () => {
    const add = shop.update(statement('CALL add_once($1)', { enclosed: true, atomic: false }));
    await add(callOf('a'), [200]);
    expect(await outside('SELECT tenant, name FROM project WHERE id = 200')).toEqual([
      { tenant: 'a', name: role },
    ]);
  });

  test('commit nothing themselves: what follows would run without the caller', async () => {
    const add = shop.update(statement('CALL add_twice($1, $2)', { enclosed: true }));
    expect((await failure(add(callOf('a'), [300, 301]))).status).toBe(500);
    expect(await outside('SELECT id FROM project WHERE id >= 300')).toEqual([]);
    expect(await shop.read(statement(all))(callOf('a'))).not.toEqual([]);
  });
});

describe('a transaction', () => {
  test('sets its context once, after BEGIN', async () => {
    const select = shop.read(statement(all));
    const value = shop.read(statement('SELECT $1::text AS value', { returning: '' }));
    const found = await inTransaction(callOf('b'), async (call) => {
      const first = await select(call);
      const [second] = await value(call, ['x']);
      return [tenantsOf(first), second, tenantsOf(await select(call))];
    });
    expect(found).toEqual([['b'], { value: 'x' }, ['b']]);
  });

  test('keeps it where a savepoint is rolled back', async () => {
    const send = shop.update(statement('INSERT INTO message VALUES ($1, $2)', { returning: 'RETURNING *' }));
    const rows = await inTransaction(callOf('b'), async (call) => {
      expect(await send(call, [20, 'a'])).toEqual([]);
      return shop.read(statement(all))(call);
    });
    expect(tenantsOf(rows)).toEqual(['b']);
    expect(rows[0]?.['role']).toBe(role);
  });

  test('does not begin where the caller has no value', async () => {
    const { status } = await failure(inTransaction(callOf(null), (call) => shop.read(statement(all))(call)));
    expect(status).toBe(403);
  });
});

describe('a connection for which policies do not hold', () => {
  test.each([
    { what: 'a superuser', rows: { settings }, reason: "the role 'apikiln' is a superuser" },
    {
      what: 'a missing role',
      rows: { settings, role: "no'body" },
      reason: "the server refuses the role 'no'body' to this user",
    },
    { what: 'BYPASSRLS', rows: { role: 'rows_bypass' }, reason: "the role 'rows_bypass' has BYPASSRLS" },
    {
      what: 'an owner without FORCE',
      rows: { role: 'rows_owner' },
      reason: "the role 'rows_owner' owns the table owned_table",
    },
  ])('is not used: $what', async ({ rows, reason }) => {
    await server.exec(
      database,
      `DROP TABLE IF EXISTS owned_table; DROP ROLE IF EXISTS rows_bypass; DROP ROLE IF EXISTS rows_owner;
       CREATE ROLE rows_bypass BYPASSRLS; CREATE ROLE rows_owner;
       CREATE TABLE owned_table (id int); ALTER TABLE owned_table OWNER TO rows_owner;
       ALTER TABLE owned_table ENABLE ROW LEVEL SECURITY;
       CREATE POLICY none ON owned_table USING (false);`,
    );
    const datasource = open(rows);
    const { status, details } = await failure(datasource.read(statement('SELECT 1'))(callOf('a')));
    expect(status).toBe(503);
    expect(details.log?.['reason']).toContain(reason);
    expect(await datasource.isReachable()).toBe(false);
    await datasource.close(performance.now());
  });

  test('with FORCE it is', async () => {
    await server.exec(
      database,
      `DROP TABLE IF EXISTS forced_table; DROP ROLE IF EXISTS rows_forced; CREATE ROLE rows_forced;
       CREATE TABLE forced_table (id int); ALTER TABLE forced_table OWNER TO rows_forced;
       INSERT INTO forced_table VALUES (1);
       ALTER TABLE forced_table ENABLE ROW LEVEL SECURITY; ALTER TABLE forced_table FORCE ROW LEVEL SECURITY;
       CREATE POLICY nobody ON forced_table USING (false);`,
    );
    const datasource = open({ role: 'rows_forced' });
    expect(await datasource.read(statement('SELECT id FROM forced_table'))(callOf('a'))).toEqual([]);
    await datasource.close(performance.now());
  });

  test('a role that is dropped later is no value of the request', async () => {
    await server.exec(database, `DROP ROLE IF EXISTS rows_dropped; CREATE ROLE rows_dropped;`);
    const datasource = open({ role: 'rows_dropped' });
    const select = datasource.read(statement('SELECT $1::int AS one'));
    expect(await select(callOf('a'), [1])).toEqual([{ one: 1 }]);
    await server.exec(database, 'DROP ROLE rows_dropped');
    const { status, details } = await failure(select(callOf('a'), [1]));
    expect(status).toBe(500);
    expect(details.log?.['reason']).toContain('refuses the settings of the context');
    await datasource.close(performance.now());
  });
});
