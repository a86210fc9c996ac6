/** Results that are too large: they do not fill the memory, and other requests are not affected. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { memoryBudget, shareOfCopies } from '../../../runtime/handler/memory.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { value } from '../../../runtime/sql/in-lists.js';
import { sql } from '../../../runtime/sql/sql-template.js';
import { inTransaction } from '../../../runtime/transactions/transaction.js';
import type { AttachedServer } from '../../helpers/database-server.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';

const site = { operation: 'GET /test', fulfillment: 'rows' };

describe.each([
  {
    name: 'PostgreSQL',
    shared: sharedPostgres,
    make: postgres,
    rows: sql`select i, 'x' as x from generate_series(1, ${value}::int) as i`,
    wide: sql`select repeat('x', ${value}::int) as x`,
    endless: "select generate_series(1, 100000000) as i, repeat('x', 1000) as x",
  },
  {
    name: 'MariaDB',
    shared: sharedMariadb,
    make: mysql,
    rows: sql`select seq as i, 'x' as x from seq_1_to_100000 limit ${value}`,
    wide: sql`select repeat('x', ${value}) as x`,
    endless: "select seq, repeat('x', 1000) as x from seq_1_to_100000000",
  },
])('$name', ({ shared, make, rows, wide, endless }) => {
  let server: AttachedServer;
  let opened: DatabaseDatasource[] = [];

  beforeAll(async () => {
    server = await shared();
    await server.createDatabase('limits');
    await server.exec('limits', 'create table entry (id int)');
  });

  afterEach(async () => {
    await Promise.all(opened.map((datasource) => datasource.close(performance.now() + 1000)));
    opened = [];
  });

  function open(limits: { rowLimit?: number; resultLimit?: number } = {}, max = 2): DatabaseDatasource {
    const datasource = make({ name: 'main', pool: { max } });
    const { user, password } = server;
    datasource.open({ url: server.jdbcUrl('limits'), user, password, ...limits });
    opened.push(datasource);
    return datasource;
  }

  async function errorOf(run: Promise<unknown>): Promise<ServiceError> {
    const error: unknown = await run.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ServiceError) return error;
    throw new Error('no ServiceError', { cause: error });
  }

  test('rows: as many as allowed are returned, more are 500, and the log names the fulfillment', async () => {
    const statement = open({ rowLimit: 5000 }).read({ ...site, sql: rows });
    expect(await statement(testCall(), [5000])).toHaveLength(5000);
    expect(await errorOf(statement(testCall(), [50_000]))).toMatchObject({
      status: 500,
      message: 'Internal server error',
      details: {
        log: { ...site, datasource: 'main', reason: 'the result has more rows than ROW_LIMIT (5000)' },
      },
    });
    // Each result has a separate limit, even on the same connection.
    for (let times = 0; times < 3; times += 1) expect(await statement(testCall(), [3000])).toHaveLength(3000);
  });

  test('bytes: one large value and many rows are the same', async () => {
    const datasource = open({ resultLimit: 1024 * 1024 });
    const statement = datasource.read({ ...site, sql: wide });
    for (let times = 0; times < 3; times += 1)
      expect(await statement(testCall(), [900_000])).toEqual([{ x: 'x'.repeat(900_000) }]);
    const error = await errorOf(statement(testCall(), [8_000_000]));
    expect(error).toMatchObject({ status: 500, message: 'Internal server error' });
    expect(error.details.log?.['reason']).toBe('the result is larger than RESULT_LIMIT (1048576 bytes)');
    expect(await statement(testCall(), [10])).toHaveLength(1);
  });

  test('a result without an end is not read to its end, and its statement does not run on', async () => {
    const datasource = open();
    const before = process.memoryUsage().rss;
    const error = await errorOf(datasource.read({ ...site, sql: endless })(testCall(60_000), []));
    expect(error.details.log?.['reason']).toMatch(/ROW_LIMIT|RESULT_LIMIT/);
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(600);
    const running =
      make === mysql
        ? "select count(*) as n from information_schema.processlist where info like '%seq_1_to_100000000%' and id <> connection_id()"
        : "select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%100000000%' and pid <> pg_backend_pid()";
    const count = async () => Number((await server.exec('limits', running))[0]?.['n']);
    await expect.poll(count).toBe(0);
  });

  test('in a transaction it undoes what was done', async () => {
    const datasource = open({ rowLimit: 100 });
    const run = inTransaction(testCall(), async (call) => {
      await datasource.update({ ...site, sql: 'insert into entry values (1)' })(call, []);
      await datasource.read({ ...site, sql: rows })(call, [50_000]);
      return reply(204);
    });
    expect(await errorOf(run)).toMatchObject({ status: 500, message: 'Internal server error' });
    expect(await server.exec('limits', 'select id from entry')).toEqual([]);
  });

  test('what the process has no memory for is 503, and undone in a transaction; then it is served', async () => {
    const { limit } = memoryBudget;
    memoryBudget.limit = 1024 * 1024;
    const others = shareOfCopies();
    others.take(500_000);
    try {
      const datasource = open();
      const read = datasource.read({ ...site, sql: wide });
      const refusal = { status: 503, message: 'The service is busy', details: { retryAfter: 1 } };
      const error = await errorOf(read(testCall(), [900_000]));
      expect(error).toMatchObject(refusal);
      expect(error.details.log?.['reason']).toMatch(/^all requests together take more than 1048576 bytes/);
      const run = inTransaction(testCall(), async (call) => {
        await datasource.update({ ...site, sql: 'insert into entry values (2)' })(call, []);
        await read(call, [900_000]);
        return reply(204);
      });
      expect(await errorOf(run)).toMatchObject(refusal);
      expect(await server.exec('limits', 'select id from entry where id = 2')).toEqual([]);
      expect(await read(testCall(), [10])).toHaveLength(1);
      others.release();
      expect(await read(testCall(), [900_000])).toHaveLength(1);
      // A single result may use the whole limit.
      expect(await read(testCall(), [2_000_000])).toHaveLength(1);
      expect(memoryBudget.taken).toBe(0);
    } finally {
      others.release();
      memoryBudget.limit = limit;
    }
  });

  test('quick reads that share its connection get their results all the same', async () => {
    const datasource = open({ rowLimit: 1000 }, 8);
    const statement = datasource.read({ ...site, sql: rows });
    for (let times = 0; times < 10; times += 1) await statement(testCall(), [10]);
    const sizes = [10, 20, 50_000, 30, 1000, 50_000, 40];
    const results = await Promise.allSettled(sizes.map((size) => statement(testCall(), [size])));
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value.length : 'too large')),
    ).toEqual([10, 20, 'too large', 30, 1000, 'too large', 40]);
  });
});
