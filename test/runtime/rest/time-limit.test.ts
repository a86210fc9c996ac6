/** The time limit of a call ends it at any stage: waiting for a connection, for a response, or for the rest of a response. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { rest } from '../../../runtime/rest/rest.js';
import { testCall } from '../../helpers/test-call.js';

const waiting: ServerResponse[] = [];
const server = createServer((request, response) => {
  if (request.url === '/begins') response.write('{');
  waiting.push(response);
});
const datasource = rest({ name: 'api' });
const ask = datasource.request({ operation: 'test', fulfillment: 'answer', method: 'GET' });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  datasource.open({
    url: `http://127.0.0.1:${port}`,
    responseLimit: 1000,
    user: '',
    password: '',
    header: {},
  });
});

afterAll(() => {
  datasource.close();
  server.closeAllConnections();
  server.close();
});

function statusOf(path: string, milliseconds: number): Promise<number> {
  return ask(testCall(milliseconds), { url: path }).then(
    () => 200,
    (error: unknown) => (error instanceof ServiceError ? error.status : 0),
  );
}

function respondToAll(text: string): void {
  for (const response of waiting.splice(0)) response.end(text);
}

test.each(['/never', '/begins'])('%s', async (path) => {
  expect(await statusOf(path, 100)).toBe(504);
  waiting.length = 0;
});

test('a call that waits for a connection does not wait for those that have one', async () => {
  let ended = 0;
  const others = Array.from({ length: 256 }, async () => {
    const status = await statusOf('/never', 60_000);
    ended += 1;
    return status;
  });
  await expect.poll(() => waiting.length).toBe(256);
  expect(await statusOf('/never', 200)).toBe(504);
  expect(ended).toBe(0);
  respondToAll('{}');
  expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
  // The connections are available to other calls.
  const next = statusOf('/never', 60_000);
  await expect.poll(() => waiting.length).toBe(1);
  respondToAll('{}');
  expect(await next).toBe(200);
});
