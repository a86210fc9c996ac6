/** Deliveries of a traced outbox are log lines, not steps of the call that stored the request. */
import type { Receiver } from '../../../runtime/outbox/delivery.js';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { OutboxStore, type Claim, type Claimed } from '../../../runtime/outbox/store.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { record } from '../../../runtime/trace/recording.js';
import { TracedOutbox } from '../../../runtime/trace/traced-outbox.js';
import { TracedRest } from '../../../runtime/trace/traced-rest.js';
import { TracedSmtp } from '../../../runtime/trace/traced-smtp.js';
import { opened } from '../smtp/opened.js';
import { ThirdParty } from '../../helpers/third-party.js';

/** A store with one request and without a database. */
class OneRequest extends OutboxStore {
  protected waiting: Claimed[] = [
    {
      ...{ position: '1', lease: 'a', attempts: 1, timeLeft: 1000, id: 'b', orderKey: null },
      ...{ operation: 'POST /orders', fulfillment: 'told', method: 'POST', url: '/hooks/7' },
      ...{ header: '{}', content: '{}' },
    },
  ];

  override claim(): Promise<Claim> {
    return Promise.resolve({ requests: this.waiting.splice(0), hasMore: () => Promise.resolve(false) });
  }

  override sent(): Promise<void> {
    return Promise.resolve();
  }
}

class OneMail extends OneRequest {
  protected override waiting: Claimed[] = [
    {
      ...{ position: '1', lease: 'a', attempts: 1, timeLeft: 1000, id: 'b', orderKey: null },
      ...{ operation: 'POST /password', fulfillment: 'mail', method: 'MESSAGE', url: '' },
      ...{ header: '{}', content: JSON.stringify({ to: ['ada@example.com'], messageId: 'c' }) },
    },
  ];
}

test('a mail without a URL of the mail server is logged as not sent', async () => {
  const datasource = await opened('', {}, undefined, TracedSmtp);
  const database = postgres({ name: 'shop' });
  class Outbox extends TracedOutbox {
    protected override deliveryOf(to: Receiver): TracedOutbox['deliveries'][number] {
      return super.deliveryOf(to, new OneMail(database, undefined));
    }
  }
  const [delivery] = new Outbox([{ datasource, database }]).deliveries;
  const lines: unknown[] = [];
  delivery?.open(pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  delivery?.wake();
  await delivery?.idle();
  expect(lines).toMatchObject([
    { msg: 'a message of the outbox was not sent: the url is empty', operation: 'POST /password' },
  ]);
});

test('what is sent after the commit of a traced call is not its step, but a line of the log', async () => {
  const api = await ThirdParty.start((_request, response) => response.writeHead(204).end());
  const datasource = new TracedRest({ name: 'subscriber' });
  datasource.open({ url: api.url, responseLimit: 1000 });
  const database = postgres({ name: 'shop' });
  class Outbox extends TracedOutbox {
    protected override deliveryOf(to: Receiver): TracedOutbox['deliveries'][number] {
      return super.deliveryOf(to, new OneRequest(database, undefined));
    }
  }
  const outbox = new Outbox([{ datasource, database }]);
  const names = { operation: 'POST /orders', fulfillment: 'told', method: 'POST' };
  outbox.request({ ...names, datasource, url: '/hooks/:[PARAM(id)]' });
  const lines: unknown[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const [delivery] = outbox.deliveries;
  delivery?.open(log);
  const { trace, result } = record('POST /orders', () => {
    delivery?.wake();
    return { status: 201 };
  });
  await result;
  await delivery?.idle();
  expect(api.take().length).toBe(1);
  expect(trace.steps).toEqual([]);
  expect(lines).toMatchObject([
    {
      ...{ msg: 'a request of the outbox was sent', datasource: 'subscriber' },
      ...{ ...names, url: '/hooks/:[PARAM(id)]', status: 204 },
    },
  ]);
  datasource.close();
  await api.stop();
});
