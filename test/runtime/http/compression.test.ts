/** Compressed responses (COMPRESSION) use a coding that the client accepts. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chosenEncoding, sendCompressed } from '../../../runtime/http/compression.js';
import { Cors } from '../../../runtime/http/cors.js';
import { createRouter } from '../../../runtime/http/router.js';
import { reply } from '../../../runtime/responses/reply.js';
import { serve, type Served } from '../serve.js';

const long = 'žluť '.repeat(5000);
let served: Served;

beforeAll(async () => {
  const cors = new Cors(['https://a.example'], createRouter([]));
  served = await serve(
    {
      'GET /long': () => reply(201, long),
      'GET /short': () => reply(200, 'short'),
      'GET /none': () => reply(204),
    },
    { sendCompressed, cors },
  );
});
afterAll(() => served.stop());

interface HttpResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function ask(path: string, encoding?: string, method = 'GET'): Promise<HttpResponse> {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${served.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject).end();
  });
}

describe('a response', () => {
  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('in %s is the same response', async (encoding, unpack) => {
    const { status, headers, body } = await ask('/long', encoding);
    expect(status).toBe(201);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      vary: 'Origin, Accept-Encoding',
    });
    expect(body.length).toBeLessThan(1000);
    expect(JSON.parse(unpack(body).toString())).toBe(long);
  });

  test('goes as it is to a client that takes nothing else, or when it is short', async () => {
    for (const [path, encoding] of [
      ['/long', undefined],
      ['/long', 'identity'],
      ['/short', 'gzip, br'],
      ['/nothing', 'gzip'],
    ] as const) {
      const { headers, body } = await ask(path, encoding);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers).toMatchObject({
        vary: 'Origin, Accept-Encoding',
        'content-length': String(body.length),
      });
    }
  });

  test('to HEAD has the headers of that to GET', async () => {
    const [head, get] = await Promise.all([ask('/long', 'gzip', 'HEAD'), ask('/long', 'gzip')]);
    expect(head.body.length).toBe(0);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('without a body has nothing to compress', async () => {
    expect((await ask('/none', 'gzip')).headers).not.toHaveProperty('content-encoding');
  });

  test('a hundred at a time on few connections', async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) => ask('/long', n % 2 ? 'br' : 'gzip')),
    );
    expect(new Set(responses.map(({ headers }) => headers['content-encoding']))).toEqual(
      new Set(['br', 'gzip']),
    );
  });
});

test.each([
  ['', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['gzip;q=nonsense', undefined],
  ['deflate', undefined],
  ['gzip ; q = 0.8', 'gzip'],
])('Accept-Encoding %s: %s', (accept, encoding) => {
  expect(chosenEncoding(accept)).toBe(encoding);
});
