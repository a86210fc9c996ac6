/** The response to the caller of a change whose connection was cut at any byte, compared with what is there (decisions 11.13). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reply, ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { value } from '../../../runtime/sql/lists.js';
import { sql } from '../../../runtime/sql/sql.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

/** CUTS=1000 makes a thousand on each database. */
const cuts = Number(process.env['CUTS'] ?? 200);

type Outcome = 'done' | 'certainly not done' | 'unknown';

/** Numbers that look random, the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

describe.each([
  { name: 'PostgreSQL', shared: sharedPostgres, make: postgres },
  { name: 'MariaDB', shared: sharedMariadb, make: mysql },
])('$name', ({ name, shared, make }) => {
  let server: AttachedServer;
  let proxy: Proxy;
  let bank: DatabaseDatasource;

  beforeAll(async () => {
    server = await shared();
    proxy = await startProxy(server.port);
    await server.createDatabase('cuts');
    await server.exec('cuts', 'create table entry (id int)');
    bank = make({ name: 'bank', pool: { max: 2 } });
    const url = server.jdbcUrl('cuts').replace(/:\d+/, `:${proxy.port}`);
    bank.open({ url, user: server.user, password: server.password });
  });

  afterAll(async () => {
    await bank.close(performance.now() + 1000);
    await proxy.close();
  });

  async function outcomeOf(run: Promise<unknown>): Promise<Outcome> {
    try {
      await run;
      return 'done';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { status, message, details } = error;
      if (status === 503 && details.retryAfter === 1 && details.outcome === undefined)
        return 'certainly not done';
      expect({ status, message, ...details }).toMatchObject({
        status: 500,
        message: 'It is unknown whether the change was made',
        outcome: 'unknown',
      });
      expect(details.retryAfter).toBeUndefined();
      return 'unknown';
    }
  }

  test(`${cuts} cuts at any byte: the response is true`, { timeout: 600_000 }, async () => {
    const site = { operation: 'POST /entries', fulfillment: 'entry' };
    const insert = bank.update({ ...site, sql: sql`insert into entry (id) values (${value})` });
    const read = bank.read({ ...site, sql: 'select count(*) as n from entry where id < 0' });
    const random = numbers(7);
    const next = (limit: number) => Math.floor(random.next().value * limit);
    /** The outcome of each change, by the id of its rows; a transaction has two of them. */
    const reported = new Map<number, { readonly outcome: Outcome; readonly rows: 1 | 2 }>();

    for (let id = 1; proxy.cuts() < cuts; id += 1) {
      if (id % 2 === 1) proxy.cutAfter(next(300), next(2) === 0 ? 'to server' : 'to client');
      const rows = next(2) === 0 ? 1 : 2;
      const call = testCall();
      const outcome = await outcomeOf(
        rows === 1
          ? insert(call, [id])
          : inTransaction(call, async (inside) => {
              await insert(inside, [id]);
              await insert(inside, [id]);
              return reply(204);
            }),
      );
      reported.set(id, { outcome, rows });
      // Reads are sent again where their connection is cut.
      if (id % 5 === 0) expect(await read(testCall(), [])).toEqual([{ n: 0 }]);
    }

    proxy.heal();
    // Statements that were cut may still be running.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const there = new Map<number, number>();
    for (const { id, n } of await server.exec('cuts', 'select id, count(*) as n from entry group by id')) {
      there.set(Number(id), Number(n));
    }
    const counts: Record<string, number> = {};
    for (const [id, { outcome, rows }] of reported) {
      const found = there.get(id) ?? 0;
      const state = found === 0 ? 'not there' : found === rows ? 'there' : 'something else';
      const key = `${rows === 1 ? 'statement' : 'transaction'}, ${outcome}: ${state}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    process.stdout.write(`${name}, ${proxy.cuts()} cuts: ${JSON.stringify(counts, undefined, 2)}\n`);
    const possible = /, (?:done: there|certainly not done: not there|unknown: (?:not )?there)$/;
    expect(Object.keys(counts).filter((key) => !possible.test(key))).toEqual([]);
    // A test in which nothing is ever unknown, or nothing ever certain, would show nothing.
    for (const outcome of ['done', 'certainly not done', 'unknown'])
      expect(Object.keys(counts).some((key) => key.includes(`, ${outcome}:`))).toBe(true);
  });
});
