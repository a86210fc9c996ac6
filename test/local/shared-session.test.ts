/**
 * Several datasources on one embedded database, whose connections share a session: a statement never runs with the settings of another
 * datasource.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { protocol } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '../../runtime/handler/call.js';
import { get } from '../../runtime/handler/json.js';
import { postgres } from '../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../runtime/postgres/rows-of-caller.js';
import type { DatabaseDatasource } from '../../runtime/sql/datasource.js';
import { inTransaction } from '../../runtime/transactions/transaction.js';
import { startEmbeddedDatabase } from '../../compiler/tools/local/embedded-database.js';
import type { LocalDatabase } from '../../compiler/tools/local/local-database.js';
import { testCall } from '../helpers/test-call.js';

const schema = `
  CREATE ROLE owner_of_rows; CREATE ROLE looker;
  CREATE TABLE pot (id int PRIMARY KEY, tenant text NOT NULL);
  ALTER TABLE pot ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON pot TO owner_of_rows USING (tenant = current_setting('app.tenant', true));
  CREATE POLICY everything ON pot FOR SELECT TO looker USING (true);`;
const seed = "INSERT INTO pot SELECT i, 't' || i % 3 FROM generate_series(1, 30) AS i";

let database: LocalDatabase;
let rows: DatabaseDatasource;
let keys: DatabaseDatasource;

beforeAll(async () => {
  database = await startEmbeddedDatabase({
    schema: [{ path: 'schema.sql', text: schema }],
    seed: [{ path: 'seed.sql', text: seed }],
  });
  const settings = { 'app.tenant': (call: Call) => get(call.caller, 'tenant') };
  rows = opened('rows', rowsOfCaller({ settings, role: 'owner_of_rows' }));
  keys = opened('keys', rowsOfCaller({ role: 'looker' }));
});

afterAll(async () => {
  await Promise.all([rows, keys].map((one) => one.close(performance.now() + 1000)));
  await database.stop();
});

function opened(name: string, context: ReturnType<typeof rowsOfCaller>): DatabaseDatasource {
  const datasource = postgres({ name, context });
  const { url, user, password, poolMax = 1 } = database.connection;
  // The single connection may be busy for long on a busy machine.
  datasource.open({ url, user, password, poolMax, poolWait: 60_000 });
  return datasource;
}

const definition = { operation: 'GET /pots', fulfillment: 'pots' };

test('at the same time, also in transactions', async () => {
  const own = rows.read({
    ...definition,
    sql: 'SELECT id, tenant, current_user::text AS role FROM pot WHERE id > $1',
  });
  const all = keys.read({
    ...definition,
    sql: 'SELECT count(*) AS n, current_user::text AS role FROM pot WHERE id > $1',
  });
  const tries = Array.from({ length: 60 }, async (_, index) => {
    const tenant = `t${index % 3}`;
    const call = { ...testCall(60_000), caller: { tenant } };
    if (index % 4 === 0)
      return (
        await inTransaction(call, async (inside) => [
          ...(await own(inside, [0])),
          ...(await own(inside, [0])),
        ])
      ).map((row) => [row['role'], row['tenant'] === tenant]);
    if (index % 2 === 0) return (await own(call, [0])).map((row) => [row['role'], row['tenant'] === tenant]);
    return (await all(call, [0])).map((row) => [row['role'], row['n'] === 30]);
  });
  const found = await Promise.all(tries);
  const kinds = new Set(found.flat().map(([role, isRight]) => JSON.stringify([role, isRight])));
  expect([...kinds].sort()).toEqual(['["looker",true]', '["owner_of_rows",true]']);
});

test('a statement waits for the Sync of another connection', async () => {
  const port = Number(/:(\d+)\//.exec(database.connection.url)?.[1]);
  const { serialize } = protocol;
  const other = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await other.connect();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(serialize.startup({ user: 'postgres', database: 'postgres' }));
  await once(socket, 'data');
  // The settings of a context whose statement has not arrived yet.
  const text = "SELECT set_config('app.tenant', 't1', true)";
  socket.write(
    Buffer.concat([serialize.parse({ text }), serialize.bind({}), serialize.execute({}), serialize.flush()]),
  );
  await once(socket, 'data');
  const asked = other.query<{ tenant: string }>("SELECT current_setting('app.tenant', true) AS tenant");
  socket.write(serialize.sync());
  expect((await asked).rows).toEqual([{ tenant: '' }]);
  socket.destroy();
  await other.end();
});
