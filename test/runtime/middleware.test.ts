/** The user's own middleware stands before every operation, and what it does wrong is told as an error of the service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Writable } from 'node:stream';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadMiddleware } from '../../runtime/http/load-middleware.js';
import { reply } from '../../runtime/reply.js';
import { StartError } from '../../runtime/start-error.js';
import { serve, type Served } from './serve.js';

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
  const app = express();
  app.get('/page', (_request, response) => {
    response.send('mine');
  });
  served = await serve(
    {
      'GET /news': () => reply(200, 'by the operation'),
      'POST /news': (call) => reply(200, call.body),
      'POST /greedy': (call) => reply(200, call.body),
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
])('it sees %s %s, which goes its way', async (method, path, body, status, text) => {
  expect(await call(method, path, 'a', body)).toEqual({ status, tenant: 'a', text });
  expect(seen).toEqual([`${method} ${path}`]);
});

test.each(['/news', '/page', '/nothing'])('what it answers itself reaches nobody else: %s', async (path) => {
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

test('an operation whose body it has read is 500, and the log says why', async () => {
  expect(await call('POST', '/greedy', 'a', '{"a":1}')).toMatchObject({ status: 500 });
  expect(logged).toContain('has read the body');
});

test('a service without the file has none; a file without the export keeps it from starting', async () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name));
  };
  expect(await loadMiddleware(undefined)).toBeUndefined();
  expect(await loadMiddleware(pathToFileURL(join(folder, 'none.mjs')))).toBeUndefined();
  expect(
    await loadMiddleware(file('good.mjs', 'export const middleware = (a, b, next) => next();')),
  ).toBeTypeOf('function');
  await expect(loadMiddleware(file('bad.mjs', 'export default 1;'))).rejects.toThrow(StartError);
});
