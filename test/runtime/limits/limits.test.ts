/** Limits in the HTTP server: what counts, what is given back, and in which order. */
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { accept, knownPages, withScopes } from '../../../runtime/authentication/index.js';
import type { Call } from '../../../runtime/handler/call.js';
import { fail } from '../../../runtime/handler/reply.js';
import { TrustedProxies, trustProxies } from '../../../runtime/http/client-address.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import type { Endpoint, Handler } from '../../../runtime/http/route.js';
import { jwtOfKey } from '../../../runtime/jwt/index.js';
import { clientNetwork, requestLimits, withLimits } from '../../../runtime/limits/index.js';
import type { LimitDefinition } from '../../../runtime/limits/limits.js';
import type { Credentials } from '../../../runtime/limits/with-limits.js';
import { ServiceMetrics } from '../../../runtime/management/service-metrics.js';
import { reply } from '../../../runtime/responses/reply.js';
import { Environment } from '../../../runtime/server/environment.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { audience, claims, issuerName, sign } from '../jwt/issuer.js';
import { serve, type Served, type ServeOptions } from '../serve.js';

let served: Served | undefined;

afterEach(async () => {
  await served?.stop();
  served = undefined;
});

const proxies = new TrustedProxies();
proxies.add('127.0.0.1');
trustProxies(proxies, { warn: () => undefined } as never);

async function start(
  limits: readonly LimitDefinition<Call>[],
  handler: Handler,
  { route, ...options }: ServeOptions & { readonly route?: Partial<Endpoint> } = {},
): Promise<void> {
  const path = { method: 'POST', path: '/session', body: jsonBody, handler };
  served = await serve([{ ...path, limits: requestLimits('POST /session', limits), ...route }], options);
}

async function post(body: object, header: Record<string, string> = {}): Promise<Response> {
  return fetch(`${served?.url ?? ''}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...header },
    body: JSON.stringify(body),
  });
}

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

const byEmail = { by: (call: Call) => [call.body === null ? null : emailOf(call)], within: 900 };
const emailOf = (call: Call) => (call.body as { email?: string }).email ?? null;

test('of a thousand guesses at the same time, exactly `times` are checked', async () => {
  let checked = 0;
  let waiting: (() => void)[] = [];
  await start([{ ...byEmail, times: 5, count: 'refused' }], async () => {
    checked += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    throw fail(401, 'Wrong');
  });
  const all = Array.from({ length: 1000 }, () => post({ email: 'polo@example.com' }));
  const statuses: number[] = [];
  for (const one of all) void one.then(({ status }) => statuses.push(status));
  await expect.poll(() => statuses.length, { timeout: 60_000 }).toBe(995);
  for (const go of waiting) go();
  waiting = [];
  await Promise.all(all);
  expect(checked).toBe(5);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(995);
});

test.each([
  [200, true],
  [302, true],
  [399, true],
  [400, false],
  [401, false],
  [499, false],
  [500, true],
  [503, true],
])('`count: refused` and the status %i: given back is %j', async (status, isGivenBack) => {
  await start([{ ...byEmail, times: 1, count: 'refused' }], () => reply(status, {}));
  expect((await post({ email: 'a' })).status).toBe(status);
  expect((await post({ email: 'a' })).status).toBe(isGivenBack ? status : 429);
});

test('`count: all` counts every status', async () => {
  await start([{ ...byEmail, times: 1 }], () => reply(200, {}));
  expect([(await post({ email: 'a' })).status, (await post({ email: 'a' })).status]).toEqual([200, 429]);
});

test('a request over one limit counts in no other', async () => {
  await start(
    [
      { by: 'address', times: 3, within: 900 },
      { ...byEmail, times: 1 },
    ],
    () => reply(200, {}),
  );
  expect((await post({ email: 'a' })).status).toBe(200);
  for (let count = 0; count < 5; count += 1) expect((await post({ email: 'a' })).status).toBe(429);
  expect((await post({ email: 'b' })).status).toBe(200);
  expect((await post({ email: 'c' })).status).toBe(200);
  expect((await post({ email: 'd' })).status).toBe(429);
});

test('the limits of all operations are checked, too', async () => {
  const limitsOfAll = requestLimits('settings', [{ by: 'address', times: 1, within: 900 }]);
  await start([{ by: 'address', times: 5, within: 900 }], () => reply(200, {}), { limitsOfAll });
  expect((await post({})).status).toBe(200);
  const second = await post({});
  expect([second.status, second.headers.get('ratelimit-policy')]).toEqual([429, '"address";q=1;w=900']);
  expect((await post({}, from('192.0.2.9'))).status).toBe(200);
  expect((await fetch(`${served?.url ?? ''}/unknown`)).status).toBe(404);
});

test('Retry-After has seconds, at least one and at most the time of the limit', async () => {
  await start([{ by: 'address', times: 1, within: 60 }], () => reply(200, {}));
  await post({});
  const { headers } = await post({});
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(headers.get('ratelimit')).toBe(`"address";r=0;t=${seconds}`);
});

test('IPv6 addresses of one network are one client', async () => {
  await start([{ by: (call) => [clientNetwork(call)], times: 1, within: 60 }], () => reply(200, {}));
  expect((await post({}, from('2001:db8:1:2::7'))).status).toBe(200);
  expect((await post({}, from('2001:db8:1:2:ffff::8'))).status).toBe(429);
  expect((await post({}, from('2001:db8:1:3::7'))).status).toBe(200);
});

test('a client that disconnects before the response stays counted', async () => {
  let isCalled = false;
  let isOver = false;
  await start([{ ...byEmail, times: 1, count: 'refused' }], async (call) => {
    isCalled = true;
    await new Promise<void>((resolve) => call.onDisconnect?.(resolve));
    isOver = true;
    return reply(200, {});
  });
  const socket = connect(served?.port ?? 0, '127.0.0.1');
  const body = '{"email":"a"}';
  socket.write(
    `POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => isCalled).toBe(true);
  socket.destroy();
  await expect.poll(() => isOver).toBe(true);
  expect((await post({ email: 'a' })).status).toBe(429);
});

test('limits by the address are checked before credentials, others after them', async () => {
  const account = basicAuth('staff');
  account.readSettings(
    new Environment({ AUTHENTICATION_STAFF_USER: 'u', AUTHENTICATION_STAFF_PASSWORD: 'p' }, ''),
  );
  const route = { access: accept(account) };
  await start(
    [
      { by: 'address', times: 1, within: 60 },
      { ...byEmail, times: 1 },
    ],
    () => reply(200, {}),
    {
      route,
    },
  );
  expect((await post({ email: 'a' })).status).toBe(401);
  expect((await post({ email: 'a' })).status).toBe(429);
  const right = { authorization: `Basic ${btoa('u:p')}` };
  expect((await post({ email: 'a' }, { ...right, ...from('192.0.2.1') })).status).toBe(200);
  expect((await post({ email: 'a' }, { ...right, ...from('192.0.2.2') })).status).toBe(429);
});

test('limits of an authentication count credentials before they are checked', async () => {
  const account = withLimits(basicAuth('staff'), [
    { by: (call) => [call.param('user')], times: 2, within: 60, count: 'refused' },
  ]);
  account.readSettings(
    new Environment({ AUTHENTICATION_STAFF_USER: 'u', AUTHENTICATION_STAFF_PASSWORD: 'p' }, ''),
  );
  await start([], () => reply(200, {}), { route: { access: accept(account) } });
  const login = async (user: string, password: string): Promise<number> =>
    (await post({}, { authorization: `Basic ${btoa(`${user}:${password}`)}` })).status;
  expect([await login('u', 'p'), await login('u', 'p'), await login('u', 'p')]).toEqual([200, 200, 200]);
  expect([await login('u', 'x'), await login('U', 'y'), await login('u', 'p')]).toEqual([401, 401, 429]);
  expect([await login('other', 'x'), (await post({})).status]).toEqual([401, 401]);
});

describe('`count: refused` of an authentication counts refused credentials', () => {
  const right = { authorization: `Basic ${btoa('u:p')}` };
  const wrong = { authorization: `Basic ${btoa('u:x')}` };
  const limit = { by: 'address', times: 1, within: 60, count: 'refused' } as const;

  async function startWith(handler: Handler, ...scopes: readonly string[]): Promise<void> {
    const account = withLimits(basicAuth('staff'), [limit]);
    const variables = { AUTHENTICATION_STAFF_USER: 'u', AUTHENTICATION_STAFF_PASSWORD: 'p' };
    readSettings({ variables, authentications: [account] });
    await start([], handler, { route: { access: accept(withScopes(account, ...scopes)) } });
  }
  const statusOf = async (headers: Record<string, string>) => (await post({}, headers)).status;

  test('whatever the status of the operation is', async () => {
    await startWith(() => {
      throw fail(404, 'Not found');
    });
    expect([await statusOf(right), await statusOf(right), await statusOf(right)]).toEqual([404, 404, 404]);
    expect([await statusOf(wrong), await statusOf(right)]).toEqual([401, 429]);
  });

  test('and no missing scope', async () => {
    await startWith(() => reply(200, {}), 'orders:write');
    expect([await statusOf(right), await statusOf(right)]).toEqual([403, 403]);
    expect([await statusOf(wrong), await statusOf(right)]).toEqual([401, 429]);
  });

  test('and no page of an unknown origin', async () => {
    await startWith(() => reply(200, {}));
    const evil = { origin: 'https://evil.example' };
    expect([await statusOf({ ...wrong, ...evil }), await statusOf({ ...right, ...evil })]).toEqual([
      403, 403,
    ]);
    expect([await statusOf(wrong), await statusOf(right)]).toEqual([401, 429]);
  });

  test('and accepted ones are counted at no time after they are checked', async () => {
    let waiting: (() => void)[] = [];
    await startWith(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return reply(200, {});
    });
    const first = statusOf(right);
    await expect.poll(() => waiting.length).toBe(1);
    const second = statusOf(right);
    await expect.poll(() => waiting.length).toBe(2);
    for (const go of waiting) go();
    waiting = [];
    expect(await Promise.all([first, second])).toEqual([200, 200]);
  });

  test('and accepted ones are given back once, also if another limit refuses the request', async () => {
    const account = withLimits(basicAuth('staff'), [{ ...limit, times: 2 }]);
    const variables = { AUTHENTICATION_STAFF_USER: 'u', AUTHENTICATION_STAFF_PASSWORD: 'p' };
    readSettings({ variables, authentications: [account] });
    await start([{ ...byEmail, times: 1 }], () => reply(200, {}), { route: { access: accept(account) } });
    expect([await statusOf(wrong), await statusOf(right), await statusOf(right)]).toEqual([401, 200, 429]);
    expect([await statusOf(wrong), await statusOf(wrong)]).toEqual([401, 429]);
  });

  test.each([
    [400, undefined, true],
    [401, undefined, true],
    [403, 'unknown', true],
    [404, undefined, true],
    [410, undefined, true],
    [503, undefined, false],
  ] as const)(
    'and the exception %i (code %s) of the operation that finds the caller: %j',
    async (status, code, isCounted) => {
      const operation = (): never => {
        throw fail(status, 'Refused', { code });
      };
      const keys = withLimits(apiKey('keys', { header: 'x-key', operation }), [limit]);
      await start([], () => reply(200, {}), { route: { access: accept(keys) } });
      const key = { 'x-key': 'k' };
      const first = await statusOf(key);
      expect(first).toBe(status === 404 ? 401 : status);
      expect(await statusOf(key)).toBe(isCounted ? 429 : first);
    },
  );
});

describe('`count: refused` counts no request that a page of any origin can send', () => {
  const limit = { by: 'address', times: 1, within: 60, count: 'refused' } as const;
  const refusing = (): never => {
    throw fail(401, 'Wrong');
  };
  const limitsOfAll = requestLimits('settings', [limit]);

  test('because of its origin', async () => {
    await start([limit], refusing, { route: { access: knownPages([]) }, limitsOfAll });
    const evil = { origin: 'https://evil.example' };
    for (let count = 0; count < 3; count += 1) expect((await post({}, evil)).status).toBe(403);
    expect([(await post({})).status, (await post({})).status]).toEqual([401, 429]);
  });

  test('because of its media type', async () => {
    await start([limit], refusing);
    const plain = { 'content-type': 'text/plain' };
    for (let count = 0; count < 3; count += 1) expect((await post({}, plain)).status).toBe(415);
    expect([(await post({})).status, (await post({})).status]).toEqual([401, 429]);
  });

  test('except for a 403 and a 415 of the operation', async () => {
    let status = 403;
    await start([limit], () => {
      throw fail(status, 'Wrong');
    });
    expect([(await post({})).status, (await post({})).status]).toEqual([403, 429]);
    status = 415;
    const other = from('192.0.2.7');
    expect([(await post({}, other)).status, (await post({}, other)).status]).toEqual([415, 429]);
  });
});

test('the log of refused credentials has the addresses that trusted proxies report', async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  await start([], () => reply(200, {}), {
    route: { access: accept(basicAuth('staff')) },
    log: pino({ base: null }, { write }),
  });
  await post({}, { authorization: `Basic ${btoa('u:x')}`, ...from('192.0.2.5') });
  expect(lines.find(({ msg }) => msg === 'credentials were refused')).toMatchObject({
    addresses: ['192.0.2.5'],
  });
});

describe('authentications in one place', () => {
  const key = `tk_${'k'.repeat(40)}`;
  const byKey = { by: (call: Credentials) => [call.param('key')], within: 60 };
  const secret = 'a-secret-of-at-least-32-bytes-for-tests';
  const bearer = (written: string) => ({ authorization: `Bearer ${written}` });

  async function startWith(ofRobots: LimitDefinition<Credentials>, ofUsers: LimitDefinition<Credentials>) {
    const robots = withLimits(apiKey('robots', { scheme: 'Bearer', prefix: 'tk_', keys: ['one'] }), [
      ofRobots,
    ]);
    const users = withLimits(jwtOfKey('users'), [ofUsers]);
    const variables = {
      AUTHENTICATION_ROBOTS_KEY_ONE: key,
      AUTHENTICATION_USERS_KEY: secret,
      AUTHENTICATION_USERS_ISSUER: issuerName,
      AUTHENTICATION_USERS_AUDIENCE: audience,
    };
    readSettings({ variables, authentications: [robots, users] });
    await start([], () => reply(200, {}), { route: { access: accept(users, robots) } });
  }

  const signed = (own: object): Promise<string> =>
    sign({ alg: 'HS256', kid: 'one', privateKey: Buffer.from(secret) }, claims({ ...own }));

  test('limits of keys count no tokens, and limits of tokens no keys', async () => {
    const byAddress = { by: 'address', within: 60 } as const;
    await startWith({ ...byAddress, times: 2 }, { ...byAddress, times: 3 });
    const token = await signed({ long: 'x'.repeat(1_500) });
    const ask = async (written: string) => (await post({}, bearer(written))).status;
    expect([await ask(token), await ask(token), await ask(token), await ask(token)]).toEqual([
      200, 200, 200, 429,
    ]);
    expect([await ask(key), await ask('other'), await ask(key), await ask(key)]).toEqual([
      200, 401, 200, 429,
    ]);
  });

  test('a key of any length is counted', async () => {
    await startWith({ ...byKey, times: 1 }, { by: 'address', times: 1, within: 60 });
    const long = bearer(`tk_${'x'.repeat(5_000)}`);
    expect([(await post({}, long)).status, (await post({}, long)).status]).toEqual([401, 429]);
    expect((await post({}, bearer(`tk_${'x'.repeat(5_001)}`))).status).toBe(401);
  });
});

test('a user of any length is counted, with all spellings', async () => {
  const account = withLimits(basicAuth('staff'), [
    { by: (call) => [call.param('user')], times: 1, within: 60 },
  ]);
  await start([], () => reply(200, {}), { route: { access: accept(account) } });
  const login = async (user: string): Promise<number> =>
    (await post({}, { authorization: `Basic ${btoa(`${user}:x`)}` })).status;
  expect([await login('ada'), await login(`ada${' '.repeat(1_021)}`)]).toEqual([401, 429]);
  // As malformed credentials, a longer one counts as the address.
  expect([await login('a'.repeat(1_025)), await login('b'.repeat(5_000))]).toEqual([401, 429]);
});

test('the metric counts requests over a limit by operation and limit', async () => {
  const metrics = new ServiceMetrics([]);
  await start([{ by: 'address', times: 1, within: 60 }], () => reply(200, {}), { observer: metrics });
  for (let count = 0; count < 3; count += 1) await post({});
  const family = metrics.collect().find(({ name }) => name === 'requests_limited_total');
  expect(JSON.stringify(family)).toContain('limit=\\"POST /session 1\\"');
});
