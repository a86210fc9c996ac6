/** Responses for statements whose connection, with or without TLS, was cut at any byte, compared with the data. */
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { value } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { csv } from '../../../runtime/responses/csv.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import { reply } from '../../../runtime/responses/reply.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import { startSecureMariadb, startSecurePostgres } from '../../helpers/certificate.js';
import type { AttachedServer, DatabaseServer } from '../../helpers/database-server.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { serve } from '../serve.js';

/** CUTS=1000 makes a thousand cuts on each database. */
const cuts = Number(process.env['CUTS'] ?? 100);

type Outcome = 'done' | 'certainly not done' | 'unknown';

/** Pseudorandom numbers, the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

/** A private server is stopped afterwards; the shared one is not. */
type Stoppable = AttachedServer & Partial<Pick<DatabaseServer, 'stop'>>;

interface Case {
  readonly name: string;
  readonly start: () => Promise<Stoppable>;
  readonly make: typeof postgres | typeof mysql;
  readonly options: string;
}

/** The number of rows read, and slightly more than their size in bytes. */
const lines = 1000;
const size = lines * 70;
const noteOf = (id: number) => `${'-'.repeat(id % 50)} line ${id}`;

/** The text of a response; undefined if the end is missing. */
function textOf(url: string): Promise<{ readonly status: number; readonly text: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      const { statusCode: status = 0 } = response;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status, text });
      });
      response.on('error', () => {
        resolve({ status, text: undefined });
      });
    }).on('error', (error: NodeJS.ErrnoException) => {
      // A reset right after the response head may arrive before the head.
      if (error.code === 'ECONNRESET') resolve({ status: 200, text: undefined });
      else reject(error);
    });
  });
}

describe.each<Case>([
  { name: 'PostgreSQL', start: sharedPostgres, make: postgres, options: '' },
  { name: 'MariaDB', start: sharedMariadb, make: mysql, options: '' },
  { name: 'PostgreSQL, TLS', start: startSecurePostgres, make: postgres, options: '?sslmode=require' },
  { name: 'MariaDB, TLS', start: startSecureMariadb, make: mysql, options: '?sslMode=REQUIRED' },
])('$name', ({ name, start, make, options }) => {
  let server: Stoppable;
  let proxy: Proxy;
  let bank: DatabaseDatasource;

  beforeAll(async () => {
    server = await start();
    proxy = await startProxy(server.port);
    await server.createDatabase('cuts');
    await server.exec('cuts', 'create table entry (id int); create table line (id int, note varchar(100))');
    const rows = Array.from({ length: lines }, (_, id) => `(${id}, '${noteOf(id)}')`);
    await server.exec('cuts', `insert into line values ${rows.join(', ')}`);
    bank = make({ name: 'bank', pool: { max: 2 } });
    const url = server.jdbcUrl('cuts').replace(/:\d+/, `:${proxy.port}`);
    bank.open({ url: url + options, user: server.user, password: server.password });
  });

  afterAll(async () => {
    await bank.close(performance.now() + 1000);
    await proxy.close();
    await server.stop?.();
  });

  test('the connection is as its URL says', async () => {
    const site = { operation: 'GET /tls', fulfillment: 'tls' };
    const [way, encrypted] =
      make === postgres
        ? ['select ssl::text as tls from pg_stat_ssl where pid = pg_backend_pid()', 'true']
        : ["show status like 'Ssl_version'", 'TLS'];
    const [row] = await bank.read({ ...site, sql: way })(testCall(), []);
    expect(JSON.stringify(row)).toMatch(options === '' ? /"(?:false)?"\}$/ : encrypted);
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
    /** The reported result of each change, by the id of its rows; a transaction has two rows. */
    const reported = new Map<number, { readonly outcome: Outcome; readonly rows: 1 | 2 }>();
    const before = proxy.cuts();

    for (let id = 1; proxy.cuts() - before < cuts; id += 1) {
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
      // A read is sent again if its connection is cut.
      if (id % 5 === 0) expect(await read(testCall(), [])).toEqual([{ n: 0 }]);
    }

    proxy.heal();
    // Cut statements may still be running.
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
    process.stdout.write(`${name}, ${proxy.cuts() - before} cuts: ${JSON.stringify(counts, undefined, 2)}\n`);
    const possible = /, (?:done: there|certainly not done: not there|unknown: (?:not )?there)$/;
    expect(Object.keys(counts).filter((key) => !possible.test(key))).toEqual([]);
    // If no result were unknown, or no result certain, the test would prove nothing.
    for (const outcome of ['done', 'certainly not done', 'unknown'])
      expect(Object.keys(counts).some((key) => key.includes(`, ${outcome}:`))).toBe(true);
  });

  test(
    `${cuts} cuts of rows at any byte: an incomplete result is never mistaken for a complete one`,
    { timeout: 600_000 },
    async () => {
      const site = { operation: 'GET /lines', fulfillment: 'lines' };
      const text = 'select id, note from line order by id';
      const whole = Array.from({ length: lines }, (_, id) => ({ id, note: noteOf(id) }));
      const first = bank.read({ ...site, sql: 'select count(*) as n from line' });
      const read = bank.read({ ...site, sql: text });
      const readOnce = bank.read({ ...site, sql: text, retry: false });
      const as = csv(['id', 'note']);
      const served = await serve({
        'GET /lines': (call: Call) => reply(200, streamRows(read, call), { type: 'text/csv', as }),
      });
      const statusOf = async (run: Promise<unknown>) => {
        try {
          expect(await run).toEqual(whole);
          return '200';
        } catch (error) {
          if (error instanceof ServiceError) return String(error.status);
          throw error;
        }
      };
      const table = (await textOf(`${served.url}/lines`)).text ?? '';
      expect(table.split('\r\n')).toHaveLength(lines + 2);
      const ways: readonly (readonly [name: string, run: () => Promise<string>])[] = [
        // Sent again after a cut.
        ['READ', () => statusOf(read(testCall(), []))],
        [
          'READ in a transaction',
          () =>
            statusOf(
              inTransaction(testCall(), async (inside) => {
                await first(inside, []);
                return read(inside, []);
              }),
            ),
        ],
        // May have made a change.
        ['READ with retry: false', () => statusOf(readOnce(testCall(), []))],
        [
          'stream',
          async () => {
            const { status, text: found } = await textOf(`${served.url}/lines`);
            if (status !== 200) return String(status);
            if (found === undefined) return 'cut off';
            expect(found).toBe(table);
            return '200';
          },
        ],
      ];
      const random = numbers(8);
      const counts: Record<string, number> = {};
      const before = proxy.cuts();
      while (proxy.cuts() - before < cuts) {
        for (const [way, run] of ways) {
          // Opens connections in advance, so that rows are cut more often than connection setup.
          await read(testCall(), []);
          proxy.cutAfter(Math.floor(random.next().value * size), 'to client');
          const key = `${way}: ${await run()}`;
          proxy.heal();
          counts[key] = (counts[key] ?? 0) + 1;
        }
      }
      proxy.heal();
      await served.stop();
      process.stdout.write(
        `${name}, ${proxy.cuts() - before} cuts of rows: ${JSON.stringify(counts, undefined, 2)}\n`,
      );
      const possible =
        /^(?:READ: 200|READ in a transaction: (?:200|503)|READ with retry: false: (?:200|500|503)|stream: (?:200|503|cut off))$/;
      expect(Object.keys(counts).filter((key) => !possible.test(key))).toEqual([]);
      for (const seen of [
        'READ: 200',
        'READ in a transaction: 503',
        'READ with retry: false: 500',
        'stream: cut off',
      ])
        expect(counts[seen]).toBeGreaterThan(0);
    },
  );
});
