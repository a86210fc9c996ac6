/** The HTTP server with well-behaved clients: parameters, bodies, responses, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reply } from '../../../runtime/responses/reply.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { textOf } from '../../../runtime/handler/json.js';
import { RawConnection } from '../raw-http.js';
import { serve, type Served } from '../serve.js';

let served: Served;

beforeAll(async () => {
  served = await serve({
    'GET /param/{id}': (call) =>
      reply(200, { id: call.param('id'), q: call.param('q'), header: call.param('X-Test') }),
    'GET /any/{name}': (call) => reply(200, call.param(textOf(call.param('name')))),
    'POST /echo': (call) => reply(200, call.body),
    'GET /created': () => reply(201, { a: 'ž' }),
    'GET /empty': () => reply(200),
    'GET /no-content': () => reply(204, { ignored: true }),
    'GET /reset': () => reply(205, { ignored: true }),
    'GET /not-modified': () => reply(304),
    'GET /fail': () => {
      throw fail(404, 'No such news');
    },
    'GET /no-body': () => {
      throw fail(409, 'Sold out', {
        body: () => {
          throw new TypeError('secret words');
        },
      });
    },
    'GET /unavailable': () =>
      Promise.reject(new ServiceError(503, 'The database is away', { retryAfter: 7 })),
    'GET /bug': () => {
      throw new TypeError('secret words');
    },
    'GET /deadline': async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 80));
      call.proceed();
      return reply(200, call.deadline);
    },
  });
});
afterAll(() => served.stop());

async function get(path: string, init?: RequestInit) {
  const response = await fetch(served.url + path, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  };
}

describe('parameters', () => {
  test('path before query before header', async () => {
    const headers = { id: 'from header', q: 'from header', 'x-test': 'from header' };
    const both = await get('/param/5?id=from%20query&q=from+query', { headers });
    expect(both.json()).toEqual({ id: '5', q: 'from query', header: 'from header' });
    expect((await get('/param/5', { headers })).json()).toMatchObject({ q: 'from header' });
  });

  test('absent: null', async () => {
    expect((await get('/param/5')).json()).toEqual({ id: '5', q: null, header: null });
  });

  test.each([
    ['q=1&q=2&q=3', ['1', '2', '3']],
    ['q=', ''],
    ['q', ''],
    ['&&q=a&', 'a'],
    ['q=a=b', 'a=b'],
    ['q=%26%3D%2B', '&=+'],
    ['q=%C5%BElu%C5%A5', 'žluť'],
    ['%71=x', 'x'],
    ['q[]=1', ['1']],
    ['__proto__=1', null],
  ])('?%s gives %j', async (query, value) => {
    expect((await get(`/param/5?${query}`)).json()).toMatchObject({ q: value });
  });

  test.each(['q=%', 'q=%zz', 'other=%ff', '%C5=1', 'q=%ED%A0%80'])(
    '?%s is not percent-encoded UTF-8: 400',
    async (query) => {
      expect(await get(`/param/5?${query}`)).toMatchObject({ status: 400 });
    },
  );

  test.each(['constructor', '__proto__', 'toString'])(
    'the parameter %s is missing unless it is passed',
    async (name) => {
      expect((await get(`/any/${name}`)).json()).toBeNull();
      expect((await get(`/any/${name}?${name}=1`)).json()).toBe('1');
    },
  );

  test('repeated headers are one value, and a header in UTF-8 is read as such', async () => {
    const connection = new RawConnection(served.port);
    connection.write(
      'GET /param/1 HTTP/1.1\r\nHost: a\r\nX-Test: 1\r\nx-test: \xc5\xbe\r\nConnection: close\r\n\r\n',
    );
    const [response] = await connection.untilClosed();
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ header: '1, ž' });
    // Node does not merge these headers.
    const cookies = 'Set-Cookie: a=1\r\nset-cookie: b=2\r\n';
    const [other] = await new RawConnection(served.port)
      .write(`GET /any/Set-Cookie HTTP/1.1\r\nHost: a\r\n${cookies}Connection: close\r\n\r\n`)
      .untilClosed();
    expect(JSON.parse(other?.body ?? '')).toBe('a=1, b=2');
  });
});

describe('the JSON body', () => {
  async function post(
    body: RequestInit['body'],
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
  ) {
    return get('/echo', { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
  }

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/problem+json',
    'Text/JSON',
  ])('%s is read', async (type) => {
    expect((await post('{"a":[1,"ž"]}', { 'Content-Type': type })).json()).toEqual({ a: [1, 'ž'] });
  });

  test.each([
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/json; charset= utf-16',
    'x+json',
    '',
  ])('%j is 415', async (type) => {
    expect(await post('{}', { 'Content-Type': type })).toMatchObject({ status: 415 });
  });

  test('compressed is 415, identity is read', async () => {
    expect(
      await post('{}', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }),
    ).toMatchObject({ status: 415 });
    expect(
      await post('{}', { 'Content-Type': 'application/json', 'Content-Encoding': 'identity' }),
    ).toMatchObject({ status: 200 });
  });

  test('no body and an empty body are null, whatever the content type', async () => {
    expect(await post(undefined, {})).toMatchObject({ status: 200, text: 'null' });
    expect(await post('', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 200, text: 'null' });
    const empty = new ReadableStream({
      start: (controller) => {
        controller.close();
      },
    });
    const chunked = await get('/echo', { method: 'POST', body: empty, duplex: 'half' });
    expect(chunked).toMatchObject({ status: 200, text: 'null' });
  });

  test.each([
    ['{"a": 1,\n "secret": oops}', 'The request body is not valid JSON at line 2, column 12'],
    ['{"a": [1', 'The request body is not valid JSON: it ends too early, at line 1, column 9'],
    [' ', 'The request body is not valid JSON: it ends too early, at line 1, column 2'],
  ])('%j is 400 with its position', async (body, message) => {
    expect(await post(body)).toMatchObject({ status: 400, text: JSON.stringify({ message }) });
  });

  test('bytes that are not UTF-8 are 400', async () => {
    expect(await post(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ status: 400 });
  });

  test('64 levels are read, 65 are 400', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await post(nested(64))).toMatchObject({ status: 200, text: nested(64) });
    expect(await post(nested(65))).toMatchObject({ status: 400 });
    expect(await post('['.repeat(500_000) + ']'.repeat(500_000))).toMatchObject({ status: 400 });
  });

  test('1 MiB is read, one byte more is 413', async () => {
    const text = JSON.stringify('x'.repeat(1024 * 1024 - 2));
    expect(await post(text)).toMatchObject({ status: 200 });
    expect(await post(` ${text}`)).toMatchObject({ status: 413 });
  });

  test('a chunked body beyond the limit is 413, and its connection serves the next request', async () => {
    const connection = new RawConnection(served.port);
    connection.write(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let index = 0; index < 20; index += 1) connection.write(`10000\r\n${'1'.repeat(65_536)}\r\n`);
    expect((await connection.next())[0]).toMatchObject({ status: 413 });
    connection.write('0\r\n\r\nGET /created HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await connection.next(2))[1]).toMatchObject({ status: 201 });
    connection.destroy();
  });

  test('no digit of a number is lost', async () => {
    expect((await post('[9007199254740993]')).text).toBe('["9007199254740993"]');
  });

  test('__proto__ is returned as a field', async () => {
    expect((await post('{"__proto__":{"a":1}}')).text).toBe('{"__proto__":{"a":1}}');
  });

  test('Expect: 100-continue asks for the body only when it is wanted', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ';
    const wanted = new RawConnection(served.port).write(`${head}4\r\n\r\n`);
    expect(await wanted.next()).toMatchObject([{ status: 100 }]);
    expect((await wanted.write('true').next(2))[1]).toMatchObject({ status: 200, body: 'true' });
    wanted.destroy();
    const tooLarge = await new RawConnection(served.port).write(`${head}9999999\r\n\r\n`).untilClosed();
    expect(tooLarge).toMatchObject([{ status: 413 }]);
  });
});

describe('responses', () => {
  test('JSON with its length, and nothing that identifies the server', async () => {
    const { status, headers, text } = await get('/created');
    expect([status, text]).toEqual([201, '{"a":"ž"}']);
    expect([...headers.keys()].sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'x-request-id',
    ]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-length')).toBe('10');
  });

  test('HEAD has the headers of GET and no body', async () => {
    const { status, headers, text } = await get('/created', { method: 'HEAD' });
    expect([status, headers.get('content-length'), text]).toEqual([201, '10', '']);
  });

  test.each([
    ['/empty', 200, '0'],
    ['/no-content', 204, null],
    ['/reset', 205, '0'],
    ['/not-modified', 304, null],
  ])('%s has no body and no content type', async (path, status, length) => {
    const response = await get(path);
    expect([response.status, response.text, response.headers.get('content-length')]).toEqual([
      status,
      '',
      length,
    ]);
    expect(response.headers.get('content-type')).toBeNull();
  });

  test('an exception, an error with a status and an unexpected one', async () => {
    expect(await get('/fail')).toMatchObject({ status: 404, text: '{"message":"No such news"}' });
    const unavailable = await get('/unavailable');
    expect(unavailable).toMatchObject({ status: 503, text: '{"message":"The database is away"}' });
    expect(unavailable.headers.get('retry-after')).toBe('7');
    expect(await get('/bug')).toMatchObject({ status: 500, text: '{"message":"Internal server error"}' });
  });

  test('an exception or a service whose own bodies of errors cannot be made: the usual body', async () => {
    expect(await get('/no-body')).toMatchObject({ status: 409, text: '{"message":"Sold out"}' });
    const broken = await serve(
      {},
      {
        errors: () => {
          throw new TypeError('secret words');
        },
      },
    );
    const response = await fetch(broken.url);
    expect([response.status, await response.text()]).toEqual([404, '{"message":"Not Found"}']);
    await broken.stop();
  });

  test('404, and 405 with Allow', async () => {
    expect(await get('/nothing')).toMatchObject({ status: 404, text: '{"message":"Not Found"}' });
    const wrong = await get('/echo', { method: 'OPTIONS' });
    expect(wrong).toMatchObject({ status: 405, text: '{"message":"Method Not Allowed"}' });
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await get('/created', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('X-Request-Id: a valid one is returned, any other is replaced', async () => {
    const idOf = async (id: string) =>
      (await get('/created', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    expect(await idOf('abc-1.2_Z')).toBe('abc-1.2_Z');
    for (const bad of ['', 'a b', 'x'.repeat(129), '<script>'])
      expect(await idOf(bad)).toMatch(/^[0-9a-f]{18}-[0-9a-z]+$/);
    const fresh = await Promise.all([get('/created'), get('/nothing'), get('/created')]);
    expect(new Set(fresh.map(({ headers }) => headers.get('x-request-id'))).size).toBe(3);
  });
});

test('the time for a request is one budget, and 504 means that it is used up', async () => {
  const hasty = await serve(
    {
      'GET /slow': async (call) => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        call.proceed();
        return reply(200);
      },
    },
    { limits: { requestTimeout: 500 } },
  );
  expect((await fetch(`${hasty.url}/slow`)).status).toBe(504);
  await hasty.stop();
  expect((await get('/deadline')).status).toBe(200);
});
