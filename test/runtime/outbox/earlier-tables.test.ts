/** Outbox tables created by an earlier version: the service creates the missing index, or prints the SQL to run. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutboxStore } from '../../../runtime/outbox/store.js';
import { lockCount, outboxTables } from '../../../runtime/outbox/tables.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
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

test('the tables of another schema, which the search path has as well, stay as they are', async () => {
  await outbox.exec(
    `create schema own; alter database ${outbox.database} set search_path = own, public; set search_path = own; ${earlierTable}`,
  );
  await outbox.store.prepare();
  await outbox.store.prepare();
  const rows = await outbox.exec(
    "select schemaname, indexname from pg_indexes where tablename = 'apikiln_outbox' and indexname ~ 'due|queue' order by 1",
  );
  expect(rows).toEqual([
    { schemaname: 'own', indexname: 'apikiln_outbox_queue' },
    { schemaname: 'public', indexname: 'apikiln_outbox_due' },
  ]);
});

test('several instances may start on it at the same time', async () => {
  await Promise.all(Array.from({ length: 8 }, () => outbox.store.prepare()));
  expect(await indexes()).toEqual(present);
});

test.each(['PostgreSQL', 'MariaDB'] as const)(
  '%s: what a start has not made that was killed, the next one makes',
  async (kind) => {
    const server = await (kind === 'MariaDB' ? sharedMariadb() : sharedPostgres());
    const started = await FilledOutbox.open(kind, server, `outbox_killed_${process.pid}`);
    try {
      const all = outboxTables(kind === 'MariaDB' ? 'mysql' : 'postgresql');
      for (let made = 0; made <= all.length; made += 1) {
        await started.exec('drop table if exists apikiln_outbox');
        if (kind === 'MariaDB') await started.exec('drop table if exists apikiln_outbox_lock');
        for (const statement of all.slice(0, made)) await started.exec(statement);
        await started.store.prepare();
        const found =
          kind === 'MariaDB'
            ? 'select number from apikiln_outbox_lock'
            : "select indexname from pg_indexes where tablename = 'apikiln_outbox'";
        expect(await started.exec(found)).toHaveLength(kind === 'MariaDB' ? lockCount : present.length);
        await started.put(['a']);
      }
    } finally {
      await started.close();
    }
  },
);

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
