/** User routes on a real server with a database: time limits, clients, resources left open, and values passed on. */
import { IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ownAccess, type OwnAccess } from '../../../runtime/code/own-access.js';
import { openOwnCode, ownCode, type OwnContext } from '../../../runtime/code/own-code.js';
import { ownDatabases } from '../../../runtime/code/own-databases.js';
import { ownOperation, ownRoutes } from '../../../runtime/code/own-routes.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import { fail, type Reply } from '../../../runtime/handler/reply.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { reply } from '../../../runtime/responses/reply.js';
import { ClientGone } from '../../../runtime/http/http-call.js';
import type { Handler } from '../../../runtime/http/route.js';
import type { DatabaseDatasource } from '../../../runtime/sql/datasource.js';
import { jwtOfKey } from '../../../runtime/jwt/own-key.js';
import { openPostgres, read } from '../sql/open-datasource.js';
import { serve, type Served } from '../serve.js';

const lines: string[] = [];
const output = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

let datasource: DatabaseDatasource;
let served: Served;
let contextOf: ReturnType<typeof routesOf>;
type Context = Awaited<ReturnType<typeof contextOf>>;

/** The work done by the next request. */
let work: (context: Context, request: IncomingMessage, response: ServerResponse) => unknown;
/** The work done by the middleware before each request. */
let before: ((context: Context) => unknown) | undefined;

/** Responds with everything that it reads from its call. */
function echo(call: Call): Reply {
  return reply(200, {
    ...{ id: call.param('id'), query: call.query('id'), header: call.header('x-test'), body: call.body },
    ...{ cookie: call.cookie('kiln'), other: call.param('other') },
  });
}

function routesOf() {
  return ownRoutes({
    datasources: ownDatabases({ db: datasource }),
    operations: {
      echo: ownOperation<{ id?: Json; body?: Json; 'X-Test'?: Json; 'x-test'?: Json }, Record<string, Json>>(
        echo,
        {
          ...{ texts: ['id'], headers: ['X-Test'], orOfRequest: true },
        },
      ),
      shared: ownOperation<object, { list: number[] }>(() => reply(200, sharedBody)),
      pages: ownOperation<object, number[]>(() =>
        reply(200, [1], {
          header: headerLines(
            ['Link', '</a?page=1>; rel="prev"'],
            ['Link', '</a?after=x%3E&limit=1>; rel="next"'],
          ),
        }),
      ),
      logs: ownOperation<object, null>(logs),
      refuse: ownOperation<object, null>(() => {
        throw fail(409, 'Sold out', { code: 'sold-out' });
      }),
    },
  });
}

const sharedBody = { list: [1, 2] };

const functions = {
  logs: ownCode<null, null, OwnContext>({
    name: 'logs',
    run: (_: null, { log }: OwnContext) => {
      log.info('by a function');
    },
  }),
};

/** An operation whose function writes to the log. */
const logs: Handler = async (call) => {
  await functions.logs(call, 'step');
  return reply(200, null);
};

beforeAll(async () => {
  ({ datasource } = await openPostgres('own_routes', { pool: { min: 0, max: 2 } }, '?loginTimeout=5'));
  const sql = 'create table entry (id integer primary key)';
  await datasource.update({ operation: 'x', fulfillment: 'x', sql, atomic: false })(testCallOf());
  contextOf = routesOf();
  openOwnCode(pino(output));
  served = await serve(
    { 'GET /operation': () => reply(200, 'by the operation'), 'GET /logs': logs },
    {
      log: pino(output),
      limits: { requestTimeout: 1000 },
      middleware: async (request, _response, next) => {
        if (before !== undefined) await before(await contextOf(request));
        next();
      },
      fallback: async (request, response) => {
        const result = await work(await contextOf(request), request, response);
        if (!response.headersSent) response.end(JSON.stringify(result ?? null));
      },
    },
  );
});

afterAll(async () => {
  await served.stop();
  await datasource.close(performance.now() + 1000);
});

beforeEach(() => {
  lines.length = 0;
  before = undefined;
});

function testCallOf(): Call {
  return {
    ...{ param: () => null, header: () => null, query: () => null, cookie: () => null, file: () => null },
    files: () => [],
    ...{ caller: null, body: null, deadline: performance.now() + 10_000, proceed: () => undefined },
  };
}

async function ask(
  run: typeof work,
  header: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  work = run;
  const response = await fetch(`${served.url}/mine?other=1`, { headers: header });
  return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
}

/** All connections are free. */
async function expectHealthy(): Promise<void> {
  await expect.poll(() => datasource.connections()).toMatchObject({ used: 0, waiting: 0 });
  expect(await read(datasource, 'select 1 as one')).toEqual([{ one: 1 }]);
}

test('an operation gets what is passed, and of the request its headers and cookies', async () => {
  const { body } = await ask(async ({ operations }) => (await operations.echo({ id: 7, body: [1] })).body, {
    'x-test': 'sent',
    cookie: 'kiln=hot',
  });
  expect(body).toEqual({
    ...{ id: '7', query: '7', header: 'sent', body: [1], cookie: 'hot', other: null },
  });
  const passed = await ask(async ({ operations }) => (await operations.echo({ 'x-test': 1 })).body, {
    'x-test': 'sent',
  });
  expect(passed.body).toMatchObject({ id: null, header: '1', body: null });
  const other = await ask(async ({ operations }) => (await operations.echo({ 'X-Test': 2 })).body, {
    'x-test': 'sent',
  });
  expect(other.body).toMatchObject({ header: '2' });
});

test('the next page is that of the header Link', async () => {
  const { body } = await ask(async ({ operations }) => [await operations.pages(), await operations.shared()]);
  expect(body).toEqual([
    expect.objectContaining({ body: [1], next: '/a?after=x%3E&limit=1' }),
    expect.not.objectContaining({ next: expect.anything() as unknown }),
  ]);
});

test('its response is a copy', async () => {
  const change: typeof work = async ({ operations }) => {
    const { body } = await operations.shared();
    body.list.push(3);
    return body.list;
  };
  await ask(change);
  expect((await ask(change)).body).toEqual([1, 2, 3]);
  expect(sharedBody).toEqual({ list: [1, 2] });
});

test('exceptions of operations, and failures of its own, are responses', async () => {
  const refused = await ask(({ operations }) => operations.refuse());
  expect([refused.status, refused.body]).toEqual([409, { message: 'Sold out' }]);
  const own = await ask(() => {
    throw fail(418, 'A teapot', { header: () => ['X-Kiln', 'hot'] });
  });
  expect([own.status, own.body, own.headers.get('x-kiln')]).toEqual([418, { message: 'A teapot' }, 'hot']);
});

test('what cannot be sent or read is 500, and the next request is served', async () => {
  const hostile = new Proxy(new Error('hunter2'), {
    get() {
      throw new Error('hunter2');
    },
    getPrototypeOf() {
      throw new Error('hunter2');
    },
  });
  const thrown: unknown[] = [
    ...[undefined, null, 'hunter2', Symbol('hunter2'), Object.freeze(new Error('hunter2')), hostile],
    fail(Number.NaN, 'hunter2'),
    fail(99, 'hunter2'),
    fail(409, 'no', { header: () => ['X-Kiln', 'a\r\nX-Other: hunter2'] }),
    fail(409, 'no', { header: () => ['X Kiln', 'a'] }),
    fail(409, 'no', {
      header: () => {
        throw new Error('hunter2');
      },
    }),
    fail(409, 1n as unknown as string),
  ];
  for (const one of thrown) {
    const { status, body } = await ask(() => {
      throw one;
    });
    expect([status, body]).toEqual([500, { message: 'Internal server error' }]);
  }
  expect(lines.join('')).not.toContain('hunter2');
  expect((await ask(() => 1)).body).toBe(1);
});

test('the time limit of the request ends its statements, operations and signal', async () => {
  const slow = await ask(({ datasources }) => datasources.db.raw('select pg_sleep(20)'));
  expect([slow.status, slow.body]).toEqual([504, { message: expect.any(String) as string }]);
  const waits = await ask(({ signal }) =>
    delay(20_000, undefined, { signal }).catch((error: unknown) => {
      throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
    }),
  );
  expect([waits.status, waits.body]).toEqual([504, { message: 'The request took too long' }]);
  const late = await ask(async ({ operations }) => {
    await delay(1100);
    return operations.shared();
  });
  expect(late.status).toBe(504);
  await expectHealthy();
});

test('a client that goes away aborts the signal, and ends the databases', async () => {
  let reason: unknown;
  let rows: Promise<unknown> | undefined;
  work = ({ signal, datasources }) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
      rows = Promise.resolve(datasources.db('entry').select()).catch((error: unknown) => error);
    });
    return new Promise(() => undefined);
  };
  const client = send(`${served.url}/mine`);
  client.on('error', () => undefined).end();
  await delay(100);
  client.destroy();
  await expect.poll(() => reason).toBeInstanceOf(ClientGone);
  await expect.poll(() => rows).toBeDefined();
  expect(await rows).toMatchObject({ message: expect.stringContaining('has ended') as string });
  await expectHealthy();
});

test('a transaction that is left open is rolled back before anybody else gets its connection', async () => {
  await ask(async ({ datasources }) => {
    const transaction = await datasources.db.transaction();
    await transaction('entry').insert({ id: 1 });
  });
  await expectHealthy();
  expect(await read(datasource, 'select id from entry')).toEqual([]);
});

test('a database that is busy is 503, without a promise that a retry is safe', async () => {
  const { status, headers } = await ask(async ({ datasources: { db } }) => {
    const held = await Promise.all([db.transaction(), db.transaction()]);
    try {
      await db('entry').select();
    } finally {
      await Promise.all(held.map((one) => one.rollback()));
    }
  });
  // If the request's deadline passes before the wait for a connection times out, the status is 504.
  expect([503, 504]).toContain(status);
  expect(headers.get('retry-after')).toBeNull();
  await expectHealthy();
});

test('a failed statement shows nothing of itself', async () => {
  const { status, body } = await ask(({ datasources }) => datasources.db('hunter2').select());
  expect([status, body]).toEqual([500, { message: 'Internal server error' }]);
  await expect.poll(() => lines.join('')).toContain('"code":"42P01"');
  expect(lines.join('')).not.toContain('hunter2');
});

test('its entries of the log have the id of the request, as those of functions that operations call', async () => {
  const { headers } = await ask(async ({ log, operations }) => {
    log.warn({ product: 1 }, 'hot');
    await operations.logs();
  });
  const byRoute = await fetch(`${served.url}/logs`);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ requestId: headers.get('x-request-id'), product: 1, msg: 'hot' }),
    expect.objectContaining({
      requestId: headers.get('x-request-id'),
      function: 'logs',
      msg: 'by a function',
    }),
    expect.objectContaining({
      ...{ requestId: byRoute.headers.get('x-request-id'), function: 'logs', msg: 'by a function' },
    }),
  ]);
});

test('middleware has it too, until the response of the operation', async () => {
  let kept: Context | undefined;
  before = async (context) => {
    kept = context;
    await context.datasources.db('entry').select();
  };
  expect(await (await fetch(`${served.url}/operation`)).text()).toBe('"by the operation"');
  await expectHealthy();
  await expect(async () => {
    await kept?.datasources.db('entry').select();
  }).rejects.toThrow('has ended');
});

test('a request that the service has not offered', async () => {
  await expect(contextOf(new IncomingMessage(new Socket()))).rejects.toThrow(TypeError);
});

test('a list of authentications is needed where operations need one, and has known names', () => {
  const access: OwnAccess = ownAccess({ people: jwtOfKey('people') });
  expect(() => access.of(undefined)).toThrow(
    'contextOf needs { authentications: [...] }: people, or [] for everybody',
  );
  expect(() => access.of(['others'])).toThrow("there is no authentication 'others'");
  expect(access.of([])).toBeUndefined();
});
