/** Requests retried after a failure, the pauses between them, and what ends the retries. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import type { Call } from '../../../runtime/handler/call.js';
import { RestDatasource, type Pause, type RequestDefinition } from '../../../runtime/rest/rest.js';
import { orFailure } from '../../../runtime/rest/or-failure.js';
import { retry } from '../../../runtime/rest/retry.js';
import { record } from '../../../runtime/trace/recording.js';
import { TracedRest } from '../../../runtime/trace/traced-rest.js';
import { stepLines } from '../../../compiler/tools/local/step-lines.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty, type Behaviour } from '../../helpers/third-party.js';

/** Records pauses without waiting. */
class Unhurried extends RestDatasource {
  readonly pauses: number[] = [];
  protected override readonly pause: Pause = (milliseconds) => {
    this.pauses.push(milliseconds / 1000);
    return Promise.resolve(true);
  };
}

class TracedUnhurried extends TracedRest {
  protected override readonly pause: Pause = () => Promise.resolve(true);
}

let behaviours: Behaviour[] = [];
let api: ThirdParty;
let unhurried: Unhurried;
let hurried: RestDatasource;
beforeAll(async () => {
  api = await ThirdParty.start((request, response, body) => behaviours.shift()?.(request, response, body));
  unhurried = new Unhurried({ name: 'api', timeout: 5 });
  hurried = new RestDatasource({ name: 'api', timeout: 5 });
  for (const datasource of [unhurried, hurried]) datasource.open({ url: api.url, responseLimit: 1000 });
});
afterEach(() => {
  unhurried.pauses.length = 0;
  behaviours = [];
  api.take();
});
afterAll(async () => {
  unhurried.close();
  hurried.close();
  await api.stop();
});

const status =
  (code: number, header: Readonly<Record<string, string>> = {}): Behaviour =>
  (_request, response) =>
    response.writeHead(code, { 'content-type': 'application/json', ...header }).end('1');
const cut: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-length': '10' });
  response.write('1', () => response.destroy());
};
const lost: Behaviour = (_request, response) => response.destroy();

type Options = Partial<Pick<RequestDefinition, 'method' | 'retry' | 'resend'>>;

async function outcome(
  options: Options,
  {
    call = testCall(),
    datasource = unhurried,
    header = {},
  }: {
    readonly call?: Call;
    readonly datasource?: RestDatasource;
    readonly header?: Record<string, string>;
  } = {},
): Promise<number> {
  const definition = { operation: 'test', fulfillment: 'x', method: 'GET', ...options };
  const ask = datasource.requestWithStatus(definition);
  try {
    return (await ask(call, { url: '/', header, ...(definition.method === 'GET' ? {} : { body: { n: 1 } }) }))
      .status;
  } catch (error) {
    if (error instanceof ServiceError) return -error.status;
    throw error;
  }
}

test.each([
  ['a status', status(503)],
  ['a lost connection', lost],
  ['a response that is cut off', cut],
])('after %s a GET, PUT or DELETE is sent again, a POST is not', async (_name, first) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']) {
    const isAgain = method !== 'POST' && method !== 'PATCH';
    behaviours = [first, status(200)];
    await outcome({ method, retry: retry({ times: 1 }) });
    expect(api.take().length, method).toBe(isAgain ? 2 : 1);
  }
});

test('a GET that changes data is not sent again, and a POST with a key is', async () => {
  behaviours = [status(503), status(200)];
  expect(await outcome({ retry: retry({ times: 1 }), resend: false })).toBe(503);
  behaviours = [status(503), status(200)];
  const header = { 'idempotency-KEY': 'k' };
  expect(await outcome({ method: 'POST', retry: retry({ times: 1 }) }, { header })).toBe(200);
  const [first, second] = api.take().slice(-2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers).toEqual(first?.headers);
});

test.each(['127.0.0.1', 'localhost'])('a POST of which nothing was sent is sent again: %s', async (host) => {
  const closed = await ThirdParty.start(status(200));
  await closed.stop();
  const datasource = new Unhurried({ name: 'closed', timeout: 5 });
  // A host name may have several addresses.
  datasource.open({ url: closed.url.replace('127.0.0.1', host), responseLimit: 1000 });
  expect(await outcome({ method: 'POST', retry: retry({ times: 3 }) }, { datasource })).toBe(-502);
  expect(datasource.pauses.length).toBe(3);
});

test('pauses are random, and at most wait, 2 wait, 4 wait … and maxWait', async () => {
  behaviours = Array.from({ length: 6 }, () => status(429));
  expect(await outcome({ retry: retry({ times: 5, wait: 1, maxWait: 4 }) })).toBe(429);
  expect(unhurried.pauses.map((pause, index) => pause <= Math.min(2 ** index, 4))).toEqual(
    Array(5).fill(true),
  );
  expect(new Set(unhurried.pauses).size).toBe(5);
});

test.each([
  ['seconds', () => '1000'],
  ['a fraction', () => '700.5'],
  ['a date', () => new Date(Date.now() + 1_000_000).toUTCString()],
  [
    'a date in the form of asctime',
    () =>
      new Date(Date.now() + 1_000_000)
        .toUTCString()
        .replace(/^(...), (..) (...) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4'),
  ],
])('Retry-After: %s', async (_form, value) => {
  behaviours = [status(429, { 'retry-after': value() }), status(200)];
  const call = testCall(3_600_000);
  expect(await outcome({ retry: retry({ times: 1, maxWait: 2000 }) }, { call })).toBe(200);
  expect(unhurried.pauses.map((pause) => pause > 500 && pause <= 1000)).toEqual([true]);
});

test.each(['-1', 'soon', '1.', '.5', '1,5', '2030-01-01', ''])(
  'what Retry-After does not say is ignored: %j',
  async (value) => {
    behaviours = [status(429, { 'retry-after': value }), status(200)];
    expect(await outcome({ retry: retry({ times: 1 }) })).toBe(200);
    expect(unhurried.pauses.map((pause) => pause <= 0.5)).toEqual([true]);
  },
);

test('a time in the past is no pause', async () => {
  behaviours = [status(429, { 'retry-after': new Date(0).toUTCString() }), status(200)];
  expect(await outcome({ retry: retry({ times: 1 }) })).toBe(200);
  expect(unhurried.pauses).toEqual([0]);
});

test('a pause longer than maxWait, or than the time that is left, is not begun', async () => {
  behaviours = [status(503, { 'retry-after': '31' })];
  expect(await outcome({ retry: retry({ times: 1 }) })).toBe(503);
  behaviours = [status(503, { 'retry-after': '20' })];
  expect(await outcome({ retry: retry({ times: 1 }) }, { call: testCall(10_000), datasource: hurried })).toBe(
    503,
  );
  expect(unhurried.pauses).toEqual([]);
});

test('where tries do not wait, what is left of the time does not decide whether there is one', async () => {
  behaviours = [status(503), status(503), status(503), status(200)];
  const call = testCall(5_000);
  expect(await outcome({ retry: retry({ times: 3, wait: 2000, maxWait: 6000 }) }, { call })).toBe(200);
  expect(behaviours).toEqual([]);
});

test('a client that has gone away ends a pause', async () => {
  behaviours = [status(503, { 'retry-after': '9' })];
  let isGone = false;
  const proceed = (): void => {
    if (isGone) throw new ServiceError(499, 'gone');
  };
  const running = outcome(
    { retry: retry({ times: 1 }) },
    { call: { ...testCall(), proceed }, datasource: hurried },
  );
  await expect.poll(() => api.take().length).toBe(1);
  isGone = true;
  expect(await running).toBe(-499);
});

test('a service that stops ends a pause: the last result counts', async () => {
  const stopping = new RestDatasource({ name: 'api', timeout: 5 });
  stopping.open({ url: api.url, responseLimit: 1000 });
  behaviours = [status(503, { 'retry-after': '9' })];
  const running = outcome({ retry: retry({ times: 1 }) }, { datasource: stopping });
  await expect.poll(() => api.take().length).toBe(1);
  stopping.stop();
  expect(await running).toBe(503);
  stopping.close();
});

test('the request has its retry, else that of the datasource', async () => {
  const datasource = new Unhurried({ name: 'api', timeout: 5, retry: retry({ times: 2, on: [404] }) });
  datasource.open({ url: api.url, responseLimit: 1000 });
  behaviours = Array.from({ length: 4 }, () => status(404));
  expect(await outcome({}, { datasource })).toBe(404);
  expect(await outcome({ retry: retry({ times: 0 }) }, { datasource })).toBe(404);
  expect(behaviours).toEqual([]);
});

test('a trace shows each try', async () => {
  const datasource = new TracedUnhurried({ name: 'api', timeout: 5, retry: retry({ times: 2 }) });
  datasource.open({ url: api.url, responseLimit: 1000 });
  const ask = datasource.request({ operation: 'test', fulfillment: 'x', method: 'GET', url: '/' });
  behaviours = [status(503), cut, status(200), status(200)];
  const { trace, result } = record('test', async () => {
    await ask(testCall(), { url: '/' });
    await ask(testCall(), { url: '/' });
    return { status: 200 };
  });
  await result;
  expect(trace.steps).toMatchObject([
    { status: '2xx', tries: ['503', 'unreachable', '200'] },
    { status: '2xx' },
  ]);
  expect(trace.steps[1]).not.toHaveProperty('tries');
  expect(stepLines(trace.steps, { longestSql: 10, hasTimes: false })).toEqual([
    '  x: GET / (api) → 503, again → unreachable, again → 2xx',
    '  x: GET / (api) → 2xx',
  ]);
  behaviours = [status(503), () => undefined];
  const ended = record('test', async () => {
    await ask(testCall(500), { url: '/' });
    return { status: 200 };
  });
  await expect(ended.result).rejects.toMatchObject({ status: 504 });
  expect(ended.trace.steps).toMatchObject([{ tries: ['503', 'failed'] }]);
  datasource.close();
});

test('a trace shows why there is no further try', async () => {
  const datasource = new TracedUnhurried({ name: 'api', timeout: 5, retry: retry({ times: 1, maxWait: 2 }) });
  datasource.open({ url: api.url, responseLimit: 1000 });
  const asked = async (method: 'GET' | 'POST', ...results: Behaviour[]): Promise<string[]> => {
    const ask = datasource.requestWithStatus({ operation: 'test', fulfillment: 'x', method, url: '/' });
    behaviours = results;
    const { trace, result } = record('test', async () => {
      await ask(testCall(), { url: '/' });
      return { status: 200 };
    });
    await result;
    return stepLines(trace.steps, { longestSql: 10, hasTimes: false });
  };
  expect(await asked('GET', status(503), status(503))).toEqual([
    '  x: GET / (api) → 503, again → 503, no further try: retry.times is 1',
  ]);
  expect(await asked('GET', status(503, { 'retry-after': '60' }))).toEqual([
    '  x: GET / (api) → 503, no further try: the API asks for 60 s',
  ]);
  expect(await asked('POST', status(503))).toEqual([
    '  x: POST / (api) → 503, no further try: a POST may have had an effect',
  ]);
  expect(await asked('GET', status(404))).toEqual(['  x: GET / (api) → 404']);
  datasource.close();
});

test('where the operation goes on, the end of the call and a client that went away end it all the same', async () => {
  const ask = (timeout: number) => {
    const datasource = new RestDatasource({ name: 'api', timeout });
    datasource.open({ url: api.url, responseLimit: 1000 });
    return orFailure(datasource.requestWithStatus({ operation: 'test', fulfillment: 'x', method: 'GET' }));
  };
  const silence: Behaviour = () => undefined;
  behaviours = [silence, silence, lost];
  expect(await ask(0.1)(testCall(), { url: '/' })).toMatchObject({
    status: null,
    body: null,
    failure: 'timeout',
  });
  await expect(ask(5)(testCall(100), { url: '/' })).rejects.toMatchObject({ status: 504 });
  let count = 0;
  const proceed = (): void => {
    count += 1;
    if (count > 1) throw new ServiceError(499, 'gone');
  };
  await expect(ask(5)({ ...testCall(), proceed }, { url: '/' })).rejects.toMatchObject({ status: 499 });
});
