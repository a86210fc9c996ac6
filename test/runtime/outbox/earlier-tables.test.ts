/** Tables that an earlier version has made: the service makes the index that is missing, or says what is to be run. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutboxStore } from '../../../runtime/outbox/store.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { FilledOutbox } from './filled-outbox.js';

const user = `outbox_earlier_${process.pid}`;
let outbox: FilledOutbox;
beforeEach(async () => {
  outbox = await FilledOutbox.open('PostgreSQL', await sharedPostgres(), `outbox_earlier_${process.pid}`);
  await outbox.exec(earlierTable);
  await outbox.fill(200, 'one key');
});
afterEach(() => outbox.close());

const earlierTable = `create table apikiln_outbox (
  position bigint generated always as identity primary key,
  id varchar(36) not null,
  datasource text not null,
  operation text not null,
  fulfillment text not null,
  order_key varchar(64),
  method varchar(10) not null,
  url text not null,
  header text not null,
  content text,
  state varchar(7) not null,
  attempts integer not null,
  created timestamptz not null,
  due timestamptz not null,
  expires timestamptz not null,
  lease varchar(36),
  reason text
);
create index apikiln_outbox_due on apikiln_outbox (state, datasource, due);
create index apikiln_outbox_order on apikiln_outbox (order_key, position)`;

const indexes = async (): Promise<unknown[]> => {
  const rows = await outbox.exec(
    "select indexname from pg_indexes where tablename = 'apikiln_outbox' order by 1",
  );
  return rows.map(({ indexname }) => indexname);
};
const present = ['apikiln_outbox_order', 'apikiln_outbox_pkey', 'apikiln_outbox_queue'];

test('its index is replaced, and its rows are sent in order', async () => {
  await outbox.store.prepare();
  expect(await indexes()).toEqual(present);
  expect(await outbox.drain()).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
});

test('several instances may start on it at once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => outbox.store.prepare()));
  expect(await indexes()).toEqual(present);
});

test('who may not make the index gets the SQL that is enough', async () => {
  const { server, database } = outbox;
  await outbox.exec(
    `drop role if exists ${user}; create role ${user} login password 'x'; grant all on apikiln_outbox to ${user}`,
  );
  const datasource = postgres({ name: 'shop' });
  datasource.open({ url: server.jdbcUrl(database), user, password: 'x' });
  const store = new OutboxStore(datasource, undefined);
  try {
    const message = await store.prepare().then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(message).toContain('the tables of the outbox cannot be made in shop');
    await outbox.exec(message.slice(message.indexOf('\n\n')));
    await store.prepare();
    expect(await indexes()).toEqual(present);
    expect((await store.claim('receiver', 60_000)).requests).toHaveLength(1);
  } finally {
    await datasource.close(performance.now() + 1000);
    await outbox.exec(`drop owned by ${user}; drop role ${user}`);
  }
});
