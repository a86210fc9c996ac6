/** Misbehaving clients of the HTTP server. Every error is JSON, and the next request is served. */
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest';
import { bytes } from '../../../runtime/responses/contents.js';
import { reply } from '../../../runtime/responses/reply.js';
import { RawConnection, send } from '../raw-http.js';
import { serve, type Served } from '../serve.js';

let served: Served;
let steps: string[] = [];
/** Resolves when the client of `/steps` has left. */
let left: Promise<unknown> | undefined;

beforeAll(async () => {
  served = await serve({
    'GET /ok': () => reply(200, 'ok'),
    'GET /slow/{name}': async (call) => {
      await delay(150);
      return reply(200, call.param('name'));
    },
    'GET /steps': async (call) => {
      steps.push('first');
      await left;
      await turn();
      try {
        call.proceed();
        steps.push('second');
        return reply(200);
      } finally {
        steps.push('end');
      }
    },
    'POST /echo': (call) => reply(200, call.body),
    'DELETE /long': () => reply(200, 'x'.repeat(30_000_000)),
    'DELETE /bytes': () => reply(200, btoa('bytes'), { type: 'image/png', as: bytes }),
  });
});
afterAll(() => served.stop());
afterEach(async () => {
  expect(await send(served.port, 'GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatchObject([
    { status: 200 },
  ]);
});

describe('an invalid request gets one JSON response and a closed connection', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['an unknown method', 'FETCH /ok HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['no Host', 'GET /ok HTTP/1.1\r\n\r\n', 400],
    ['bytes beyond ASCII in the URL', 'GET /\xc5\xbe HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a blank in a header name', 'GET /ok HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n', 400],
    ['a bare CR in a header', 'GET /ok HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n', 400],
    [
      'Content-Length and Transfer-Encoding',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two Content-Lengths',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ntrue',
      400,
    ],
    [
      'a chunk size that is not a number',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      400,
    ],
    ['headers of 20 KiB', `GET /ok HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a URL of 20 KiB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    [
      'an expectation nobody knows',
      'POST /echo HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n',
      417,
    ],
  ])('%s', async (_what, text, status) => {
    const [response, ...more] = await send(served.port, text);
    expect(more).toEqual([]);
    expect(response).toMatchObject({ status });
    expect(response?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response?.headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
    expect(JSON.parse(response?.body ?? '')).toEqual({ message: expect.any(String) as string });
  });
});

describe('hostile paths', () => {
  test.each([
    ['/../ok', 404],
    ['/ok/', 404],
    ['//ok', 404],
    ['/ok%00', 404],
    ['/%', 400],
    ['/OK', 404],
    ['http://elsewhere/ok', 200],
    ['http://elsewhere', 404],
    ['/ok?', 200],
    ['/ok?__proto__[x]=1&constructor=2', 200],
    [`/${'a/'.repeat(5000)}`, 404],
  ])('%s', async (target, status) => {
    expect(
      await send(served.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    ).toMatchObject([{ status }]);
  });

  test('OPTIONS * and HTTP/1.0 without Host', async () => {
    const [server] = await send(served.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect([server?.status, server?.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ]);
    expect(await send(served.port, 'GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatchObject([
      { status: 404 },
    ]);
    expect(await send(served.port, 'GET /ok HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });

  test.each(['2.0', '0.9'])('HTTP/%s is 505', async (version) => {
    expect(await send(served.port, `GET /ok HTTP/${version}\r\nHost: a\r\n\r\n`)).toMatchObject([
      { status: 505 },
    ]);
  });
});

describe('pipelined requests', () => {
  test('get responses in order', async () => {
    const connection = new RawConnection(served.port);
    connection.write(
      ['slow/a', 'ok', 'slow/b', 'nothing']
        .map((path) => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
        .join(''),
    );
    const bodies = (await connection.next(4)).map(({ body }) => body);
    expect(bodies).toEqual(['"a"', '"ok"', '"b"', '{"message":"Not Found"}']);
    connection.destroy();
  });

  test('garbage after a request does not prevent its response', async () => {
    const all = await send(served.port, 'GET /slow/mine HTTP/1.1\r\nHost: a\r\n\r\nrubbish\r\n\r\n');
    expect(all).toMatchObject([{ status: 200, body: '"mine"' }, { status: 400 }]);
  });

  test('garbage after two requests waits for both', async () => {
    const two = 'GET /slow/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
    const all = await send(served.port, `${two}rubbish\r\n\r\n`);
    expect(all).toMatchObject([{ body: '"1"' }, { body: '"ok"' }, { status: 400 }]);
  });
});

test('garbage in a body whose response has begun ends the connection, and is not mistaken for the rest of it', async () => {
  const socket = connect(served.port, '127.0.0.1').on('error', () => undefined);
  socket.write('DELETE /long HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
  await once(socket, 'readable');
  socket.write('zz\r\n');
  let text = '';
  await (async () => {
    for await (const chunk of socket.setEncoding('latin1')) text += String(chunk);
  })().catch(() => undefined);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(text.length).toBeLessThan(30_000_000);
});

describe('clients that go away', () => {
  test('before the response: the next step is not done', async () => {
    steps = [];
    const accepted = once(served.http.server, 'connection') as Promise<[Socket]>;
    left = accepted.then(([socket]) => once(socket, 'close'));
    const connection = new RawConnection(served.port).write('GET /steps HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => steps).toEqual(['first']);
    connection.destroy();
    await expect.poll(() => steps).toEqual(['first', 'end']);
  });

  test('in the middle of a body', async () => {
    const connection = new RawConnection(served.port);
    connection.write(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"',
    );
    await delay(30);
    connection.destroy();
    expect(await send(served.port, 'GET /ok HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });
});

describe('slow clients', () => {
  test.each([
    ['headers that never end', 'GET /ok HTTP/1.1\r\nHost: a\r\nX: '],
    [
      'a body that never ends',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"',
    ],
  ])('%s: 408', async (_what, text) => {
    const hasty = await serve(
      { 'POST /echo': (call) => reply(200, call.body) },
      { limits: { requestTimeout: 300 } },
    );
    const connection = new RawConnection(hasty.port).write(text);
    expect(await connection.untilClosed()).toMatchObject([
      { status: 408, body: '{"message":"Request Timeout"}' },
    ]);
    await hasty.stop();
  });
});

describe('the end of the server', () => {
  test('idle and silent connections are closed, requests in flight get Connection: close', async () => {
    const gate = new EventEmitter();
    const begun = once(gate, 'begun');
    const ending = await serve({
      'GET /slow': async () => {
        gate.emit('begun');
        await once(gate, 'released');
        return reply(200, 'done');
      },
    });
    const silent = new RawConnection(ending.port);
    const idle = new RawConnection(ending.port).write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.next();
    const busy = new RawConnection(ending.port).write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await begun;
    const closed = ending.http.close();
    await Promise.all([silent.closed, idle.closed]);
    expect(busy.text).toBe('');
    gate.emit('released');
    const [response] = await busy.untilClosed();
    expect([response?.status, response?.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });
});

test('a response before the end of the request reaches a client that closes the connection', async () => {
  expect(await statusOfLongRequest('/echo')).toBe('HTTP/1.1 413');
  expect(await statusOfLongRequest('/nowhere')).toBe('HTTP/1.1 404');
  expect(await statusOfLongRequest('/bytes', 'DELETE')).toBe('HTTP/1.1 200');
});

/** Announces 3 MB, continues to send long after the response, and only then reads: if the connection was cut off, the response is lost. */
async function statusOfLongRequest(path: string, method = 'POST'): Promise<string> {
  const socket = connect(served.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${3 * 1024 * 1024}\r\n\r\n`);
  for (let piece = 0; piece < 24; piece += 1) {
    socket.write(Buffer.alloc(128 * 1024, ' '));
    await delay(20);
  }
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += String(chunk);
  return text.slice(0, 12);
}

test.each(['gzip, chunked', 'identity, chunked', 'chunked, chunked'])(
  'Transfer-Encoding: %s is refused, and no bytes after it are mistaken for a request',
  async (coding) => {
    const head = `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
    const responses = await send(
      served.port,
      `${head}2\r\n{}\r\n0\r\n\r\nGET /ok HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    expect(responses).toHaveLength(1);
    expect([400, 501]).toContain(responses[0]?.status);
  },
);

test('more header fields than are taken: 431, none is dropped without a word', async () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index.toString(36)}:\r\n`).join('');
  const wide = await serve({ 'GET /ok': () => reply(200) }, { limits: { headerLimit: 256 * 1024 } });
  const status = async (count: number) =>
    (await send(wide.port, `GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${fields(count)}\r\n`))[0]
      ?.status;
  expect(await status(1998)).toBe(200);
  expect(await status(1999)).toBe(431);
  await wide.stop();
});
