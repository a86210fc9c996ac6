/** An outbox in a database with a context and a role: its statements run as the datasource's user, who creates the table. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { get } from '../../../runtime/handler/json.js';
import type { Reply } from '../../../runtime/handler/reply.js';
import { Outbox } from '../../../runtime/outbox/outbox.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { reply } from '../../../runtime/responses/reply.js';
import { rest } from '../../../runtime/rest/rest.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { testedOutbox } from '../../../runtime/testing/tested-outbox.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';

const database = `outbox_rows_${process.pid}`;
const user = `outbox_login_${process.pid}`;
const roles = [`outbox_seller_${process.pid}`, `outbox_buyer_${process.pid}`] as const;
const settings = { 'app.tenant': (call: Call) => get(call.caller, 'tenant') };
const password = 'x';

let server: AttachedServer;
let receiver: ThirdParty;
const opened: DatabaseDatasource[] = [];

beforeAll(async () => {
  server = await sharedPostgres();
  receiver = await ThirdParty.start((_request, response) => response.end());
});
beforeEach(async () => {
  await server.createDatabase(database);
  await drop();
  await server.exec(
    database,
    `create role ${roles[0]}; create role ${roles[1]};
     create role ${user} login noinherit password '${password}'; grant ${roles.join(', ')} to ${user};
     create table orders (id integer primary key, tenant text not null);
     alter table orders enable row level security;
     create policy own on orders using (tenant = current_setting('app.tenant', true));
     grant select, insert on orders to ${roles.join(', ')};
     grant create on schema public to ${user}`,
  );
});

afterEach(() => Promise.all(opened.splice(0).map((one) => one.close(performance.now()))));
afterAll(async () => {
  await drop();
  await receiver.stop();
});

async function drop(): Promise<void> {
  for (const role of [user, ...roles]) {
    const [found] = await server.exec(database, `select from pg_roles where rolname = '${role}'`);
    if (found !== undefined) await server.exec(database, `drop owned by ${role}; drop role ${role}`);
  }
}

interface Shop {
  readonly prepare: () => Promise<void>;
  /** Stores an order by a caller of the tenant, and requests before and after it. */
  readonly order: (id: number, tenant: string) => Promise<void>;
}

const site = { operation: 'POST /orders', fulfillment: 'order' };

/** The database, whose statements run as the role with the rows of the caller's tenant. */
function open(role: string | undefined): DatabaseDatasource {
  const context = rowsOfCaller({ settings, ...(role === undefined ? {} : { role }) });
  const db = postgres({ name: 'shop', context });
  db.open({ url: server.jdbcUrl(database), user, password });
  opened.push(db);
  return db;
}

function shop(role: string | undefined): Shop {
  const db = open(role);
  const chat = rest({ name: 'chat' });
  chat.open({ url: receiver.url, responseLimit: 1000 });
  const outbox = new Outbox([{ datasource: chat, database: db, ...(role === undefined ? {} : { role }) }]);
  const insert = db.update({ ...site, sql: 'insert into orders (id, tenant) values ($1, $2)' });
  const tell = outbox.request({ ...site, datasource: chat, method: 'POST' });
  const order = (id: number, tenant: string): Promise<void> =>
    inTransaction({ ...testCall(), caller: { tenant: 'a' } }, async (call) => {
      await tell(call, { url: `/${id}/before` });
      await insert(call, [id, tenant]);
      await tell(call, { url: `/${id}/behind`, key: 'all' });
    });
  return {
    prepare: async () => void (await Promise.all(outbox.stores.map((store) => store.prepare()))),
    order,
  };
}

const states = (): Promise<Record<string, unknown>[]> =>
  server.exec(database, 'select state from apikiln_outbox order by position');
const sent = async (...urls: string[]): Promise<void> => {
  await expect.poll(states).toEqual(urls.map(() => ({ state: 'sent' })));
  // Requests of the test before may arrive, too.
  const requests = receiver.take().map(({ request }) => request);
  expect(requests).toEqual(expect.arrayContaining(urls.map((url) => `POST ${url}`)));
};

test.each([
  ['context and role', roles[0]],
  ['context alone', undefined],
])('%s: requests are stored with the rows of the caller, and sent without one', async (_, role) => {
  if (role === undefined) await server.exec(database, `grant select, insert on orders to ${user}`);
  const { prepare, order } = shop(role);
  await prepare();
  await order(1, 'a');
  await sent('/1/before', '/1/behind');
  await expect(order(2, 'b')).rejects.toMatchObject({ status: 403 });
  expect(await states()).toHaveLength(2);
});

test('the transaction of a call that runs as the role marks the call as made', async () => {
  const db = open(roles[0]);
  const outbox = testedOutbox([{ calls: true, database: db, role: roles[0] }]);
  const insert = db.update({ ...site, sql: 'insert into orders (id, tenant) values ($1, $2)' });
  const handler = async (call: Call): Promise<Reply> => {
    await insert(call, [call.param('id'), 'a']);
    // The transaction of the call stores this one, after the role has been set.
    if (call.param('id') === 1) await again(call, { parameters: { id: 2 } });
    return reply(204);
  };
  const definition = { ...site, calls: 'order', database: db, claims: ['tenant'] };
  const again = outbox.call(definition);
  for (const receiver of outbox.calls) {
    receiver.declare(
      [{ operation: 'order', handler, transaction: true }],
      [{ name: 'people', readSettings: () => undefined }],
    );
    receiver.open(5_000);
  }
  await Promise.all(outbox.stores.map((store) => store.prepare()));
  await inTransaction({ ...testCall(), caller: { authentication: 'people', tenant: 'a' } }, (call) =>
    again(call, { parameters: { id: 1 } }),
  );
  await outbox.deliver();
  expect(await server.exec(database, 'select state, attempts, reason from apikiln_outbox')).toEqual(
    Array.from({ length: 2 }, () => ({ state: 'sent', attempts: 1, reason: null })),
  );
  expect(await server.exec(database, 'select id from orders order by id')).toEqual([{ id: 1 }, { id: 2 }]);
});

test('two roles of one database share the table, also one that is added later', async () => {
  const first = shop(roles[0]);
  await first.prepare();
  const second = shop(roles[1]);
  await second.prepare();
  await first.order(1, 'a');
  await second.order(2, 'a');
  await sent('/1/before', '/1/behind', '/2/before', '/2/behind');
});

test('several instances with different roles may start at the same time', async () => {
  const all = Array.from({ length: 8 }, (_, index) => shop(roles[index % 2]));
  await Promise.all(all.map(({ prepare }) => prepare()));
  await Promise.all(all.map(({ order }, index) => order(index, 'a')));
  expect(await states()).toHaveLength(16);
});

test('two who give rights on the table at the same time do not stop each other', async () => {
  await shop(roles[0]).prepare();
  const other = await server.connect(database);
  await other.run(`begin; grant select on apikiln_outbox to ${roles[0]}`);
  const next = shop(roles[1]);
  const prepared = next.prepare();
  const waiting = `select from pg_stat_activity where usename = '${user}' and wait_event_type = 'Lock'`;
  await expect.poll(() => server.exec(database, waiting), { timeout: 1_500 }).toHaveLength(1);
  await other.run('commit');
  await other.end();
  await prepared;
  await next.order(1, 'a');
});

test('a user who may not make the table gets the SQL that is enough', async () => {
  await server.exec(database, `revoke create on schema public from ${user}`);
  const { prepare, order } = shop(roles[0]);
  const ddl = await sqlOf(prepare());
  expect(ddl).toContain(`grant select, insert, update, delete on apikiln_outbox to "${user}"`);
  await server.exec(database, ddl);
  await prepare();
  await order(1, 'a');
  await sent('/1/before', '/1/behind');

  // The table belongs to another user, and the next role has no privileges on it.
  const next = shop(roles[1]);
  const grant = await sqlOf(next.prepare());
  expect(grant).toBe(`grant insert on apikiln_outbox to "${roles[1]}";\n`);
  await server.exec(database, grant);
  await next.prepare();
  await next.order(2, 'a');
});

test('a role that does not find the table stops the start', async () => {
  await server.exec(database, `create schema ${user} authorization ${user}`);
  await expect(shop(roles[0]).prepare()).rejects.toThrow(
    'it must find the table apikiln_outbox by its search_path',
  );
});

/** The SQL in the error message of the failed start. */
async function sqlOf(prepared: Promise<void>): Promise<string> {
  const message = await prepared.then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
  return message.slice(message.indexOf('\n\n') + 2);
}
