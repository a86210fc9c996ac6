/** A hand-written service with idempotency keys, started by tests as a separate process. */
import { apiVersion } from '../../../runtime/server/api-version.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { createRouter } from '../../../runtime/http/router.js';
import { get, textOf } from '../../../runtime/handler/json.js';
import { fail } from '../../../runtime/handler/reply.js';
import { idempotencyKeys } from '../../../runtime/idempotency/idempotency-keys.js';
import { keyStore } from '../../../runtime/idempotency/key-store.js';
import { reply } from '../../../runtime/responses/reply.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres, rowsOfCaller } from '../../../runtime/postgres/index.js';
import { startService } from '../../../runtime/server/service.js';
import type { Call } from '../../../runtime/handler/call.js';

const isPostgres = process.env['DATASOURCE_DB_URL']?.startsWith('jdbc:postgresql') === true;
const role = process.env['ROLE'];
const db = isPostgres
  ? postgres({ name: 'db', ...(role === undefined ? {} : { context: rowsOfCaller({ role }) }) })
  : mysql({ name: 'db' });

const marker = (index: number): string => (isPostgres ? `$${index}` : '?');
const site = { operation: 'POST /orders', fulfillment: 'order' };
const order = db.update({
  ...site,
  sql: `insert into orders (id, name) values (${marker(1)}, ${marker(2)})${isPostgres ? ' returning number as insert_id' : ''}`,
});
const sleep = db.read({
  ...{ ...site, fulfillment: 'pause' },
  sql: isPostgres ? 'select pg_sleep($1::text::float8)' : 'select sleep(cast(? as decimal(10, 3)))',
  retry: false,
});

/** Adds an order, and responds with its number; with `end`, an exception is thrown at the end. */
async function store(call: Call): Promise<ReturnType<typeof reply>> {
  const { body } = call;
  const [row] = await order(call, [get(body, 'id'), get(body, 'name')]);
  if (get(body, 'pause') !== null) await sleep(call, [textOf(get(body, 'pause'))]);
  if (get(body, 'end') === true) throw fail(418, 'no');
  return reply(201, { number: textOf(row?.['insert_id']), text: 'x'.repeat(Number(get(body, 'size') ?? 0)) });
}

const keys = keyStore(db);
const keysOfOrders = idempotencyKeys('POST /orders', {
  store: keys,
  key: (call) => call.header('idempotency-key'),
  required: true,
  keep: 3600,
});

const handler = (call: Call) => keysOfOrders.once(call, store, { retryOnConflict: true });

await startService({
  api: apiVersion,
  router: createRouter([{ method: 'POST', path: '/orders', handler, body: jsonBody }]),
  datasources: [db],
  idempotency: [keys],
});
