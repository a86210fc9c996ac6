/** Pages allowed to send credentials that browsers add automatically: one table for all types of authentications. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKey } from '../../../runtime/apikey/api-key.js';
import { accept } from '../../../runtime/authentication/accept.js';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { ownAccess } from '../../../runtime/code/own-access.js';
import { ownDatabases } from '../../../runtime/code/own-databases.js';
import { ownRoutes } from '../../../runtime/code/own-routes.js';
import { custom } from '../../../runtime/custom/custom.js';
import { setCaller } from '../../../runtime/custom/set-caller.js';
import { reply } from '../../../runtime/responses/reply.js';
import type { Route } from '../../../runtime/http/route.js';
import { hashedAccount } from '../../../runtime/password-hash/hashed-account.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { serve, type Served } from '../serve.js';

const key = 'a-key-of-more-than-thirty-two-characters';
const basic = { authorization: `Basic ${Buffer.from('admin:password').toString('base64')}` };
/** The hash of `password` with minimal cost. */
const passwordHash =
  '$scrypt$ln=10,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA==$BVMRKqdiVYikKAaPR1wucsKUKvw4TuPLkdEYtoSHas4=';

interface Case {
  readonly create: () => Authentication;
  readonly settings: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  /** The authentication's column in the table. */
  readonly column: 'browser' | 'cookie' | 'program';
}

const cases: Readonly<Record<string, Case>> = {
  basicauth: {
    create: () => basicAuth('x'),
    settings: { AUTHENTICATION_X_USER: 'admin', AUTHENTICATION_X_PASSWORD: 'password' },
    ...{ credentials: basic, column: 'browser' },
  },
  'basicauth with a hash': {
    create: () => hashedAccount('x'),
    settings: { AUTHENTICATION_X_USER: 'admin', AUTHENTICATION_X_PASSWORD_HASH: passwordHash },
    ...{ credentials: basic, column: 'browser' },
  },
  custom: { create: () => custom('x'), settings: {}, credentials: { ticket: 'ada' }, column: 'browser' },
  'a key in a cookie': {
    create: () => apiKey('x', { cookie: 'session', keys: ['a'] }),
    settings: { AUTHENTICATION_X_KEY_A: key },
    ...{ credentials: { cookie: `session=${key}` }, column: 'cookie' },
  },
  'a key in a header': {
    create: () => apiKey('x', { header: 'X-Api-Key', keys: ['a'] }),
    settings: { AUTHENTICATION_X_KEY_A: key },
    ...{ credentials: { 'x-api-key': key }, column: 'program' },
  },
};

/** A route in user code that calls `contextOf`. */
const ownRoute = '/own';

/** Headers of a request, and whether it may make changes with each kind of credentials. The service's address is https://shop.example. */
const senders: readonly (readonly [
  Readonly<Record<string, string>>,
  Readonly<Record<'browser' | 'cookie', boolean>>,
])[] = [
  // Clients that are not browsers.
  [{}, { browser: true, cookie: false }],
  [{ 'sec-fetch-site': 'none' }, { browser: true, cookie: false }],
  // Pages of the service, with and without a proxy that terminates TLS or changes Host.
  [{ origin: 'https://shop.example' }, { browser: true, cookie: true }],
  [{ origin: 'http://shop.example' }, { browser: true, cookie: true }],
  [{ origin: 'https://Shop.example:443' }, { browser: true, cookie: true }],
  [
    { origin: 'https://shop.example', host: 'SHOP.EXAMPLE:443' },
    { browser: true, cookie: true },
  ],
  [
    { origin: 'https://shop.example:8443', host: 'shop.example:8443' },
    { browser: true, cookie: true },
  ],
  [
    { origin: 'http://[::1]:8080', host: '[::1]:8080' },
    { browser: true, cookie: true },
  ],
  [
    { origin: 'https://shop.example:8443', 'sec-fetch-site': 'same-origin' },
    { browser: true, cookie: true },
  ],
  [
    { origin: 'https://shop.example', host: '127.0.0.1', 'sec-fetch-site': 'same-origin' },
    { browser: true, cookie: true },
  ],
  [
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { browser: true, cookie: true },
  ],
  [{ 'sec-fetch-site': 'same-origin' }, { browser: true, cookie: true }],
  // Origins listed in CORS_ORIGIN.
  [{ origin: 'https://app.example' }, { browser: true, cookie: true }],
  [
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
    { browser: true, cookie: true },
  ],
  [{ origin: 'https://APP.example:443' }, { browser: true, cookie: true }],
  // Pages of other sites.
  [{ origin: 'https://evil.example' }, { browser: false, cookie: false }],
  [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { browser: false, cookie: false },
  ],
  [{ origin: 'https://shop.example.evil.example' }, { browser: false, cookie: false }],
  [{ origin: 'https://shop.example:8443' }, { browser: false, cookie: false }],
  [{ origin: 'http://app.example' }, { browser: false, cookie: false }],
  [
    { origin: 'http://[::1]:8080', host: '[::1]:8081' },
    { browser: false, cookie: false },
  ],
  [{ origin: 'null' }, { browser: false, cookie: false }],
  [{ origin: '' }, { browser: false, cookie: false }],
  [{ origin: 'chrome-extension://shop.example' }, { browser: false, cookie: false }],
  [{ 'sec-fetch-site': 'cross-site' }, { browser: false, cookie: false }],
  [{ 'sec-fetch-site': 'same-site' }, { browser: false, cookie: false }],
  // The proxy sends Host without the port, or the page uses plain HTTP: only the browser can detect the difference.
  [
    { origin: 'https://shop.example', 'sec-fetch-site': 'same-site' },
    { browser: false, cookie: false },
  ],
  [
    { origin: 'http://shop.example', 'sec-fetch-site': 'cross-site' },
    { browser: false, cookie: false },
  ],
  // Ignored: headers that a page cannot set, or that an untrusted proxy may have set.
  [
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
    { browser: false, cookie: false },
  ],
];

describe.each(Object.entries(cases))('%s', (_, { create, settings, credentials, column }) => {
  let served: Served;
  let ran = 0;

  beforeAll(async () => {
    served = await open('https://app.example');
  });
  afterAll(() => served.stop());

  async function open(origins: string): Promise<Served> {
    const authentication = create();
    readSettings({ variables: { ...settings, CORS_ORIGIN: origins }, authentications: [authentication] });
    const access = accept(authentication);
    const routes = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method): Route => {
      const handler = (): ReturnType<typeof reply> => {
        ran += 1;
        return reply(200);
      };
      return { method, path: '/', handler, access };
    });
    const contextOf = ownRoutes({
      ...{ datasources: ownDatabases({}), operations: {}, access: ownAccess({ x: authentication }) },
    });
    return serve(routes, {
      fallback: async (incoming, response) => {
        await contextOf(incoming, { authentications: ['x'] });
        ran += 1;
        response.end();
      },
      middleware: (incoming, _response, next) => {
        if (incoming.headers['ticket'] !== undefined) setCaller(incoming, { sub: 'ada' });
        next();
      },
    });
  }

  test.each(senders)('%j', async (headers, expected) => {
    const sent = { host: 'shop.example', ...credentials, ...headers };
    const isAllowed = column === 'program' || expected[column];
    for (const path of ['/', ownRoute]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const before = ran;
        expect(await statusOf(served, method, sent, path), `${method} ${path}`).toBe(isAllowed ? 200 : 403);
        expect(ran - before, `${method} ${path}`).toBe(isAllowed ? 1 : 0);
      }
      for (const method of ['GET', 'HEAD', 'OPTIONS'])
        expect(await statusOf(served, method, sent, path), `${method} ${path}`).toBe(200);
    }
  });

  test('CORS_ORIGIN=* names nobody who may use the credentials of a browser', async () => {
    const forAll = await open('*');
    try {
      const status = await statusOf(forAll, 'POST', { ...credentials, origin: 'https://app.example' });
      expect(status).toBe(column === 'program' ? 200 : 403);
    } finally {
      await forAll.stop();
    }
  });
});

function statusOf(
  { port }: Served,
  method: string,
  headers: Readonly<Record<string, string>>,
  path = '/',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
