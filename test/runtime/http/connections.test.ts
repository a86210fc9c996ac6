/** Connection timeouts: a fraction of the send timeout while a response is being sent, and 65 seconds between two requests. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { reply } from '../../../runtime/responses/reply.js';
import { RawConnection } from '../raw-http.js';
import { serve } from '../serve.js';

const get = 'GET /small HTTP/1.1\r\nHost: a\r\n\r\n';

interface Opened {
  /** The server's socket. */
  readonly socket: Socket;
  /** Sends a request, and waits for its response; `isPatient` makes the middleware disable the timeout. */
  readonly ask: (isPatient?: boolean) => Promise<void>;
  readonly timePasses: () => void;
  /** The timeout at the beginning of each request. */
  readonly begun: readonly unknown[];
}

async function open(sendTimeout: number): Promise<Opened> {
  const middleware = (request: { socket: Socket }, _response: unknown, next: () => void): void => {
    begun.push(request.socket.timeout);
    if (isPatient) request.socket.setTimeout(0);
    next();
  };
  const begun: unknown[] = [];
  let isPatient = false;
  const operations = { 'GET /small': () => reply(200, 'small') };
  const served = await serve(operations, { limits: { sendTimeout }, middleware });
  onTestFinished(() => served.stop());
  const { server } = served.http;
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = new RawConnection(served.port);
  const [socket] = await connected;
  let count = 0;
  return {
    socket,
    begun,
    ask: async (patient = false) => {
      isPatient = patient;
      count += 1;
      await client.write(get).next(count);
    },
    timePasses: () => {
      server.emit('timeout', socket);
    },
  };
}

test('between two requests it stays open for 65 seconds, counted from the last byte', async () => {
  const { socket, ask, timePasses, begun } = await open(30_000);
  await ask();
  expect(socket.timeout).toBe(3000);
  timePasses();
  expect([socket.timeout, socket.destroyed]).toEqual([62_000, false]);
  await ask();
  expect(begun).toEqual([3000, 3000]);
  expect(socket.timeout).toBe(3000);
  timePasses();
  timePasses();
  expect(socket.destroyed).toBe(true);
});

test('a longer time for sending changes nothing of that', async () => {
  const { socket, ask, timePasses } = await open(3_600_000);
  await ask();
  expect(socket.timeout).toBe(6500);
  timePasses();
  expect([socket.timeout, socket.destroyed]).toEqual([58_500, false]);
  timePasses();
  expect(socket.destroyed).toBe(true);
});

test('user code that waits longer keeps no connection open after its response', async () => {
  const { socket, ask } = await open(30_000);
  await ask(true);
  await expect.poll(() => socket.timeout).toBe(3000);
});
