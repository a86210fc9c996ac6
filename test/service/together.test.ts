/**
 * `together` in a running service: which requests are under way at the same time, which are aborted, and the errors of requests one after
 * the other.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RunningService } from '../helpers/running-service.js';
import { translateServices } from '../helpers/service-build.js';
import { ThirdParty } from '../helpers/third-party.js';
import { filesOf } from '../emit/compile-text.js';

/** A request that the third party has not answered. */
interface Open {
  readonly response: ServerResponse;
  isClosed: boolean;
}

let party: ThirdParty;
let service: RunningService;
let hasty: RunningService;
/** By method and path, in the order in which they arrived. */
let open = new Map<string, Open>();
let arrived: string[] = [];

function request(name: string, url: string, more: object = {}, of: object = {}): object {
  const { type = 'READ', datasource = 'api', httpType = 'GET', ...rest } = more as Record<string, unknown>;
  return {
    ...{ name, type, datasource, ...rest },
    instructions: [{ request: { url, httpType, ...of } }],
  };
}

function operation(fulfillments: readonly object[], schema: unknown, more: object = {}): object {
  return {
    ...{ together: true, ...more, fulfillments },
    responses: [{ name: 'ok', default: true, statuscode: 200, schema }],
  };
}

const post = { type: 'UPDATE', httpType: 'POST' };
const missing = (name: string): object => ({
  exceptions: [{ if: `STATUS(${name}) == INTEGER(404)`, statuscode: 404, message: `no ${name}` }],
});
const three = [request('a', '/a', missing('a')), request('b', '/b'), request('c', '/c')];
const values = { a: 'VALUE(a, $.v)', b: 'VALUE(b, $.v)', c: 'VALUE(c, $.v)' };

const operations = {
  'GET /three': operation(three, values),
  'GET /chain': operation(
    [request('a', '/a'), request('b', '/b'), request('c', '/c/:[VALUE(a, $.v)]'), request('d', '/d')],
    { ...values, d: 'VALUE(d, $.v)' },
  ),
  'GET /continued': operation(
    [
      request('a', '/a', { onFailure: 'continue' }),
      request('b', '/b', { onFailure: 'continue', datasource: 'quick' }),
    ],
    { a: 'STATUS(a)', cut: 'FAILURE(a)', b: 'FAILURE(b)' },
  ),
  'GET /retried': operation(
    [request('a', '/a', missing('a')), request('b', '/b', {}, { retry: { times: 3, wait: 30 } })],
    { a: 'VALUE(a, $.v)', b: 'VALUE(b, $.v)' },
  ),
  'GET /limited': operation(
    ['a', 'b', 'c'].map((name) => request(name, `/${name}`, { datasource: 'one', ...missing(name) })),
    values,
  ),
  'POST /effects': operation(
    [request('a', '/a', { ...post, ...missing('a') }), request('b', '/b', post)],
    { a: 'VALUE(a, $.v)', b: 'VALUE(b, $.v)' },
    { together: 'effects' },
  ),
  'GET /loop': {
    fulfillments: [
      {
        ...{ name: 'n', type: 'LOOP', loop: 'LIST(4)', concurrency: 2, together: true },
        fulfillments: ['a', 'b'].map((name) =>
          request(name, `/${name}/:[VALUE(n, $)]`, { index: 'VALUE(n, $)' }),
        ),
      },
    ],
    responses: [
      {
        ...{ name: 'ok', default: true, statuscode: 200 },
        schema: {
          list: 'LIST(4)',
          item: {
            a: 'VALUE_BY_INDEX(a, VALUE(@, $), $.v)',
            b: 'STATUS_BY_INDEX(b, VALUE(@, $))',
          },
        },
      },
    ],
  },
};
beforeAll(async () => {
  party = await ThirdParty.start(({ method = '', url = '' }, response) => {
    const name = `${method} ${url}`;
    const one = { response, isClosed: false };
    response.once('close', () => {
      one.isClosed = true;
    });
    arrived.push(name);
    open.set(name, one);
  });
  const files = await filesOf({
    specification: '1.0',
    operations,
    datasources: {
      api: { type: 'rest', url: party.url },
      one: { type: 'rest', url: party.url, limit: { atOnce: 1 } },
      quick: { type: 'rest', url: party.url, timeout: 1 },
    },
  });
  const folder = translateServices('together', [{ name: 'service', files }]).get('service') ?? '';
  service = await RunningService.start(folder, { LOG_FORMAT: 'json' });
  hasty = await RunningService.start(folder, { LOG_FORMAT: 'json', REQUEST_TIMEOUT: '1000' });
}, 120_000);

afterAll(async () => {
  await Promise.all([service.stop(), hasty.stop()]);
  await party.stop();
});

afterEach(() => {
  expect([...open.values()].filter(({ response, isClosed }) => !isClosed && !response.writableEnded)).toEqual(
    [],
  );
  open = new Map();
  arrived = [];
});

/** Waits until these requests have arrived, all without a response. */
async function arrivalOf(...names: string[]): Promise<void> {
  await expect.poll(() => names.filter((name) => !open.has(name)), { timeout: 20_000 }).toEqual([]);
}

/** Answers a request of the service, after it has arrived. */
async function answer(name: string, status = 200): Promise<void> {
  await arrivalOf(name);
  const { response } = open.get(name) ?? {};
  open.delete(name);
  response?.writeHead(status, { 'content-type': 'application/json' });
  response?.end(JSON.stringify({ v: name }));
}

async function closingOf(...names: string[]): Promise<void> {
  const left = (): string[] => names.filter((name) => open.get(name)?.isClosed !== true);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
}

async function ask(path: string, init: RequestInit = {}, of = service): Promise<[number, unknown]> {
  const response = await fetch(`${of.url}${path}`, init);
  return [response.status, await response.json()];
}

test('three requests arrive before any is answered, and may be answered in any order', async () => {
  const asked = ask('/three');
  await arrivalOf('GET /a', 'GET /b', 'GET /c');
  for (const name of ['GET /c', 'GET /a', 'GET /b']) await answer(name);
  expect(await asked).toEqual([200, { a: 'GET /a', b: 'GET /b', c: 'GET /c' }]);
});

test('a request that reads a result is sent after it, with the requests after it', async () => {
  const asked = ask('/chain');
  await arrivalOf('GET /a', 'GET /b');
  await answer('GET /a');
  expect(arrived).toEqual(['GET /a', 'GET /b']);
  await answer('GET /b');
  await arrivalOf('GET /c/GET%20%2Fa', 'GET /d');
  await answer('GET /d');
  await answer('GET /c/GET%20%2Fa');
  expect((await asked)[0]).toBe(200);
});

test('an exception of the first one aborts the others', async () => {
  const asked = ask('/three');
  await arrivalOf('GET /b', 'GET /c');
  await answer('GET /a', 404);
  expect(await asked).toEqual([404, { message: 'no a' }]);
  await closingOf('GET /b', 'GET /c');
});

test('of two errors the first one is reported, although the second one comes first', async () => {
  const asked = ask('/three');
  await arrivalOf('GET /a', 'GET /c');
  await answer('GET /b', 500);
  // Requests after the failed one are no longer needed; requests before it are.
  await closingOf('GET /c');
  expect(open.get('GET /a')?.isClosed).toBe(false);
  await answer('GET /a', 404);
  expect(await asked).toEqual([404, { message: 'no a' }]);
});

test('the error of the second one, if the first one succeeds', async () => {
  const asked = ask('/three');
  await answer('GET /b', 500);
  await answer('GET /a');
  expect(await asked).toEqual([502, { message: 'The third-party API did not respond as expected' }]);
  await closingOf('GET /c');
});

test('onFailure: continue goes on with both failures', async () => {
  const asked = ask('/continued');
  await arrivalOf('GET /a', 'GET /b');
  open.get('GET /a')?.response.writeHead(200, { 'content-type': 'application/json' }).end('{');
  expect(await asked).toEqual([200, { a: null, cut: 'unreadable', b: 'timeout' }]);
  await closingOf('GET /b');
});

test('a pause of retry ends with an exception of an earlier request, and nothing more is sent', async () => {
  const asked = ask('/retried');
  await answer('GET /b', 503);
  await answer('GET /a', 404);
  expect(await asked).toEqual([404, { message: 'no a' }]);
  expect(arrived.toSorted()).toEqual(['GET /a', 'GET /b']);
});

test('a limit holds inside the group; a request that waits for its turn is never sent after an exception', async () => {
  const asked = ask('/limited');
  await answer('GET /a');
  await answer('GET /b', 404);
  expect(await asked).toEqual([404, { message: 'no b' }]);
  expect(arrived).toEqual(['GET /a', 'GET /b']);
  // The turn is free again.
  const again = ask('/limited');
  for (const name of ['GET /a', 'GET /b', 'GET /c']) await answer(name);
  expect((await again)[0]).toBe(200);
});

test('together: effects sends both, although the first one fails', async () => {
  const asked = ask('/effects', { method: 'POST' });
  await arrivalOf('POST /a', 'POST /b');
  await answer('POST /a', 404);
  expect(await asked).toEqual([404, { message: 'no a' }]);
  await closingOf('POST /b');
});

test('with concurrency, each iteration sends its requests at the same time', async () => {
  const asked = ask('/loop');
  await arrivalOf('GET /a/0', 'GET /b/0', 'GET /a/1', 'GET /b/1');
  expect(arrived).toHaveLength(4);
  await answer('GET /b/1', 500);
  for (const name of ['GET /a/1', 'GET /b/2', 'GET /a/2', 'GET /b/3', 'GET /a/3', 'GET /a/0', 'GET /b/0'])
    await answer(name);
  expect(await asked).toEqual([
    200,
    [
      { a: 'GET /a/0', b: 200 },
      { a: 'GET /a/1', b: 500 },
      { a: 'GET /a/2', b: 200 },
      { a: 'GET /a/3', b: 200 },
    ],
  ]);
});

test('a client that disconnects ends all requests of the group', async () => {
  const leaving = new AbortController();
  const asked = ask('/three', { signal: leaving.signal });
  await arrivalOf('GET /a', 'GET /b', 'GET /c');
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await closingOf('GET /a', 'GET /b', 'GET /c');
});

test('REQUEST_TIMEOUT ends all requests of the group', async () => {
  expect(await ask('/three', {}, hasty)).toEqual([504, { message: 'The third-party API took too long' }]);
  await closingOf('GET /a', 'GET /b', 'GET /c');
});
