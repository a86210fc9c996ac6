/** Bodies that are one string, and JSON with other content types: bytes, charsets, sizes, also chunked behind nginx. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { knownPages } from '../../../runtime/authentication/known-pages.js';
import { jsonBodyOf, textBody } from '../../../runtime/http/json-body.js';
import { reply } from '../../../runtime/responses/reply.js';
import { Environment } from '../../../runtime/server/environment.js';
import { startNginx, type ReverseProxy } from '../../helpers/nginx.js';
import { serve, type Served } from '../serve.js';

const limit = 64 * 1024;
let served: Served;
let proxies: readonly ReverseProxy[] = [];
const open = knownPages([]);

beforeAll(async () => {
  open.readSettings(new Environment({ CORS_ORIGIN: 'https://known.example' }, ''));
  served = await serve(
    [
      {
        ...{
          method: 'POST',
          path: '/text',
          access: open,
          body: textBody(['text/plain', 'application/a.b+c']),
        },
        handler: (call) => reply(200, [call.body]),
      },
      {
        ...{ method: 'POST', path: '/json', body: jsonBodyOf(['application/a.b+json']) },
        handler: (call) => reply(200, [call.body]),
      },
    ],
    { limits: { bodyLimit: limit } },
  );
  proxies = [
    await startNginx([served.port]),
    await startNginx(
      [served.port],
      [
        ...['proxy_http_version 1.1;', 'proxy_set_header Connection "";'],
        ...['proxy_request_buffering off;', 'client_max_body_size 0;'],
      ],
    ),
  ];
});

afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await served.stop();
});

type Headers = Readonly<Record<string, string>>;

/** Sends the pieces as chunks, without a Content-Length. */
function chunked(url: string, headers: Headers, ...pieces: readonly Buffer[]): Promise<[number, unknown]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve([response.statusCode ?? 0, JSON.parse(Buffer.concat(chunks).toString())]);
      });
    });
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

async function post(
  path: string,
  type: string | undefined,
  body: string | Uint8Array,
  headers: Headers = {},
) {
  const response = await fetch(served.url + path, {
    method: 'POST',
    // A Blob without a type is sent without a Content-Type.
    body: type === undefined ? new Blob([Buffer.from(body)]) : Buffer.from(body),
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
  });
  return [response.status, await response.json()] as const;
}

const message = (text: string): unknown => ({ message: expect.stringContaining(text) as unknown });

describe('a string', () => {
  test.each([
    ['text', 'text'],
    ['{"a": 1}', '{"a": 1}'],
    ['\0 \u001F \uFFFE', '\0 \u001F \uFFFE'],
    ['\uFEFFžluť \u{1F600}\r\n', 'žluť \u{1F600}\r\n'],
    [' ', ' '],
    ['', null],
    ['__proto__', '__proto__'],
  ])('%j is %j', async (sent, value) => {
    expect(await post('/text', 'text/plain', sent)).toEqual([200, [value]]);
  });

  test.each(['Text/Plain', ' text/plain ;charset="utf-8"', 'application/a.b+c', 'text/plain; format=flowed'])(
    'with the type %j',
    async (type) => {
      expect(await post('/text', type, 'a')).toEqual([200, ['a']]);
    },
  );

  test.each([
    undefined,
    ...['text/html', 'text/plainer', 'application/aXb+c', 'application/json', '*/*', 'text/plain, text/html'],
    ...['multipart/form-data; boundary=a', 'application/x-www-form-urlencoded'],
  ])('not with the type %j', async (type) => {
    const refused = message('must have the content type text/plain or application/a.b+c');
    expect(await post('/text', type, 'a')).toEqual([415, refused]);
  });

  test.each(['utf-16', 'iso-8859-1', 'utf-7', 'utf-8x'])('not in %s', async (charset) => {
    expect(await post('/text', `text/plain; charset=${charset}`, 'a')).toEqual([415, message('UTF-8')]);
  });

  test('not with bytes that are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]])
      expect(await post('/text', 'text/plain', Buffer.from(bytes))).toEqual([
        400,
        message('not valid UTF-8'),
      ]);
  });

  test('not compressed', async () => {
    const refused = await post('/text', 'text/plain', 'a', { 'content-encoding': 'gzip' });
    expect(refused).toEqual([415, message('compressed')]);
  });

  test('up to the limit', async () => {
    const [status, [text]] = (await post('/text', 'text/plain', 'ž'.repeat(limit / 2))) as [number, [string]];
    expect([status, text.length]).toEqual([200, limit / 2]);
    expect(await post('/text', 'text/plain', 'a'.repeat(limit + 1))).toEqual([413, message('larger than')]);
  });

  test('chunked, also behind nginx', async () => {
    const [first, second] = [Buffer.from('žl').subarray(0, 1), Buffer.from('žl').subarray(1)];
    const type = { 'content-type': 'text/plain' };
    for (const { url } of [served, ...proxies]) {
      expect(await chunked(`${url}/text`, type, first, second)).toEqual([200, ['žl']]);
      expect(await chunked(`${url}/text`, type)).toEqual([200, [null]]);
      expect(await chunked(`${url}/text`, {}, second)).toEqual([415, message('text/plain')]);
      const large = await chunked(`${url}/text`, type, Buffer.alloc(limit, 97), first);
      expect(large).toEqual([413, message('larger than')]);
    }
  });
});

describe('pages of other origins', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://known.example', 'sec-fetch-site': 'cross-site' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ] as const)('%j: %d', async (headers, status) => {
    const sent: Headers = headers;
    const [received] = await chunked(
      `${served.url}/text`,
      { ...sent, 'content-type': 'text/plain' },
      Buffer.from('a'),
    );
    expect(received).toBe(status);
  });
});

describe('JSON with a type of its own', () => {
  test.each([
    ['application/a.b+json', 200],
    ['APPLICATION/A.B+JSON; charset=UTF-8', 200],
    ['application/aXb+json', 415],
    ['application/json', 415],
    ['text/plain', 415],
    ['text/plain; application/a.b+json', 415],
    [undefined, 415],
  ])('%j: %d', async (type, status) => {
    expect((await post('/json', type, '{"a":[1]}'))[0]).toBe(status);
  });

  test('is parsed', async () => {
    expect(await post('/json', 'application/a.b+json', '{"a":[1]}')).toEqual([200, [{ a: [1] }]]);
    expect(await post('/json', 'application/a.b+json', '{')).toEqual([400, message('not valid JSON')]);
    expect(await post('/json', 'application/a.b+json', '')).toEqual([200, [null]]);
  });
});
