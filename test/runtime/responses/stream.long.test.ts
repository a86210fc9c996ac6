/** A million rows are written as they arrive, with little memory; also through PgBouncer, and for the caller of a context. */
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Row } from '../../../runtime/handler/json.js';
import { listOf } from '../../../runtime/lists/list-of.js';
import { streamList } from '../../../runtime/lists/stream-list.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { rowsOfCaller } from '../../../runtime/postgres/rows-of-caller.js';
import { csv } from '../../../runtime/responses/csv.js';
import { jsonLines } from '../../../runtime/responses/lines.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { DatabaseServer } from '../../helpers/database-server.js';
import { startPgBouncer, type PgBouncer } from '../../helpers/pgbouncer.js';
import { startPostgres } from '../../helpers/postgres-server.js';
import { serve, type Served } from '../serve.js';
import { openMariadb, openPostgres, read, type TestDatasource } from '../sql/open-datasource.js';

function ask(served: Served, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${served.url}${path}`, { headers, agent: false }, resolve).on('error', reject);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

async function freed(datasource: DatabaseDatasource): Promise<void> {
  await expect.poll(() => datasource.connections().used, { timeout: 10_000 }).toBe(0);
}

const million = 1_000_000;

/** Read as lists, the rows would need several hundred MiB. */
const maxMebibytes = 100;

describe.each([
  [
    'PostgreSQL',
    () => openPostgres('stream_million'),
    `SELECT n AS id, 'row ' || n AS name, now() AS moment FROM generate_series(1, ${million}) AS n`,
  ],
  [
    'MariaDB',
    () => openMariadb('stream_million'),
    `SELECT seq AS id, concat('row ', seq) AS name, now() AS moment FROM seq_1_to_${million}`,
  ],
] as const)('on %s', (_, open, sql) => {
  let opened: TestDatasource;
  let served: Served;

  beforeAll(async () => {
    opened = await open();
    const all = opened.datasource.read({ operation: 'GET /rows', fulfillment: 'rows', sql });
    const list = listOf(opened.datasource, {
      ...{ operation: 'GET /sorted', fulfillment: 'rows', sql },
      order: {
        allow: { last: [{ column: 'id', descending: true }], first: [{ column: 'id' }] },
        default: 'last',
      },
    });
    const type = 'text/csv; charset=utf-8';
    const as = csv(['id', 'name', 'moment']);
    served = await serve({
      'GET /rows': (call: Call) => reply(200, streamRows(all, call), { type, as }),
      'GET /sorted': (call: Call) =>
        reply(200, streamList(list, call, [], { by: call.query('sort') }), { type, as }),
    });
  });
  afterAll(async () => {
    await served.stop();
    await opened.datasource.close(performance.now() + 1000);
  });

  test.each([
    ['as they are', '/rows', million],
    ['in the default order', '/sorted', 1],
    ['in another order', '/sorted?sort=first', million],
  ])('a million rows %s need little memory', async (_, path, lastId) => {
    // The first request loads and compiles code, so it is not measured.
    const first = await ask(served, path);
    first.once('data', () => first.destroy());
    await freed(opened.datasource);
    const before = process.memoryUsage().rss;
    let most = before;
    let lines = 0;
    let last = '';
    for await (const chunk of (await ask(served, path)) as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === 10) lines += 1;
      last = chunk.toString();
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(lines).toBe(million + 1);
    expect(last).toContain(`\r\n${lastId},row ${lastId},`);
    expect((most - before) / 1024 / 1024).toBeLessThan(maxMebibytes);
    await freed(opened.datasource);
  });
});

describe('behind PgBouncer, which keeps no session', () => {
  let server: DatabaseServer;
  let pooler: PgBouncer;
  let shop: DatabaseDatasource;
  let served: Served;

  beforeAll(async () => {
    server = await startPostgres();
    await server.createDatabase('streamed');
    await server.exec(
      'streamed',
      `create role streamed_reader nologin;
       create table item (id int, tenant text, wide text default repeat('x', 200));
       insert into item select n, case when n % 2 = 0 then 'a' else 'b' end from generate_series(1, 4000) n;
       alter table item enable row level security;
       create policy own on item using (tenant = current_setting('app.tenant', true));
       grant select on item to streamed_reader;`,
    );
    pooler = await startPgBouncer(server, {
      mode: 'transaction',
      ignored: 'extra_float_digits,options',
      size: 2,
    });
    const settings = { 'app.tenant': (call: Call) => call.header('x-tenant') };
    const context = rowsOfCaller({ settings, role: 'streamed_reader' });
    shop = postgres({ name: 'shop', pool: { max: 12 }, timeout: 5, context });
    const { user, password } = pooler;
    shop.open({ url: pooler.jdbcUrl('streamed'), user, password });
    const statement = (sql: string) => shop.read({ operation: 'GET /test', fulfillment: 'rows', sql });
    const lines = (sql: string) => {
      const rows = statement(sql);
      return (call: Call) =>
        reply(200, streamRows(rows, call), { type: 'application/x-ndjson', as: jsonLines });
    };
    served = await serve({
      'GET /items': lines(
        "select id, tenant, wide, current_user as role, current_setting('statement_timeout') as time from item order by id",
      ),
      'GET /broken': lines(
        'select id, wide, 1 / (3000 - id) as broken from (select id, wide from item order by id offset 0) as item',
      ),
    });
  });
  afterAll(async () => {
    await served.stop();
    await shop.close(performance.now() + 1000);
    await pooler.stop();
    await server.stop();
  });

  test('the rows of each caller, without the limits of the server, and nothing of it is left', async () => {
    const tenants = ['a', 'b', 'a', 'b'];
    const texts = await Promise.all(
      tenants.map(async (tenant) => textOf(await ask(served, '/items', { 'x-tenant': tenant }))),
    );
    for (const [index, text] of texts.entries()) {
      const rows = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row);
      expect(rows).toHaveLength(2000);
      expect(new Set(rows.map(({ tenant }) => tenant))).toEqual(new Set([tenants[index]]));
      expect(rows[1999]).toMatchObject({ role: 'streamed_reader', time: '0' });
    }
    await freed(shop);
    const plain = postgres({ name: 'plain' });
    plain.open({ url: pooler.jdbcUrl('streamed'), user: pooler.user, password: pooler.password });
    const sql =
      "select current_setting('statement_timeout') as time, current_setting('app.tenant', true) as tenant, current_user = session_user as is_self";
    for (let tries = 0; tries < 5; tries += 1)
      expect(await read(plain, sql)).toEqual([{ time: '0', tenant: '', is_self: true }]);
    await plain.close(performance.now() + 1000);
  });

  test('a caller without a value is 403', async () => {
    const response = await ask(served, '/items');
    expect(response.statusCode).toBe(403);
    response.resume();
    await freed(shop);
  });

  test('an error after the first row, and a client that disconnects, free the connection', async () => {
    const broken = await ask(served, '/broken', { 'x-tenant': 'a' });
    expect(broken.statusCode).toBe(200);
    await expect(textOf(broken)).rejects.toThrow('aborted');
    await freed(shop);
    const gone = await ask(served, '/items', { 'x-tenant': 'a' });
    gone.destroy();
    await freed(shop);
    const text = await textOf(await ask(served, '/items', { 'x-tenant': 'b' }));
    expect(text.split('\n')).toHaveLength(2001);
  });
});
