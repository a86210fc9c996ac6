/** A hand-written service whose requests store calls, started by tests as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { createRouter } from '../../../runtime/http/router.js';
import { get } from '../../../runtime/handler/json.js';
import { fail } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { createOutbox } from '../../../runtime/outbox/outbox.js';
import { startWithOutbox } from '../../../runtime/outbox/service.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { Call } from '../../../runtime/handler/call.js';

const isPostgres = process.env['DATASOURCE_DB_URL']?.startsWith('jdbc:postgresql') === true;
const db = isPostgres ? postgres({ name: 'db' }) : mysql({ name: 'db' });
const outbox = createOutbox([{ calls: true, database: db }], { isSealed: true });

const marker = isPostgres ? '$1' : '?';
const site = { operation: 'POST /orders', fulfillment: 'order' };
const order = db.update({ ...site, sql: `insert into orders (id) values (${marker})` });
// Without a key: a call that takes effect twice leaves two rows.
const inOne = db.update({ ...site, sql: `insert into in_one (id) values (${marker})` });
const alone = db.update({ ...site, sql: `insert into alone (id) values (${marker})` });
const storeInOne = outbox.call({ ...site, calls: 'in one', database: db });
const storeAlone = outbox.call({ ...site, calls: 'alone', database: db, sealed: true });

/** Stores an order and two calls; with `end`, an exception is thrown at the end. */
async function store(call: Call): Promise<ReturnType<typeof reply>> {
  const id = get(call.body, 'id');
  await order(call, [id]);
  await storeInOne(call, { parameters: { id } });
  await storeAlone(call, { parameters: { id } });
  if (get(call.body, 'end') === true) throw fail(409, 'no');
  return reply(201);
}

/** Some calls fail after their change. */
function failSometimes(): void {
  if (Math.random() < 0.1) throw fail(503, 'not yet');
}

await startWithOutbox(outbox, {
  api: apiVersion,
  router: createRouter([
    { method: 'POST', path: '/orders', handler: (call) => inTransaction(call, store), body: jsonBody },
  ]),
  datasources: [db],
  afterCommit: [
    {
      operation: 'in one',
      transaction: true,
      retryOnConflict: true,
      handler: async (call) => {
        await inOne(call, [call.param('id')]);
        failSometimes();
        return reply(204);
      },
    },
    {
      operation: 'alone',
      handler: async (call) => {
        failSometimes();
        await alone(call, [call.param('id')]);
        return reply(204);
      },
    },
  ],
});
