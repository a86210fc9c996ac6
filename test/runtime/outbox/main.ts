/** A hand-written service with an outbox, started by tests as a separate process. */
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
import { rest } from '../../../runtime/rest/rest.js';
import { createSchedule } from '../../../runtime/schedule/schedule.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { Call } from '../../../runtime/handler/call.js';

const isPostgres = process.env['DATASOURCE_DB_URL']?.startsWith('jdbc:postgresql') === true;
const db = isPostgres ? postgres({ name: 'db' }) : mysql({ name: 'db' });
const receiver = rest({ name: 'receiver', timeout: Number(process.env['TIMEOUT'] ?? 1) });
const outbox = createOutbox([{ datasource: receiver, database: db }]);

const marker = (index: number): string => (isPostgres ? `$${index}` : '?');
const site = { operation: 'POST /orders', fulfillment: 'order' };
const count = db.update({ ...site, sql: `update counter set number = number + 1 where name = ${marker(1)}` });
const number = db.read({ ...site, sql: `select number from counter where name = ${marker(1)}` });
const order = db.update({
  ...site,
  sql: `insert into orders (id, name, number) values (${marker(1)}, ${marker(2)}, ${marker(3)})`,
});
const send = outbox.request({ ...site, datasource: receiver, method: 'POST' });

/** Stores an order, its number among the orders with its name, and `times` requests; with `end`, an exception is thrown at the end. */
async function store(call: Call): Promise<ReturnType<typeof reply>> {
  const { body } = call;
  const [id, name, end] = [get(body, 'id'), get(body, 'name'), get(body, 'end')];
  let value: number | null = null;
  if (name !== null) {
    await count(call, [name]);
    value = Number(textOf((await number(call, [name]))[0]?.['number']));
  }
  await order(call, [id, name, value]);
  for (let time = 0; time < Number(get(body, 'times') ?? 1); time += 1)
    await send(call, {
      url: `/${textOf(id)}/${time}`,
      header: { 'X-Order': textOf(value) },
      body: { id, time, name, value, text: get(body, 'text') },
      key: name,
    });
  if (end === true) throw fail(409, 'no');
  return reply(201);
}

const handler = (call: Call) => inTransaction(call, store, { retryOnConflict: true });

await startWithOutbox(outbox, {
  api: apiVersion,
  router: createRouter([{ method: 'POST', path: '/orders', handler, body: jsonBody }]),
  datasources: [receiver, db],
  ...(process.env['TIMED'] === undefined
    ? {}
    : {
        schedule: createSchedule([
          {
            operation: 'nightly',
            trigger: 'at night',
            cron: '0 0 3 * * *',
            handler: (call) =>
              inTransaction(call, async (inner) => {
                await send(inner, { url: '/nightly', body: 'timed' });
              }),
          },
        ]),
      }),
});
