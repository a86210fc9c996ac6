/** A response with a small body takes a single write to the socket. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Fallback } from '../../../runtime/http/fallback.js';
import { reply } from '../../../runtime/responses/reply.js';
import { RawConnection } from '../raw-http.js';
import { serve } from '../serve.js';

const text = 'Žluťoučký kůň';

async function open(middleware?: Fallback): Promise<{ client: RawConnection; socket: Socket }> {
  const operations = { 'GET /text': () => reply(200, text), 'GET /none': () => reply(200) };
  const served = await serve(operations, { middleware });
  onTestFinished(() => served.stop());
  const connected = once(served.http.server, 'connection') as Promise<[Socket]>;
  const client = new RawConnection(served.port);
  const [socket] = await connected;
  return { client, socket };
}

const ask = (what: string) => `${what} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('head and body are one piece, also one after the other', async () => {
  const { client, socket } = await open();
  const one = vi.spyOn(socket, '_write');
  const several = vi.spyOn(socket as Socket & Required<Pick<Socket, '_writev'>>, '_writev');
  const bodies: string[] = [];
  for (let count = 1; count <= 3; count += 1)
    bodies.push((await client.write(ask('GET /text')).next(count)).at(-1)?.body ?? '');
  expect(bodies).toEqual([1, 2, 3].map(() => JSON.stringify(text)));
  expect([one.mock.calls.length, several.mock.calls.length]).toEqual([3, 0]);
});

test('requests that arrive together have their responses in order, with and without a body', async () => {
  const { client } = await open();
  client.write(['GET /text', 'GET /none', 'GET /text', 'GET /text'].map(ask).join(''));
  const responses = await client.next(4);
  expect(responses.map(({ status, body }) => [status, body])).toEqual([
    [200, JSON.stringify(text)],
    [200, ''],
    [200, JSON.stringify(text)],
    [200, JSON.stringify(text)],
  ]);
});

test('middleware that has put itself around the end of the response gets its text', async () => {
  const ends: unknown[][] = [];
  const { client } = await open((_request, response, next) => {
    const end = response.end.bind(response) as (...args: unknown[]) => typeof response;
    response.end = (...args: unknown[]) => {
      ends.push(args);
      return end(...args);
    };
    next();
  });
  await client.write(ask('GET /text')).next();
  expect(ends).toEqual([[JSON.stringify(text)]]);
});
