/** How the database's time per sent outbox request grows with the number of waiting requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { FilledOutbox, type Distribution, type Kind } from '../../runtime/outbox/filled-outbox.js';
import type { Bench } from '../bench.js';
import { databaseTime, type DatabaseTime } from '../database-time.js';
import { atMost, type Row } from '../row.js';
import { median, ratios } from '../statistics.js';

const sizes = [1_000, 100_000] as const;
/** Requests sent in one measurement, and after one filling: the number of waiting requests must stay about the same. */
const sends = 1_000;
const sendsOfFilling = 250;
/** The minimum number of rows that one claim parks. */
const rowsOfClaim = 400;

const cases: readonly {
  readonly name: string;
  readonly distribution: Distribution;
  readonly fails?: boolean;
}[] = [
  { name: 'without a key', distribution: 'no key' },
  { name: 'sent again (outbox retry all)', distribution: 'no key', fails: true },
  { name: 'of one key', distribution: 'one key' },
  { name: 'of 100 keys', distribution: 'a hundred keys, one after the other' },
  { name: 'of a key each', distribution: 'keys of their own' },
];

/** The outbox rows for both databases. */
export async function outboxRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ['PostgreSQL', 'MariaDB'] as const) {
    const { server } = await (kind === 'MariaDB' ? bench.databases.mariadb() : bench.databases.postgres());
    const outbox = await FilledOutbox.open(kind, server, 'outbox');
    const time = await databaseTime(server, 'outbox');
    try {
      for (const one of cases) rows.push(await rowOf(bench, outbox, time, one, kind));
    } finally {
      await outbox.close();
    }
  }
  return rows;
}

async function rowOf(
  bench: Bench,
  outbox: FilledOutbox,
  time: DatabaseTime,
  one: (typeof cases)[number],
  kind: Kind,
): Promise<Row> {
  const [few, many]: readonly [number[], number[]] = [[], []];
  const rounds = bench.quick ? 1 : 3;
  for (let round = 0; round < rounds; round += 1) {
    few.push(await timeOfOne(outbox, time, one, sizes[0]));
    many.push(await timeOfOne(outbox, time, one, sizes[1]));
  }
  return {
    job: 'growth',
    goal: `Outbox on ${kind}, requests ${one.name}: time of the database for one that is sent while 100,000 wait, against 1,000`,
    target: atMost(1.5),
    figures: ratios(many, few),
    parts: [few, many].map((times, index) => ({
      name: `${(sizes[index] ?? 0).toLocaleString('en')} wait`,
      seen: `${median(times).toFixed(3)} ms a request`,
    })),
  };
}

/** The database's processor time in milliseconds, including work that is done once for each row. */
async function timeOfOne(
  outbox: FilledOutbox,
  time: DatabaseTime,
  { distribution, fails = false }: (typeof cases)[number],
  count: number,
): Promise<number> {
  const isSmall = count === sizes[0];
  const fillings = isSmall ? sends / sendsOfFilling : 1;
  let once = 0;
  let spent = 0;
  for (let filling = 0; filling < fillings; filling += 1) {
    await outbox.exec('drop table if exists apikiln_outbox');
    await outbox.store.prepare();
    await outbox.fill(count, distribution, fails ? 'failed' : 'waiting');
    if (fails) await outbox.store.resolveAll('retry');
    await tidy(outbox);
    time();
    // Park the rows that follow other rows with the same key.
    for (let claimed = 0; claimed < count; claimed += rowsOfClaim) await sendNext(outbox);
    once += time() / count;
    await tidy(outbox);
    time();
    let sent = 0;
    while (sent < sends / fillings) sent += await sendNext(outbox);
    spent += time() / sent;
  }
  return (once + spent) / fillings;
}

/** Runs the maintenance that the server would do later by itself. */
async function tidy(outbox: FilledOutbox): Promise<void> {
  await outbox.exec(
    outbox.kind === 'MariaDB' ? 'analyze table apikiln_outbox' : 'vacuum analyze apikiln_outbox',
  );
  await pause(100);
}

async function sendNext({ store }: FilledOutbox): Promise<number> {
  const { requests } = await store.claim('receiver', 60_000);
  await store.sent(requests);
  return requests.length;
}
