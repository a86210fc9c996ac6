/** Requests without an operation are passed to Express, whose error pages are never shown. */
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply } from '../../../runtime/responses/reply.js';
import { serve, type Served } from '../serve.js';

let served: Served;

beforeAll(async () => {
  // X-Powered-By is enabled here, but must not be in responses.
  const app = express();
  app.get('/page', (_request, response) => {
    response.send('<h1>mine</h1>');
  });
  app.get('/throws', () => {
    throw new Error('inside secrets');
  });
  app.get('/rejects', async () => Promise.reject(new Error('inside secrets')));
  app.get('/half', (_request, response) => {
    response.write('half');
    throw new Error('inside secrets');
  });
  app.post('/json', express.json(), (request, response) => {
    response.json(request.body);
  });
  app.delete('/news', (_request, response) => {
    response.json('by express');
  });
  served = await serve(
    { 'GET /news': () => reply(200, 'by the operation'), 'POST /news': () => reply(200) },
    { fallback: app },
  );
});
afterAll(() => served.stop());

async function call(method: string, path: string, body?: string) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(
    served.url + path,
    body === undefined ? { method } : { method, body, headers },
  );
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('operations respond first, then the pages', async () => {
  expect((await call('GET', '/news')).text).toBe('"by the operation"');
  expect((await call('DELETE', '/news')).text).toBe('"by express"');
  expect(await call('GET', '/page')).toMatchObject({ status: 200, text: '<h1>mine</h1>' });
  expect(await call('POST', '/json', '{"a":1}')).toMatchObject({ status: 200, text: '{"a":1}' });
});

test.each([
  ['GET', '/nothing', undefined, 404, 'Not Found'],
  ['PATCH', '/news', undefined, 405, 'Method Not Allowed'],
  ['GET', '/throws', undefined, 500, 'Internal server error'],
  ['GET', '/rejects', undefined, 500, 'Internal server error'],
  ['POST', '/json', '{"a":', 400, 'Bad Request'],
])('%s %s ends as JSON', async (method, path, body, status, message) => {
  const response = await call(method, path, body);
  expect(response).toMatchObject({ status, text: JSON.stringify({ message }) });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-powered-by')).toBeNull();
});

test('every response has its X-Request-Id', async () => {
  for (const path of ['/page', '/nothing', '/throws', '/news']) {
    expect((await call('GET', path)).headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
  }
});

test('an error in the middle of a page cuts the connection: nobody takes the half for the whole', async () => {
  await expect(call('GET', '/half')).rejects.toThrow(TypeError);
});
