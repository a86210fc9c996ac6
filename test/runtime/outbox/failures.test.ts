/** An outbox whose table disappears while it works: nothing is half done, and the log names the consequences. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { reply } from '../../../runtime/responses/reply.js';
import { rest, type RestDatasource } from '../../../runtime/rest/rest.js';
import { record } from '../../../runtime/trace/recording.js';
import { TracedOutbox } from '../../../runtime/trace/traced-outbox.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';
import { openPostgres, read, type TestDatasource } from '../sql/open-datasource.js';

let shop: TestDatasource;
let receiver: ThirdParty;
let behaviour: Behaviour;
let datasource: RestDatasource;
let outbox: TracedOutbox;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  shop = await openPostgres('outbox_failures');
  await exec('create table orders (id integer primary key)');
  receiver = await ThirdParty.start((...asked) => {
    behaviour(...asked);
  });
});
beforeEach(async () => {
  behaviour = (_request, response) => response.writeHead(204).end();
  datasource = rest({ name: 'receiver', timeout: 1 });
  datasource.open({ url: receiver.url, responseLimit: 1000 });
  outbox = new TracedOutbox([{ datasource, database: shop.datasource }]);
  lines = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const log = pino({ base: null }, { write });
  for (const delivery of outbox.deliveries) delivery.open(log);
  for (const store of outbox.stores) await store.prepare();
});
afterEach(async () => {
  datasource.close();
  receiver.take();
  await exec('drop table if exists apikiln_outbox; truncate orders');
});
afterAll(async () => {
  await shop.datasource.close(performance.now() + 1000);
  await receiver.stop();
});

const exec = (text: string): Promise<unknown> => shop.server.exec(shop.database, text);
const dropped = (): Promise<unknown> => exec('drop table apikiln_outbox');
const idle = (): Promise<unknown> => Promise.all(outbox.deliveries.map((delivery) => delivery.idle()));
const said = (): unknown[] => lines.map(({ msg }) => msg);

const site = { operation: 'POST /orders', fulfillment: 'order' };

/** Stores an order and a request about it. */
function order(id: number, url: string | URL = '/hook'): Promise<void> {
  const insert = shop.datasource.update({ ...site, sql: 'insert into orders (id) values ($1)' });
  const tell = outbox.request({ ...site, datasource, method: 'POST', url: '/hook' });
  return inTransaction(testCall(), async (call) => {
    await insert(call, [id]);
    await tell(call, { url, body: { id } });
  });
}

test('a request that cannot be stored undoes the change before it', async () => {
  await dropped();
  await expect(order(1)).rejects.toMatchObject({ status: 500 });
  expect(await read(shop.datasource, 'select id from orders')).toEqual([]);
  expect(receiver.take()).toEqual([]);
});

test('a URL that is a value as a whole is sent as it is', async () => {
  await order(1, new URL(`${receiver.url}/a%20b?c=<d>`));
  await idle();
  expect(receiver.take().map(({ request }) => request)).toEqual(['POST /a%20b?c=%3Cd%3E']);
});

test('what is stored is a step of a traced call, and what is not sent no line of what was', async () => {
  behaviour = (_request, response) => response.writeHead(500).end();
  const { trace, result } = record('POST /orders', async () => {
    await order(1);
    return reply(201, null);
  });
  await result;
  await idle();
  const step = {
    kind: 'request',
    fulfillment: 'order',
    datasource: 'receiver',
    method: 'POST',
    url: '/hook',
  };
  expect(trace.steps).toMatchObject([{ ...step, status: 'after the commit' }]);
  expect(said()).toEqual(['a request of the outbox is sent again']);
});

test('whether it has failed cannot be noted: its lease ends by itself', async () => {
  behaviour = (_request, response) => {
    void dropped().then(() => response.writeHead(500).end());
  };
  await order(1);
  await idle();
  expect(said()).toEqual(['a request of the outbox is sent again', 'the outbox cannot be written']);
  expect(lines[1]).toMatchObject({ level: 40, datasource: 'receiver', code: '42P01' });
});

test('it stops all the same where a lease cannot be given back', async () => {
  const begun = new Promise<void>((resolve) => {
    behaviour = () => {
      resolve();
    };
  });
  await order(1);
  await begun;
  await dropped();
  await Promise.all(outbox.deliveries.map((delivery) => delivery.stop(0)));
  expect(said()).toEqual(['leases of the outbox end by themselves']);
  await idle();
});
