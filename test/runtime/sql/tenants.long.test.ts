/**
 * Tenants under load on shared connections, with cuts and poolers: no caller sees or changes rows of another tenant. TENANT_REQUESTS=100000
 * sends that many requests.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { get, type Row } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import type { StatementDefinition } from '../../../runtime/sql/statement-definition.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { readEach } from '../../../runtime/sql/reads-ahead.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer, DatabaseServer } from '../../helpers/database-server.js';
import { startPgBouncer } from '../../helpers/pgbouncer.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { testCall } from '../../helpers/test-call.js';
import { open } from './open-datasource.js';

const database = 'tenants_attacked';
const role = 'tenants_attacked_user';
const tenants = 12;
const requests = Number(process.env['TENANT_REQUESTS'] ?? 4000);
const workers = 32;

let server: DatabaseServer;

beforeAll(async () => {
  server = await startPostgres();
  await server.createDatabase(database);
  await server.exec(
    database,
    `CREATE ROLE ${role} NOLOGIN;
     CREATE TABLE project (id int PRIMARY KEY, tenant text NOT NULL, writer text);
     INSERT INTO project SELECT i, 't' || i % ${tenants} FROM generate_series(1, 1200) AS i;
     CREATE TABLE note (id bigint GENERATED ALWAYS AS IDENTITY, tenant text NOT NULL, writer text NOT NULL);
     ALTER TABLE project ENABLE ROW LEVEL SECURITY; ALTER TABLE note ENABLE ROW LEVEL SECURITY;
     CREATE POLICY own ON project USING (tenant = current_setting('app.tenant', true));
     CREATE POLICY own ON note USING (tenant = current_setting('app.tenant', true));
     CREATE PROCEDURE add(whose text, writer text) LANGUAGE sql AS $$ INSERT INTO note (tenant, writer) VALUES (whose, writer) $$;
     GRANT SELECT, INSERT, UPDATE, DELETE ON project, note TO ${role};`,
  );
});

afterAll(() => server.stop());

/** Connections to the server, direct or through a pooler. */
const ways = [
  { way: 'directly' },
  { way: 'behind PgBouncer, sessions', mode: 'session' },
  { way: 'behind PgBouncer, transactions', mode: 'transaction' },
  { way: 'behind PgBouncer, statements', mode: 'statement' },
] as const;

describe.each(ways)('$way', ({ way, ...more }) => {
  const mode = 'mode' in more ? more.mode : undefined;

  test('no row of another tenant', async () => {
    const pooler =
      mode && (await startPgBouncer(server, { mode, ignored: 'extra_float_digits,options', size: 8 }));
    const shop = opened(pooler ?? server);
    const seen = await attack(shop, { requests, hasTransactions: mode !== 'statement' });
    await shop.close(performance.now() + 2000);
    await pooler?.stop();
    const wrong = await server.exec(
      database,
      'SELECT tenant, writer FROM project WHERE writer <> tenant UNION ALL SELECT tenant, writer FROM note WHERE writer <> tenant',
    );
    console.log(`${way}: ${String(requests)} requests, ${JSON.stringify(seen)}`);
    expect(wrong).toEqual([]);
    expect(seen.foreign).toBe(0);
    expect(seen.rows).toBeGreaterThan(requests);
    expect(seen.refused).toBeGreaterThan(requests / 50);
    expect(seen.cuts).toBeGreaterThan(0);
    expect(seen.other).toBe(0);
  }, 600_000);
});

function opened(target: AttachedServer): DatabaseDatasource {
  const settings = { 'app.tenant': (call: Call) => get(call.caller, 'tenant') };
  return open(postgres({ name: 'shop', context: rowsOfCaller({ settings, role }) }), target, database);
}

interface Seen {
  rows: number;
  foreign: number;
  /** Responses with 403 for another tenant's row. */
  refused: number;
  /** Responses with 500, 503 or 504 because of a cut connection. */
  failed: number;
  cuts: number;
  other: number;
}

async function attack(
  shop: DatabaseDatasource,
  { requests: total, hasTransactions }: { readonly requests: number; readonly hasTransactions: boolean },
): Promise<Seen> {
  const seen: Seen = { rows: 0, foreign: 0, refused: 0, failed: 0, cuts: 0, other: 0 };
  const operations = operationsOf(shop, hasTransactions);
  let left = total;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const tenant = `t${left % tenants}`;
      const other = `t${(left + 1 + (left % (tenants - 1))) % tenants}`;
      const run = operations[left % operations.length];
      if (run === undefined) continue;
      try {
        const rows = await run(
          { ...testCall(20_000), caller: { tenant } },
          tenant,
          other === tenant ? 'nobody' : other,
        );
        seen.rows += rows.length;
        seen.foreign += rows.filter((row) => row['tenant'] !== tenant).length;
      } catch (error) {
        const status = error instanceof ServiceError ? error.status : 0;
        if (status === 403) seen.refused += 1;
        else if (status >= 500) seen.failed += 1;
        else seen.other += 1;
      }
    }
  };
  const cutting = cut(seen, () => left > 0);
  await Promise.all(Array.from({ length: workers }, work));
  await cutting;
  return seen;
}

/** Repeatedly ends one of the connections. */
async function cut(seen: Seen, isOn: () => boolean): Promise<void> {
  const kept = await server.connect(database);
  do {
    await delay(150);
    await kept.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${database}' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
    );
    seen.cuts += 1;
  } while (isOn());
  await kept.end();
}

type Operation = (call: Call, tenant: string, other: string) => Promise<readonly Row[]>;

function operationsOf(shop: DatabaseDatasource, hasTransactions: boolean): Operation[] {
  const define = (sql: string, more: Partial<StatementDefinition> = {}): StatementDefinition => ({
    ...{ operation: 'GET /attack', fulfillment: 'rows', sql },
    ...more,
  });
  const all = shop.read(define('SELECT id, tenant FROM project ORDER BY id LIMIT 5'));
  const one = shop.read(define('SELECT id, tenant FROM project WHERE id = $1'));
  const others = shop.read(define('SELECT id, tenant FROM project WHERE tenant = $1'));
  const slow = shop.read(define('SELECT id, tenant FROM project, pg_sleep(0.003) LIMIT 3', { retry: false }));
  const change = shop.update(
    define('UPDATE project SET writer = $1 WHERE id BETWEEN $2 AND $2 + 20', { returning: 'RETURNING *' }),
  );
  const add = shop.update(
    define('INSERT INTO note (tenant, writer) VALUES ($1, $2)', { returning: 'RETURNING tenant, writer' }),
  );
  const call = shop.update(define('CALL add($1, $2)', { enclosed: true, atomic: false }));
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);
  const single: Operation[] = [
    (caller) => all(caller),
    (caller) => one(caller, [1 + Math.floor(Math.random() * 1200)]),
    (caller, _, other) => others(caller, [other]),
    (caller) => slow(caller),
    async (caller) => {
      const found: Row[] = [];
      for await (const [, rows] of readEach(one, caller, ids, (id) => [id])) found.push(...rows);
      return found;
    },
    (caller, tenant) => change(caller, [tenant, 1 + Math.floor(Math.random() * 1180)]),
    (caller, tenant) => add(caller, [tenant, tenant]),
    (caller, tenant, other) => add(caller, [other, tenant]),
  ];
  if (!hasTransactions) return single;
  return [
    ...single,
    (caller, tenant) =>
      inTransaction(caller, async (inside) => [
        ...(await change(inside, [tenant, 5])),
        ...(await all(inside)),
        ...(await add(inside, [tenant, tenant])),
      ]),
    (caller, tenant, other) => inTransaction(caller, (inside) => add(inside, [other, tenant])),
    async (caller, tenant, other) => {
      await call(caller, [tenant, tenant]);
      return call(caller, [other, tenant]);
    },
  ];
}
