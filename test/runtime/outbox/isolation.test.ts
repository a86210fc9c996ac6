/** The outbox if PostgreSQL transactions see only earlier commits (`default_transaction_isolation`). */
import { afterEach, describe, expect, test } from 'vitest';
import { sharedPostgres } from '../../helpers/shared-servers.js';
import { FilledOutbox } from './filled-outbox.js';

let outbox: FilledOutbox;
afterEach(() => outbox.close());

/** Makes transactions that park a row wait for this lock. */
const slowParking = `
create function wait() returns trigger language plpgsql as $$
begin perform pg_advisory_xact_lock(7); return new; end $$;
create trigger slow before update on apikiln_outbox for each row
  when (new.due > old.due + interval '30 minutes') execute function wait()`;

describe.each(['read committed', 'repeatable read', 'serializable'])('%s', (level) => {
  async function open(): Promise<void> {
    const database = `outbox_isolation_${process.pid}`;
    outbox = await FilledOutbox.open('PostgreSQL', await sharedPostgres(), database);
    await outbox.exec(`alter database ${database} set default_transaction_isolation = '${level}'`);
    await outbox.store.prepare();
  }

  test('a row that is parked while the one before it is marked as sent is due', async () => {
    await open();
    await outbox.exec(slowParking);
    await outbox.put(Array.from({ length: 100 }, () => 'a'));
    const { requests, hasMore } = await outbox.store.claim('receiver', 60_000);
    expect(requests).toHaveLength(1);
    const other = await outbox.server.connect(outbox.database);
    try {
      await other.run('select pg_advisory_lock(7)');
      const parking = hasMore();
      await expect.poll(() => outbox.locked()).toBe(1);
      const sending = outbox.store.sent(requests);
      await expect.poll(() => outbox.locked()).toBe(2);
      await other.run('select pg_advisory_unlock(7)');
      expect(await parking).toBe(true);
      await sending;
    } finally {
      await other.end();
    }
    expect((await outbox.claimAll()).map(({ position }) => position)).toEqual(['2']);
  });
});
