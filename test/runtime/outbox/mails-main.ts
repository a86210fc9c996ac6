/** A hand-written service whose requests store mails, started by tests as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { createRouter } from '../../../runtime/http/router.js';
import { get, textOf } from '../../../runtime/handler/json.js';
import { fail } from '../../../runtime/handler/reply.js';
import { reply } from '../../../runtime/responses/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { createOutbox } from '../../../runtime/outbox/outbox.js';
import { startWithOutbox } from '../../../runtime/outbox/service.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { smtp } from '../../../runtime/smtp/smtp.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { Call } from '../../../runtime/handler/call.js';

const isPostgres = process.env['DATASOURCE_DB_URL']?.startsWith('jdbc:postgresql') === true;
const db = isPostgres ? postgres({ name: 'db' }) : mysql({ name: 'db' });
const mail = smtp({ name: 'mail', timeout: 1 });
const outbox = createOutbox([{ datasource: mail, database: db }], { isSealed: true });

const site = { operation: 'POST /orders', fulfillment: 'order' };
const order = db.update({ ...site, sql: `insert into orders (id) values (${isPostgres ? '$1' : '?'})` });
const send = outbox.message({ ...site, datasource: mail, sealed: true });

/** Stores an order and a mail to two recipients; with `end`, an exception is thrown at the end. */
async function store(call: Call): Promise<ReturnType<typeof reply>> {
  const id = get(call.body, 'id');
  await order(call, [id]);
  await send(call, {
    to: ['anna@example.com', 'bob@example.com'],
    subject: `Order ${textOf(id)}`,
    text: 'A link',
  });
  if (get(call.body, 'end') === true) throw fail(409, 'no');
  return reply(201);
}

await startWithOutbox(outbox, {
  api: apiVersion,
  router: createRouter([
    { method: 'POST', path: '/orders', handler: (call) => inTransaction(call, store), body: jsonBody },
  ]),
  datasources: [mail, db],
});
