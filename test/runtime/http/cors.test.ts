/** Pages of other origins (CORS_ORIGIN): headers for browsers, and no headers without the setting. */
import { afterEach, describe, expect, test } from 'vitest';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { accept } from '../../../runtime/authentication/accept.js';
import { basicAuth } from '../../../runtime/basicauth/basic-auth.js';
import { Cors } from '../../../runtime/http/cors.js';
import { createRouter } from '../../../runtime/http/router.js';
import type { Route } from '../../../runtime/http/route.js';
import { reply } from '../../../runtime/responses/reply.js';
import { readSettings } from '../../../runtime/server/settings.js';
import { serve, type Served } from '../serve.js';

const handler = () => reply(200, 'ok');
const routes: readonly Route[] = [
  { method: 'GET', path: '/news', handler, access: accept(basicAuth('admin')) },
  { method: 'POST', path: '/news', handler, body: jsonBody },
  { method: 'GET', path: '/news/{id}', handler },
  { method: 'DELETE', path: '/news/latest', handler },
  { method: 'OPTIONS', path: '/own', handler },
];

let served: Served | undefined;
afterEach(() => served?.stop());

async function open(...origins: string[]): Promise<string> {
  served = await serve(routes, origins.length === 0 ? {} : { cors: new Cors(origins, createRouter(routes)) });
  return served.url;
}

async function ask(url: string, method: string, headers: Record<string, string>) {
  const response = await fetch(url, { method, headers });
  const cors = [...response.headers].filter(([name]) => /^access-control|^vary$/.test(name));
  return { status: response.status, text: await response.text(), cors: Object.fromEntries(cors) };
}

const origin = 'https://a.example';
const preflight = { origin, 'access-control-request-method': 'DELETE' };

describe('a list of origins', () => {
  test('a page of one of them reads the response, an error too, and X-Request-Id', async () => {
    const url = await open('https://b.example', origin);
    const marks = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'X-Request-Id, Retry-After',
      vary: 'Origin',
    };
    expect(await ask(`${url}/news/1`, 'GET', { origin })).toEqual({ status: 200, text: '"ok"', cors: marks });
    for (const [path, method, status] of [
      ['/news', 'GET', 401],
      ['/nothing', 'GET', 404],
      ['/news', 'PUT', 405],
      ['/%', 'GET', 400],
    ] as const)
      expect(await ask(url + path, method, { origin })).toMatchObject({ status, cors: marks });
  });

  test('another page gets a response that its browser hides; caches get Vary', async () => {
    const url = await open(origin);
    for (const headers of [
      {},
      { origin: 'https://a.example.evil' },
      { origin: 'null' },
      { origin: 'HTTPS://A.EXAMPLE' },
    ])
      expect(await ask(`${url}/news/1`, 'GET', headers)).toEqual({
        status: 200,
        text: '"ok"',
        cors: { vary: 'Origin' },
      });
    expect(
      await ask(`${url}/news/1`, 'OPTIONS', { ...preflight, origin: 'https://evil.example' }),
    ).toMatchObject({
      status: 405,
      cors: { vary: 'Origin' },
    });
  });

  test('a preflight gets the methods of the path, without credentials', async () => {
    const url = await open(origin);
    const response = await ask(`${url}/news`, 'OPTIONS', {
      ...preflight,
      'access-control-request-headers': 'authorization, x-any',
    });
    expect(response).toEqual({
      status: 204,
      text: '',
      cors: {
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'authorization, x-any',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers',
      },
    });
    const latest = await ask(`${url}/news/latest`, 'OPTIONS', preflight);
    expect(latest.cors['access-control-allow-methods']).toBe('DELETE, GET, HEAD');
    expect(latest.cors).not.toHaveProperty('access-control-allow-headers');
  });

  test('OPTIONS that is not a preflight, or for an unknown path, is an ordinary request', async () => {
    const url = await open(origin);
    expect(await ask(`${url}/own`, 'OPTIONS', { origin })).toMatchObject({ status: 200 });
    expect(await ask(`${url}/news`, 'OPTIONS', { origin })).toMatchObject({ status: 405 });
    expect(await ask(`${url}/nothing`, 'OPTIONS', preflight)).toMatchObject({ status: 404 });
    expect(await ask(`${url}/own`, 'OPTIONS', preflight)).toMatchObject({ status: 204 });
  });
});

test('* is every origin, without the credentials that a browser keeps', async () => {
  const url = await open('*');
  expect((await ask(`${url}/news/1`, 'GET', { origin })).cors).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Request-Id, Retry-After',
  });
  expect((await ask(`${url}/news/1`, 'OPTIONS', preflight)).status).toBe(204);
});

test('without the setting there are no headers about origins', async () => {
  const url = await open();
  expect(await ask(`${url}/news/1`, 'GET', { origin })).toEqual({ status: 200, text: '"ok"', cors: {} });
  expect(await ask(`${url}/news/1`, 'OPTIONS', preflight)).toMatchObject({ status: 405, cors: {} });
});

describe('CORS_ORIGIN', () => {
  const read = (CORS_ORIGIN: string) => readSettings({ variables: { CORS_ORIGIN } }).corsOrigins;

  test('is a list, written as browsers write origins', () => {
    expect(read(' https://A.example:443, http://b:8080 http://c:80\tcapacitor://localhost ')).toEqual([
      'https://a.example',
      'http://b:8080',
      'http://c',
      'capacitor://localhost',
    ]);
    expect(read('')).toEqual([]);
    expect(read('*')).toEqual(['*']);
  });

  test.each(['a.example', 'https://a.example/', 'https://a/b', 'https://u@a', 'null', '*.example'])(
    '%s is not an origin',
    (text) => {
      expect(() => read(text)).toThrow(/^CORS_ORIGIN is a list of origins such as/);
    },
  );

  test('* and a list exclude each other', () => {
    expect(() => read('*, https://a')).toThrow('CORS_ORIGIN is * for every origin');
  });
});

describe('with a middleware', () => {
  test('the preflight request does not reach it, its own responses have the headers, and the test page has none', async () => {
    const names: string[] = [];
    served = await serve(routes, {
      cors: new Cors([origin], createRouter(routes)),
      testPage: {
        announce: () => undefined,
        owns: (target) => target.startsWith('/docs-ui'),
        respond: () => false,
        observe: (_exchange, _operation, run, call) => Promise.resolve(run(call)),
      },
      middleware: (request, response) => {
        names.push(`${request.method} ${request.url}`);
        response.writeHead(401).end('Log in first');
      },
    });
    const { url } = served;
    expect(await ask(`${url}/news/1`, 'OPTIONS', preflight)).toMatchObject({
      status: 204,
      cors: { 'access-control-allow-origin': origin },
    });
    expect(names).toEqual([]);
    expect(await ask(`${url}/news/1`, 'GET', { origin })).toMatchObject({
      status: 401,
      text: 'Log in first',
      cors: { 'access-control-allow-origin': origin, vary: 'Origin' },
    });
    expect(await ask(`${url}/%64ocs-ui`, 'GET', { origin })).toMatchObject({ status: 401, cors: {} });
    expect(names).toEqual(['GET /news/1', 'GET /docs-ui']);
  });
});
