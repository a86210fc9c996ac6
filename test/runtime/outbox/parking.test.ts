/**
 * Outbox rows that follow others with the same key: each claim reads few rows, and no row is held up for long, whatever the order of
 * transactions.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mysqlStatements, postgresStatements } from '../../../runtime/outbox/statements.js';
import type { KeptConnection } from '../../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { FilledOutbox, type Distribution } from './filled-outbox.js';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const positions = (rows: readonly { readonly position: string }[]): number[] =>
  rows.map(({ position }) => Number(position));

describe.each([
  ['PostgreSQL', sharedPostgres],
  ['MariaDB', sharedMariadb],
] as const)('%s', (kind, shared) => {
  let outbox: FilledOutbox;
  beforeAll(async () => {
    outbox = await FilledOutbox.open(kind, await shared(), `outbox_parking_${process.pid}`);
  });
  beforeEach(async () => {
    await outbox.exec('drop table if exists apikiln_outbox');
    await outbox.store.prepare();
  });
  afterAll(() => outbox.close());

  /** Stores rows with the key `a` until many are parked; the first one has been claimed. */
  async function hotKey(count = 200): Promise<void> {
    await outbox.put(Array.from({ length: count }, () => 'a'));
    expect(positions(await outbox.claimAll())).toEqual([1]);
    expect(await outbox.parked()).toEqual(range(2, count));
  }
  /** Runs the steps and then commits, on another connection. */
  async function inOther<Result>(steps: (other: KeptConnection) => Promise<Result>): Promise<Result> {
    const other = await outbox.server.connect(outbox.database);
    try {
      await other.run('begin');
      const result = await steps(other);
      await other.run('commit');
      return result;
    } finally {
      await other.end();
    }
  }
  const lastPosition = async (): Promise<number> =>
    Number((await outbox.exec('select max(position) as last from apikiln_outbox'))[0]?.['last']);
  const first = { position: '1', orderKey: '61'.padStart(64, '0') };

  test('a sent request keeps neither its URL nor its header nor its body', async () => {
    await outbox.fill(2, 'keys of their own');
    const contents = (): Promise<unknown> =>
      outbox.exec('select state, url, header, content from apikiln_outbox order by position');
    const waiting = { state: 'waiting', url: '/hook', header: '{}', content: '{"id":1}' };
    expect(await contents()).toEqual([waiting, waiting]);
    await outbox.store.sent([{ position: '1', orderKey: null }]);
    expect(await contents()).toEqual([{ state: 'sent', url: '', header: '', content: null }, waiting]);
  });

  test('where few rows are due, none is parked', async () => {
    await outbox.put(['a', 'a', 'b', null]);
    expect(positions(await outbox.claimAll())).toEqual([1, 3, 4]);
    expect(await outbox.parked()).toEqual([]);
  });

  test('rows after others of their key make room for the others', async () => {
    await outbox.put([...Array.from({ length: 700 }, () => 'a'), 'b', null]);
    expect(positions(await outbox.claimAll()).sort((a, b) => a - b)).toEqual([1, 701, 702]);
    expect(await outbox.parked()).toEqual(range(2, 700));
  });

  test('with the first row the next one is due, in the place of its age', async () => {
    await hotKey();
    await outbox.put([null]);
    await outbox.store.sent([first]);
    expect(await outbox.parked()).toEqual(range(3, 200));
    expect(positions((await outbox.store.claim('receiver', 60_000)).requests)).toEqual([
      2,
      await lastPosition(),
    ]);
  });

  test('all rows of all keys are sent in order', async () => {
    const keys = range(1, 250).map((number) => (number < 150 ? 'a' : `${number % 3}`));
    await outbox.put(keys);
    const sent = await outbox.drain();
    expect(sent).toHaveLength(250);
    for (const key of ['a', '0', '1', '2']) {
      const ofKey = sent.filter((position) => keys[position - 1] === key);
      expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
    }
  });

  test('a failed row holds up later rows, until it is dropped or sent', async () => {
    await outbox.put(Array.from({ length: 100 }, () => 'a'));
    const [claimed] = await outbox.claimAll();
    if (claimed === undefined) throw new Error('nothing was claimed');
    await outbox.store.notSent(claimed, { state: 'failed', reason: 'status 400', pause: 0 });
    expect(await outbox.claimAll()).toEqual([]);
    expect(await outbox.store.resolveAll('retry')).toBe(1);
    expect(positions(await outbox.claimAll())).toEqual([1]);
    await outbox.exec("update apikiln_outbox set state = 'failed' where position = 1");
    expect(await outbox.store.resolveAll('drop')).toBe(1);
    expect(positions(await outbox.claimAll())).toEqual([2]);
  });

  test('a row after others can be dropped, and later rows keep waiting', async () => {
    await hotKey();
    const [{ id } = {}] = await outbox.exec('select id from apikiln_outbox where position = 2');
    expect(await outbox.store.resolve('drop', [String(id)])).toBe(1);
    expect(await outbox.claimAll()).toEqual([]);
    await outbox.store.sent([first]);
    expect(positions(await outbox.claimAll())).toEqual([3]);
  });

  test('drop names rows that wait or have failed, retry those that have failed, of any number', async () => {
    await outbox.fill(2_500, 'no key', 'failed');
    await outbox.exec("update apikiln_outbox set state = 'sent' where position = 1");
    expect(await outbox.store.resolve('drop', ['1', '2', '3', 'x'])).toBe(2);
    expect(await outbox.store.resolve('retry', ['1', '4'])).toBe(1);
    expect(await outbox.store.resolve('retry', ['4'])).toBe(0);
    expect(await outbox.store.resolveAll('retry')).toBe(2_496);
    expect(await outbox.store.resolveAll('drop')).toBe(0);
  });

  test('what fails again meanwhile is not sent again by the same command', async () => {
    await outbox.fill(1_500, 'no key', 'failed');
    await outbox.exec(failsAgain[kind]);
    expect(await outbox.store.resolveAll('retry')).toBe(1_500);
  });

  test('requests are claimed before rows are parked, and where that fails', async () => {
    await outbox.put([null, ...Array.from({ length: 100 }, () => 'a')]);
    await outbox.exec(
      "alter table apikiln_outbox add constraint soon check (due <= created + interval '10' minute)",
    );
    const { requests, hasMore } = await outbox.store.claim('receiver', 60_000);
    expect(positions(requests)).toEqual([1, 2]);
    await expect(hasMore()).rejects.toThrow();
  });

  test('a row is not parked while the first one of its key is being sent or dropped', async () => {
    await outbox.put(Array.from({ length: 100 }, () => 'a'));
    await outbox.exec("update apikiln_outbox set lease = 'x', due = expires where position = 1");
    await inOther(async (other) => {
      await other.run("update apikiln_outbox set state = 'sent', order_key = null where position = 1");
      expect(await outbox.claimAll()).toEqual([]);
      expect(await outbox.parked()).toEqual([]);
    });
    expect(positions((await outbox.store.claim('receiver', 60_000)).requests)).toEqual([2]);
  });

  test('a row that was stored and parked after its first one was to be marked as sent is due', async () => {
    await outbox.put(['a']);
    const { marked } = await inOther(async (other) => {
      await other.run('select position from apikiln_outbox where position = 1 for update');
      const sent = outbox.store.sent([first]);
      await expect.poll(() => outbox.isLocked()).toBe(true);
      await outbox.put(['a']);
      await other.run(outbox.parkStatement(2));
      return { marked: sent };
    });
    await marked;
    expect(await outbox.parked()).toEqual([]);
    expect(positions(await outbox.claimAll())).toEqual([2]);
  });

  test('a row that is committed after all before it were sent is due', async () => {
    await outbox.put(Array.from({ length: 100 }, () => 'a'));
    let commit = (): void => undefined;
    const stored = outbox.put(['a', 'a'], () => new Promise<void>((resolve) => (commit = resolve)));
    expect(await outbox.drain()).toEqual(range(1, 100));
    commit();
    await stored;
    expect(await outbox.parked()).toEqual([]);
    expect(await outbox.drain()).toHaveLength(2);
  });

  test('a transaction that was rolled back holds up nothing', async () => {
    await hotKey();
    const undone = outbox.put(['a'], () => Promise.reject(new Error('no')));
    await expect(undone).rejects.toThrow('no');
    await outbox.put(['a']);
    await outbox.store.sent([first]);
    expect(await outbox.drain()).toHaveLength(200);
  });

  test('several processes park and send at the same time', async () => {
    await outbox.put(range(1, 500).map((number) => `${number % 4}`));
    const sent = (await Promise.all([outbox.drain(), outbox.drain(), outbox.drain()])).flat();
    // One process may finish while others are still sending.
    sent.push(...(await outbox.drain()));
    expect(sent.toSorted((a, b) => a - b)).toEqual(range(1, 500));
    expect(await outbox.parked()).toEqual([]);
  });

  test('the sweep finds what an earlier version has left, and nothing else', async () => {
    await hotKey(1_500);
    const swept = async (): Promise<number[]> => [
      await outbox.store.sweep('receiver'),
      await outbox.store.sweep('receiver'),
    ];
    expect(await swept()).toEqual([0, 0]);
    await outbox.sentByEarlierVersion(1);
    await outbox.exec("update apikiln_outbox set order_key = 'b' where position = 1400");
    expect(await outbox.claimAll()).toEqual([]);
    // The sweep examines 1,000 rows at a time, and continues after the last one.
    expect(await swept()).toEqual([1, 1]);
    expect(positions(await outbox.claimAll())).toEqual([2, 1_400]);
    expect(await swept()).toEqual([0, 0]);
  });

  test('a row that waits for its next attempt is not made due', async () => {
    await outbox.put(['a', null]);
    for (const claimed of await outbox.claimAll())
      await outbox.store.notSent(claimed, { state: 'waiting', reason: 'status 503', pause: 60_000 });
    expect(await outbox.store.sweep('receiver')).toBe(0);
    expect(await outbox.claimAll()).toEqual([]);
  });

  test('parked rows are looked at again after an hour', async () => {
    await hotKey();
    await outbox.exec('update apikiln_outbox set due = created where position > 1');
    expect(await outbox.claimAll()).toEqual([]);
    expect(await outbox.parked()).toEqual(range(2, 200));
    await outbox.sentByEarlierVersion(1);
    await outbox.exec('update apikiln_outbox set due = created where position > 1');
    expect(positions(await outbox.claimAll())).toEqual([2]);
  });

  /** The number of rows read by the statement. */
  async function rowsRead(statement: string): Promise<number> {
    const connection = await outbox.server.connect(outbox.database);
    try {
      if (kind === 'MariaDB') {
        await connection.run('flush status');
        await connection.run(statement);
        const result = await connection.run("show session status like 'Handler_read%'");
        const [counts] = result as readonly [readonly { readonly Value: string }[]];
        // Includes rows of temporary tables.
        return counts.reduce((sum, { Value }) => sum + Number(Value), 0);
      }
      const result = await connection.run(`explain (analyze, format json) ${statement}`);
      const { rows } = result as {
        readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }[];
      };
      return (rows[0]?.['QUERY PLAN'] ?? []).reduce((sum, { Plan: plan }) => sum + readBy(plan), 0);
    } finally {
      await connection.end();
    }
  }

  const statements = kind === 'MariaDB' ? mysqlStatements : postgresStatements;
  const withValues = (text: string): string =>
    text
      .replace(/\$2(?!\d)/, "'lease'")
      .replace('$3::integer', '60000')
      .replaceAll(/\$1|\?/g, "'receiver'");

  test.each<Distribution>(['no key', 'one key', 'a hundred keys, one after the other', 'keys of their own'])(
    '%s: a claim reads few of 8,000 rows',
    async (distribution) => {
      await outbox.fill(8_000, distribution);
      const counts = [await rowsRead(withValues(statements.claim))];
      // The first plan was made without statistics.
      await outbox.exec(kind === 'MariaDB' ? 'analyze table apikiln_outbox' : 'analyze apikiln_outbox');
      counts.push(await rowsRead(withValues(statements.claim)));
      counts.push((await rowsRead(withValues(statements.behind))) / 8);
      expect(Math.max(...counts)).toBeLessThan(1_000);
    },
  );

  test('rows of one due are read in their order, and no more of them', async () => {
    await outbox.fill(8_000, 'no key', 'failed');
    expect(await outbox.store.resolveAll('retry')).toBe(8_000);
    await outbox.exec("update apikiln_outbox set due = '2020-01-01'");
    expect(positions((await outbox.store.claim('receiver', 60_000)).requests)).toEqual(range(1, 8));
    expect(await rowsRead(withValues(statements.claim))).toBeLessThan(1_000);
  });
});

/** A trigger that makes a request fail as soon as it is sent again. */
const failsAgain = {
  PostgreSQL: `
create function refuse() returns trigger language plpgsql as $$
begin new.state := 'failed'; new.due := clock_timestamp(); return new; end $$;
create trigger refusing before update on apikiln_outbox for each row
  when (new.state = 'waiting') execute function refuse()`,
  MariaDB: `
create trigger refusing before update on apikiln_outbox for each row
  set new.state = if(new.state = 'waiting', 'failed', new.state), new.due = utc_timestamp(3)`,
};

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The number of table rows read, including those filtered out. */
function readBy(plan: Plan): number {
  const own =
    plan['Relation Name'] === undefined
      ? 0
      : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return own + (plan.Plans ?? []).reduce((sum, inner) => sum + readBy(inner), 0);
}
