/**
 * The undocumented members of Node's HTTP server in use (`runtime/http/node-internals.ts`): this test fails if another Node version changes
 * them.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { announceKeepAlive, ServedRequest } from '../../../runtime/http/node-internals.js';
import { RawConnection } from '../raw-http.js';

async function listen(listener: RequestListener<typeof ServedRequest>): Promise<number> {
  const server = createServer({ IncomingMessage: ServedRequest, keepAliveTimeout: 0 }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody';

/** The request object, a few event loop turns after its response. */
async function served(text: string, prepare: (request: IncomingMessage) => void): Promise<IncomingMessage> {
  let found: IncomingMessage | undefined;
  const port = await listen((request, response) => {
    found ??= request;
    prepare(request);
    response.end();
  });
  const connection = new RawConnection(port).write(text);
  await connection.next(1);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  // The connection can serve another request.
  expect((await connection.write(get).next(2)).map(({ status }) => status)).toEqual([200, 200]);
  connection.destroy();
  if (found === undefined) throw new Error('no request has arrived');
  return found;
}

test('a request without a body has no events after its response without listeners', async () => {
  const request = await served(get, () => undefined);
  expect([request.complete, request.readableEnded, request.destroyed]).toEqual([true, false, false]);
});

test.each(['end', 'close'])('who listens to the %s of such a request hears it', async (name) => {
  const heard: string[] = [];
  await served(get, (request) => {
    request.on(name, () => heard.push(name));
  });
  expect(heard).toEqual([name, name]);
});

test('a body that nobody has read is read to its end', async () => {
  const request = await served(post, () => undefined);
  expect([request.complete, request.readableEnded, request.destroyed]).toEqual([true, true, true]);
});

test('for how long the connection stays open is announced without Node’s own timer', async () => {
  const port = await listen((_request, response) => {
    announceKeepAlive(response, 65_000);
    response.end();
  });
  const [response] = await new RawConnection(port).write(get).next();
  expect(response?.headers.get('keep-alive')).toBe('timeout=65');
});
