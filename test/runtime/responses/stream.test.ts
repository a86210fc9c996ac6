/** Responses written while rows arrive, on real servers: first byte, errors, clients, connections. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../runtime/handler/call.js';
import type { Row } from '../../../runtime/handler/json.js';
import { packParts, sendCompressed } from '../../../runtime/http/compression.js';
import { Cors } from '../../../runtime/http/cors.js';
import type { Ended } from '../../../runtime/http/response-end.js';
import { createRouter } from '../../../runtime/http/router.js';
import { mysql } from '../../../runtime/mysql/mysql.js';
import { postgres } from '../../../runtime/postgres/postgres.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { csv } from '../../../runtime/responses/csv.js';
import { jsonLines } from '../../../runtime/responses/lines.js';
import { streamRows } from '../../../runtime/responses/stream-rows.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { Observer } from '../../../runtime/server/contracts.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import type { AttachedServer, KeptConnection } from '../../helpers/database-server.js';
import { runs } from '../../helpers/runs.js';
import { sharedMariadb, sharedPostgres } from '../../helpers/shared-servers.js';
import { testCall } from '../../helpers/test-call.js';
import { serve, type Served } from '../serve.js';

/** Rows of 200 bytes: a few hundred of them exceed the server's buffer. */
const wide = "repeat('x', 200) AS wide";

const databases = [
  {
    name: 'PostgreSQL',
    server: sharedPostgres,
    datasource: postgres,
    rows: `SELECT n AS id, ${wide} FROM generate_series(1, 1000) AS n`,
    many: `SELECT n AS id, ${wide} FROM generate_series(1, 200000) AS n`,
    none: `SELECT n AS id, ${wide} FROM generate_series(1, 0) AS n`,
    locked: `SELECT n AS id, ${wide}, CASE WHEN n = 900 THEN pg_advisory_xact_lock(7) IS NULL END FROM generate_series(1, 1000) AS n`,
    lock: 'SELECT pg_advisory_lock(7)',
    unlock: 'SELECT pg_advisory_unlock(7)',
    broken: `SELECT n AS id, ${wide}, 1 / (900 - n) FROM generate_series(1, 1000) AS n`,
    invalid: 'SELECT nothing',
    limits: "SELECT current_setting('statement_timeout') AS time",
    lifted: ['"0"'],
    usual: ['"5s"'],
    waiting:
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite'",
    running:
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%200000%' AND pid <> pg_backend_pid()",
  },
  {
    name: 'MariaDB',
    server: sharedMariadb,
    datasource: mysql,
    rows: `SELECT seq AS id, ${wide} FROM seq_1_to_1000`,
    many: `SELECT seq AS id, ${wide} FROM seq_1_to_200000`,
    none: `SELECT seq AS id, ${wide} FROM seq_1_to_1 WHERE seq > 1`,
    locked: `SELECT seq AS id, ${wide}, CASE WHEN seq = 900 THEN GET_LOCK('stream', 60) + RELEASE_LOCK('stream') END AS locked FROM seq_1_to_1000`,
    lock: "SELECT GET_LOCK('stream', 60)",
    unlock: "SELECT RELEASE_LOCK('stream')",
    broken: `SELECT t.seq AS id, ${wide}, CASE WHEN t.seq >= 900 THEN (SELECT s.seq FROM seq_1_to_2 AS s WHERE s.seq < t.seq) END AS broken FROM seq_1_to_1000 AS t`,
    invalid: 'SELECT nothing',
    limits: 'SELECT @@max_statement_time AS time, @@net_write_timeout AS pace',
    lifted: ['0', '86400'],
    usual: ['5', '60'],
    waiting:
      "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND state = 'Writing to net'",
    running:
      "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%200000%' AND id <> CONNECTION_ID()",
  },
] as const;

describe.each(databases)('on $name', (sql) => {
  const database = 'stream_rows';
  let server: AttachedServer;
  let datasource: DatabaseDatasource;
  let other: KeptConnection;
  let served: Served;
  /** Status and end of each request in the metrics. */
  const ends: [status: number, ended: string][] = [];
  /** Log entries. */
  const log: Record<string, unknown>[] = [];

  beforeAll(async () => {
    server = await sql.server();
    await server.createDatabase(database);
    other = await server.connect(database);
    // Two of the connections are shared; streams may use half of the other four.
    datasource = sql.datasource({ name: 'shop', pool: { max: 6 }, timeout: 5 });
    const { user, password } = server;
    datasource.open({ url: server.jdbcUrl(database), user, password, rowLimit: 500, resultLimit: 50_000 });
    const read = (text: string) =>
      datasource.read({ operation: 'GET /test', fulfillment: 'rows', sql: text });
    const table = (text: string) => {
      const statement = read(text);
      return (call: Call) =>
        reply(200, streamRows(statement, call), {
          header: headerLines(['X-Rows', 'some']),
          type: 'text/csv; charset=utf-8',
          as: csv(['id', 'wide']),
          fileName: 'rows.csv',
        });
    };
    const lines = (text: string, item?: (row: Row) => Row) => {
      const statement = read(text);
      return (call: Call) =>
        reply(200, streamRows(statement, call), {
          type: 'application/x-ndjson',
          as: jsonLines,
          ...(item === undefined ? {} : { item }),
        });
    };
    const usual = read(sql.limits);
    served = await serve(
      {
        'GET /rows': table(sql.rows),
        'GET /many': table(sql.many),
        'GET /none': table(sql.none),
        'GET /locked': table(sql.locked),
        'GET /broken': table(sql.broken),
        'GET /invalid': table(sql.invalid),
        'GET /lines/rows': lines(sql.rows),
        'GET /lines/many': lines(sql.many),
        'GET /lines/broken': lines(sql.broken),
        'GET /lines/none': lines(sql.none),
        'GET /limits': lines(sql.limits),
        'GET /unfit': lines(sql.rows, () => {
          throw new Error('the item of a row fails');
        }),
        'GET /usual': async (call: Call) => ({ status: 200, body: await usual(call) }),
      },
      {
        ...{ sendCompressed, packParts, cors: new Cors(['https://a.example'], createRouter([])) },
        observer: {
          requestBegun: () => undefined,
          requestEnded: (_operation: string | undefined, status: number, ended: Ended) => {
            ends.push([status, ended]);
          },
        } as Partial<Observer> as Observer,
        log: pino(
          { base: null, formatters: { level: (level) => ({ level }) } },
          { write: (line: string) => log.push(JSON.parse(line) as Record<string, unknown>) },
        ),
        logRequests: 'on',
      },
    );
  });
  afterAll(async () => {
    await served.stop();
    await datasource.close(performance.now() + 1000);
    await other.end();
  });

  beforeEach(() => {
    ends.length = 0;
    log.length = 0;
  });

  function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request(`${served.url}${path}`, { method, headers, agent: false }, resolve).on('error', reject).end();
    });
  }

  async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
    let text = '';
    for await (const chunk of response) text += chunk.toString();
    return text;
  }

  /** The text up to the first chunk that contains the words. */
  async function until(words: string, response: AsyncIterator<Buffer>): Promise<string> {
    let text = '';
    while (!text.includes(words)) {
      const part: IteratorResult<Buffer, unknown> = await response.next();
      if (part.done === true) throw new Error(`it ends before ${words}`);
      text += part.value.toString();
    }
    return text;
  }

  async function freed(): Promise<void> {
    await expect.poll(() => datasource.connections().used, { timeout: 10_000 }).toBe(0);
  }

  test('more rows than ROW_LIMIT, and more bytes than RESULT_LIMIT', async () => {
    const response = await ask('/rows');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-disposition']).toBe('attachment; filename="rows.csv"');
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    const lines = (await textOf(response)).split('\r\n');
    expect(lines[0]).toBe('id,wide');
    expect(lines.slice(1, -1).map((line) => Number(line.split(',')[0]))).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
    await freed();
  });

  test('lines of JSON, more than ROW_LIMIT and RESULT_LIMIT: the first time, and with known columns', async () => {
    for (const _ of [1, 2, 3]) {
      const lines = (await textOf(await ask('/lines/rows'))).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines).toEqual(
        Array.from({ length: 1000 }, (_, index) => JSON.stringify({ id: index + 1, wide: 'x'.repeat(200) })),
      );
      expect(await textOf(await ask('/lines/none'))).toBe('');
    }
    await freed();
  });

  test.each(['identity', 'gzip', 'br'])('several at a time have their own lines: %s', async (coding) => {
    const unpacked = async (path: string): Promise<string> => {
      const response = await ask(path, { 'accept-encoding': coding });
      const unpacker = { identity: undefined, gzip: createGunzip(), br: createBrotliDecompress() }[coding];
      return textOf(unpacker === undefined ? response : response.pipe(unpacker));
    };
    const [many, rows] = await Promise.all([unpacked('/lines/many'), unpacked('/lines/rows')]);
    expect(rows).toBe(await unpacked('/lines/rows'));
    const lines = many.split('\n');
    expect(lines).toHaveLength(200_001);
    const isWrong = (line: string, index: number): boolean =>
      line !== `{"id":${index + 1},"wide":"${'x'.repeat(200)}"}`;
    expect(lines.slice(0, -1).filter(isWrong)).toEqual([]);
    await freed();
  });

  test('lines before a failure are those of rows', async () => {
    for (const _ of [1, 2]) {
      const response = await ask('/lines/broken');
      let text = '';
      const read = async (): Promise<void> => {
        for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString();
      };
      await expect(read()).rejects.toThrow('aborted');
      // Data in transit is lost if the connection is reset.
      for (const [index, line] of text.split('\n').slice(0, -1).entries())
        expect(JSON.parse(line)).toMatchObject({ id: index + 1 });
    }
    await freed();
  });

  test('no rows are the columns alone', async () => {
    expect(await textOf(await ask('/none'))).toBe('id,wide\r\n');
    await freed();
  });

  test.each(['identity', 'gzip', 'br'] as const)(
    'the first row is there before the last is read: %s',
    async (coding) => {
      await other.run(sql.lock);
      const response = await ask('/locked', { 'accept-encoding': coding });
      expect(response.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      expect(response.headers.vary).toBe('Origin, Accept-Encoding');
      const unpacker = { identity: undefined, gzip: createGunzip(), br: createBrotliDecompress() }[coding];
      const body = unpacker === undefined ? response : response.pipe(unpacker);
      const parts = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      const first = await until('\r\n100,', parts);
      expect(first).not.toContain('\r\n900,');
      await other.run(sql.unlock);
      expect(await until('\r\n1000,', parts)).toContain('\r\n900,');
      while ((await parts.next()).done !== true);
      await freed();
    },
  );

  test('at most half of the connections: others are 503, other statements go on', async () => {
    await other.run(sql.lock);
    const two = await Promise.all([ask('/locked'), ask('/locked')]);
    expect(two.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const third = await ask('/locked');
    expect(third.statusCode).toBe(503);
    expect(third.headers['retry-after']).toBe('2');
    expect(JSON.parse(await textOf(third))).toEqual({ message: 'The service is busy' });
    const usual = await Promise.all([1, 2, 3, 4].map(() => ask('/usual')));
    expect(usual.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    for (const response of usual) response.resume();
    await other.run(sql.unlock);
    for (const response of two) expect(await textOf(response)).toContain('\r\n1000,');
    await freed();
    const after = await ask('/none');
    expect(after.statusCode).toBe(200);
    after.resume();
    await freed();
  });

  test('a failure before the first row is an ordinary error', async () => {
    const response = await ask('/invalid');
    expect(response.statusCode).toBe(500);
    expect(response.headers).not.toHaveProperty('content-disposition');
    expect(JSON.parse(await textOf(response))).toEqual({ message: 'Internal server error' });
    await freed();
  });

  test('so is one in the first row', async () => {
    const response = await ask('/unfit');
    expect(response.statusCode).toBe(500);
    response.resume();
    await freed();
  });

  test.each(['identity', 'gzip'])(
    'a later one ends the connection without the last chunk: %s',
    async (coding) => {
      const response = await ask('/broken', { 'accept-encoding': coding });
      expect(response.statusCode).toBe(200);
      await expect(textOf(response)).rejects.toThrow('aborted');
      expect(response.complete).toBe(false);
      await freed();
      expect(ends).toEqual([[200, 'cut']]);
      expect(log).toMatchObject([
        { level: 'error', msg: 'request failed', status: 500 },
        { level: 'info', msg: 'request', status: 200, ended: 'cut' },
      ]);
    },
  );

  test.each(['identity', 'gzip', 'br'])(
    'HTTP/1.0: a later one resets the connection, whose close is the end of a whole response: %s',
    async (coding) => {
      const get = async (path: string): Promise<number> => {
        const accepted = `Accept-Encoding: ${coding}`;
        const curl = spawn('curl', ['-s', '-0', '-H', accepted, '-o', '/dev/null', `${served.url}${path}`]);
        return (await once(curl, 'close'))[0] as number;
      };
      expect(await get('/rows')).toBe(0);
      // 56: the connection was reset.
      expect(await get('/broken')).toBe(56);
      expect(ends).toEqual([
        [200, 'whole'],
        [200, 'cut'],
      ]);
      await freed();
    },
  );

  test.each(['identity', 'gzip'])('clients that leave are 499, and no error: %s', async (coding) => {
    const count = 2 * runs(2, 30);
    for (let left = 0; left < count; left += 2) {
      const paths = ['/many', '/lines/many'];
      const two = await Promise.all(paths.map((path) => ask(path, { 'accept-encoding': coding })));
      for (const response of two) {
        response.on('error', () => undefined);
        // At each stage: while waiting for rows, while rows are written, and while the client does not read.
        if (left % 3 === 0) response.destroy();
        else if (left % 3 === 1) setImmediate(() => response.destroy());
        else response.once('data', () => response.destroy());
      }
      await freed();
    }
    await expect.poll(() => ends.length).toBe(count);
    expect(ends.filter(([status, ended]) => status !== 499 || ended !== 'left')).toEqual([]);
    expect(
      log.filter(({ level, status, ended }) => level !== 'info' || status !== 499 || ended !== 'left'),
    ).toEqual([]);
  });

  test('a client that reads nothing holds back its statement alone, and frees the connection when it goes', async () => {
    const response = await ask('/lines/many');
    response.pause();
    await expect.poll(() => server.exec(database, sql.waiting), { timeout: 20_000 }).toHaveLength(1);
    expect(await textOf(await ask('/rows'))).toContain('\r\n1000,');
    expect(datasource.connections().used).toBe(1);
    response.destroy();
    await freed();
    await expect.poll(() => server.exec(database, sql.running), { timeout: 10_000 }).toHaveLength(0);
  });

  test('of large rows, few wait for their reader', async () => {
    const large = datasource.read({
      operation: 'GET /test',
      fulfillment: 'rows',
      sql: sql.many.replace('200)', '40000)').replace('200000', '500'),
    });
    const rows = await streamRows(large, testCall()).source.begin();
    const lines = await streamRows(large, testCall()).source.beginLines?.();
    await expect.poll(() => server.exec(database, sql.waiting), { timeout: 20_000 }).toHaveLength(2);
    const batches = rows.batches();
    // The first batch contains the rows that arrived together with the first row.
    for (let count = 0; count < 2; count += 1) {
      const { value } = await batches.next();
      expect(value?.length).toBeLessThan(50);
      await expect.poll(() => server.exec(database, sql.waiting), { timeout: 20_000 }).toHaveLength(2);
    }
    await batches.return(undefined);
    let most = 0;
    let bytes = 0;
    for await (const pieces of lines?.batches() ?? []) {
      const some = pieces.reduce((sum, { length }) => sum + length, 0);
      most = Math.max(most, some);
      bytes += some;
    }
    expect(bytes).toBeGreaterThan(500 * 40_000);
    expect(most).toBeLessThan(2 * 1024 * 1024);
    await freed();
  });

  test('HEAD has the status and the headers, and frees the connection', async () => {
    const response = await ask('/many', {}, 'HEAD');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(await textOf(response)).toBe('');
    await freed();
    const invalid = await ask('/invalid', {}, 'HEAD');
    expect(invalid.statusCode).toBe(500);
    invalid.resume();
  });

  test('pages of other origins read the headers', async () => {
    const response = await ask('/rows', { origin: 'https://a.example' });
    expect(response.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(response.headers['access-control-expose-headers']).toContain('X-Rows');
    response.resume();
    await freed();
  });

  test('the limits of the server hold again for what follows on the connection', async () => {
    const shown = (row: Row | undefined): string[] =>
      Object.values(row ?? {}).map((value) => JSON.stringify(value));
    const streamed = JSON.parse(await textOf(await ask('/limits'))) as Row;
    expect(shown(streamed)).toEqual(sql.lifted);
    await freed();
    // Like the previous statement, an UPDATE runs on an exclusive connection.
    const change = datasource.update({ operation: 'GET /test', fulfillment: 'rows', sql: sql.limits });
    const [usual] = await change(testCall());
    expect(shown(usual)).toEqual(sql.usual);
  });
});
