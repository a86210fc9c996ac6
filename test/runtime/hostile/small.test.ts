/** Small tests: whole URLs, failed logins, event loop delay, many validation errors, the route of a span. */
import { Texts } from '../../../runtime/http/texts.js';
import { Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Environment } from '../../../runtime/server/environment.js';
import { accept } from '../../../runtime/authentication/accept.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { nameSpan } from '../../../runtime/http/request-log.js';
import { ProcessMetrics } from '../../../runtime/management/process-metrics.js';
import { reply } from '../../../runtime/responses/reply.js';
import { wholeUrl } from '../../../runtime/rest/url-values.js';
import { array, input, integer, object, required } from '../../../runtime/validate/index.js';
import { serve } from '../serve.js';

test.each([
  'http:127.0.0.1/x',
  'http:/127.0.0.1/x',
  'https:x',
  'http://a\\@b/',
  'http://a/b\nc',
  'http://a/\tb',
  '\nhttp://a/',
  ' http://a/',
  'http://user@a/',
])('%j is not mistaken for a URL', (text) => {
  expect(() => wholeUrl(text)).toThrow('A value is not an absolute http or https URL');
});

test.each(['http://a', 'HTTPS://a/b?c=d e#f', 'http://[::1]:80/ä'])('%j is one', (text) => {
  expect(wholeUrl(text).hash).toBe('');
});

test('failed logins are logged, the first immediately, without the credentials', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const auth = basicAuth('main');
  auth.readSettings(
    new Environment({ AUTHENTICATION_MAIN_USER: 'user', AUTHENTICATION_MAIN_PASSWORD: 'right-one' }, ''),
  );
  const served = await serve(
    [{ method: 'GET', path: '/', handler: () => reply(200), access: accept(auth) }],
    { log: pino({ base: null }, stream) },
  );
  const status = async (credentials?: string) => {
    const headers = credentials === undefined ? {} : { authorization: `Basic ${btoa(credentials)}` };
    return (await fetch(served.url, { headers })).status;
  };
  expect(await status()).toBe(401);
  expect(lines).toEqual([]);
  for (let count = 0; count < 5; count += 1) expect(await status('user:wrong-one')).toBe(401);
  expect(await status('user:right-one')).toBe(200);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, count: 1, addresses: [expect.stringContaining('127.0.0.1') as string] },
  ]);
  expect(lines.join('')).not.toContain('wrong-one');
  await served.stop();
});

test('a block that begins right after a read of the metrics is in the next one', async () => {
  const metrics = new ProcessMetrics();
  await delay(30);
  metrics.collect();
  const end = performance.now() + 300;
  while (performance.now() < end);
  await turn();
  const found = metrics.collect().find(({ name }) => name === 'nodejs_eventloop_lag_max_seconds');
  expect(found?.samples[0]?.[1]).toBeGreaterThan(0.2);
});

test('a body with nothing but errors is validated until there are a thousand', () => {
  const schema = input({ body: required(array(object({ a: required(integer()) }))) });
  const read = (body: object[]) => () =>
    schema.read({
      path: () => undefined,
      query: new Texts(),
      header: () => undefined,
      body: body as never,
      form: undefined,
    });
  expect(read(Array.from({ length: 100 }, () => ({})))).toThrow(/; and 80 more$/);
  expect(read(Array.from({ length: 100_000 }, () => ({})))).toThrow(/; and at least 980 more$/);
});

test('the span of a request has its route', () => {
  const logged: unknown[] = [];
  const span = {
    setAttribute: (name: string, value: string) => logged.push([name, value]),
    updateName: (name: string) => logged.push(name),
  };
  const key = Symbol.for('opentelemetry.js.api.1');
  const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');
  const route = { method: 'GET', path: '/news/{id}', handler: () => reply(200) };
  nameSpan(route);
  const context = { active: () => ({ getValue: (name: symbol) => (name === spanKey ? span : undefined) }) };
  Reflect.set(globalThis, key, { context });
  nameSpan(route);
  Reflect.deleteProperty(globalThis, key);
  expect(logged).toEqual([['http.route', '/news/{id}'], 'GET /news/{id}']);
});
