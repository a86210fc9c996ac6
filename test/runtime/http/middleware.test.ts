/** User middleware runs before every operation, and its errors are reported as errors of the service. */
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { formBody } from '../../../runtime/forms/form-body.js';
import { readUrlencoded } from '../../../runtime/forms/read-urlencoded.js';
import { rawBody } from '../../../runtime/http/raw-body.js';
import { userCode } from '../../../runtime/http/fallback.js';
import { reply } from '../../../runtime/responses/reply.js';
import { StartError } from '../../../runtime/server/environment.js';
import { serve, type Served } from '../serve.js';

let served: Served;
let seen: string[] = [];
let logged = '';
const written = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});
const folder = mkdtempSync(join(tmpdir(), 'apikiln-middleware-'));

beforeAll(async () => {
  const middleware = express();
  middleware.use((request, response, next) => {
    seen.push(`${request.method} ${request.originalUrl}`);
    response.setHeader('X-Tenant', String(request.headers['x-tenant']));
    if (request.headers['x-tenant'] === 'nobody') response.status(403).json({ message: 'Not you' });
    else if (request.headers['x-tenant'] === 'broken') throw new Error('inside secrets');
    else next();
  });
  middleware.post('/greedy', express.json());
  middleware.use('/guarded', (_request, response) => {
    response.status(403).json({ message: 'Log in' });
  });
  middleware.use('/leave', (_request, _response, next) => {
    next('route');
  });
  middleware.post('/paused', (request, _response, next) => {
    request.pause();
    next();
  });
  const app = express();
  app.get('/page', (_request, response) => {
    response.send('mine');
  });
  served = await serve(
    {
      'GET /news': () => reply(200, 'by the operation'),
      'POST /news': (call) => reply(200, call.body),
      'POST /greedy': (call) => reply(200, call.body),
      'POST /paused': (call) => reply(200, call.body),
      'GET /leave': () => reply(200, 'left'),
      'GET /guarded': () => reply(200, 'bare'),
      'GET /guarded/{name}': () => reply(200, 'bare'),
    },
    { middleware, fallback: app, log: pino(written) },
  );
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await served.stop();
});

async function call(method: string, path: string, tenant: string, body?: string) {
  seen = [];
  const headers = { 'Content-Type': 'application/json', 'X-Tenant': tenant };
  const response = await fetch(served.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, tenant: response.headers.get('x-tenant'), text: await response.text() };
}

test.each([
  ['GET', '/news?a=1', undefined, 200, '"by the operation"'],
  ['HEAD', '/news', undefined, 200, ''],
  ['POST', '/news', '{"a":1}', 200, '{"a":1}'],
  ['GET', '/page', undefined, 200, 'mine'],
  ['GET', '/nothing', undefined, 404, '{"message":"Not Found"}'],
  ['PUT', '/news', undefined, 405, '{"message":"Method Not Allowed"}'],
  ['GET', '/leave', undefined, 200, '"left"'],
  ['POST', '/paused', '{"a":1}', 200, '{"a":1}'],
])('it sees %s %s, which goes its way', async (method, path, body, status, text) => {
  expect(await call(method, path, 'a', body)).toEqual({ status, tenant: 'a', text });
  expect(seen).toEqual([`${method} ${path}`]);
});

test.each(['/news', '/page', '/nothing'])('its own response reaches no other client: %s', async (path) => {
  expect(await call('GET', path, 'nobody')).toEqual({
    status: 403,
    tenant: 'nobody',
    text: '{"message":"Not you"}',
  });
});

test('what it throws is 500 and shows nothing', async () => {
  expect(await call('GET', '/news', 'broken')).toMatchObject({
    status: 500,
    text: '{"message":"Internal server error"}',
  });
});

test.each([
  ...['/guarded', '/%67uarded', '/guarde%64', '/guarded/%C5%BElu%C5%A5', '/guarded/%2F', '/guarded?x=%'],
  ...[
    'http://x/guarded',
    'http://x/%67uarded',
    'http://[/guarded',
    'http://[::1/guarded',
    'http://%/guarded',
  ],
])('no way to write a path leads around it: %s', async (target) => {
  const { port } = new URL(served.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 403 /);
});

test.each([
  ['before next', async () => Promise.reject(new Error('inside secrets')), 500],

  [
    'after next',
    async (_request: unknown, _response: unknown, next: () => void) => {
      next();
      await Promise.reject(new Error('inside secrets'));
    },
    200,
  ],
])('a promise that it rejects ends nothing but the call: %s', async (_when, middleware, status) => {
  logged = '';
  const other = await serve({ 'GET /news': () => reply(200, 'x') }, { middleware, log: pino(written) });
  try {
    expect((await fetch(`${other.url}/news`)).status).toBe(status);
    expect((await fetch(`${other.url}/news`)).status).toBe(status);
    expect(logged).toContain('"level":50');
    expect(logged).not.toContain('secrets');
  } finally {
    await other.stop();
  }
});

test('an operation whose body it has read is 500, and the log has the reason', async () => {
  expect(await call('POST', '/greedy', 'a', '{"a":1}')).toMatchObject({ status: 500 });
  expect(logged).toContain('has read the body');
});

test('a service without the file has none; a file without the export keeps it from starting', async () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name));
  };
  expect(userCode('middleware', undefined)).toBeUndefined();
  expect(userCode('middleware', pathToFileURL(join(folder, 'none.mjs')))).toBeUndefined();
  const good = userCode('middleware', file('good.mjs', 'export const middleware = (a, b, next) => next();'));
  expect(await good?.()).toBeTypeOf('function');
  await expect(userCode('middleware', file('bad.mjs', 'export default 1;'))?.()).rejects.toThrow(StartError);
  await expect(userCode('app', file('bad2.mjs', 'export default 1;'))?.()).rejects.toThrow(
    "src/app.ts exports no function 'app'",
  );
});

describe('rawBody', () => {
  const seenBodies: string[] = [];
  let signed: Served;

  beforeAll(async () => {
    const middleware = express();
    middleware.use('/late', express.json());
    middleware.use(async (request, _response, next) => {
      seenBodies.push((await rawBody(request)).toString('latin1'));
      // Reading the body twice returns the same body.
      seenBodies.push(String((await rawBody(request)).length));
      next();
    });
    signed = await serve(
      [
        { method: 'POST', path: '/news', body: jsonBody, handler: (call) => reply(200, call.body) },
        { method: 'POST', path: '/late', body: jsonBody, handler: (call) => reply(200, call.body) },
        {
          method: 'POST',
          path: '/form',
          body: formBody({ urlencoded: readUrlencoded }),
          handler: (call) => reply(200, call.param('a')),
        },
        { method: 'GET', path: '/news', handler: () => reply(200, 'none') },
      ],
      { middleware, log: pino(written), limits: { bodyLimit: 1000 } },
    );
  });

  afterAll(() => signed.stop());

  const send = async (
    path: string,
    body: string | Blob | ReadableStream | undefined,
    type = 'application/json',
  ) => {
    seenBodies.length = 0;
    const response = await fetch(signed.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': type },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    return { status: response.status, body: await response.json() };
  };

  test('is what was sent, and the operation reads it too', async () => {
    expect(await send('/news', '{ "a": "\\u00e9" }')).toEqual({ status: 200, body: { a: 'é' } });
    expect(seenBodies).toEqual(['{ "a": "\\u00e9" }', '17']);
    expect(await send('/form', 'a=%C3%A9', 'application/x-www-form-urlencoded')).toEqual({
      status: 200,
      body: 'é',
    });
    expect(seenBodies).toEqual(['a=%C3%A9', '8']);
    expect(await send('/news', undefined)).toEqual({ status: 200, body: 'none' });
    expect(seenBodies).toEqual(['', '0']);
  });

  test('in pieces of unknown length', async () => {
    const pieces = new Blob(['{"a":', '1}']).stream();
    expect(await send('/news', pieces)).toEqual({ status: 200, body: { a: 1 } });
    expect(seenBodies[0]).toBe('{"a":1}');
  });

  test('what the operation refuses is refused as without it', async () => {
    expect(await send('/news', '{')).toMatchObject({ status: 400 });
    expect(await send('/news', 'a=1', 'text/plain')).toMatchObject({ status: 415 });
  });

  test('more than BODY_LIMIT is 413, with or without a length', async () => {
    const large = JSON.stringify('x'.repeat(2000));
    expect(await send('/news', large)).toMatchObject({ status: 413 });
    expect(await send('/news', new Blob([large]).stream())).toMatchObject({ status: 413 });
  });

  test('files, and a body that something else has read, are 500, and the log has the reason', async () => {
    logged = '';
    expect(await send('/news', '--x--', 'multipart/form-data; boundary=x')).toMatchObject({ status: 500 });
    expect(logged).toContain('multipart');
    logged = '';
    expect(await send('/late', '{"a":1}')).toMatchObject({ status: 500 });
    expect(logged).toContain('Something else has read the body');
  });

  test('a client that waits for 100 gets it once', async () => {
    const socket = connect(signed.port, '127.0.0.1');
    socket.write(
      'POST /news HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
    );
    setTimeout(() => socket.write('{"a":1}'), 100);
    const all = await text(socket);
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    expect(all).toContain('{"a":1}');
  });

  test.each([
    ['alone', undefined],
    [
      'after the middleware',
      async (request: IncomingMessage, _response: unknown, next: () => void) => {
        await rawBody(request);
        next();
      },
    ],
  ])('src/app.ts reads it: %s', async (_name, middleware) => {
    const app = express();
    app.post('/page', async (request, response) => {
      response.send(`mine: ${(await rawBody(request)).toString()}`);
    });
    const limits = { bodyLimit: 1000 };
    const pages = await serve(
      {},
      { fallback: app, log: pino(written), limits, ...(middleware && { middleware }) },
    );
    const post = async (body: string): Promise<readonly [status: number, text: string]> => {
      const response = await fetch(`${pages.url}/page`, { method: 'POST', body });
      return [response.status, await response.text()];
    };
    try {
      expect(await post('<a>é</a>')).toEqual([200, 'mine: <a>é</a>']);
      expect(await post('x'.repeat(1001))).toEqual([
        413,
        '{"message":"The request body is larger than 1000 bytes"}',
      ]);
    } finally {
      await pages.stop();
    }
  });
});
