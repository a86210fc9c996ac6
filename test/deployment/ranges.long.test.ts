/** Parts of bytes through nginx, with and without its compression: what a client resumes is the file. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytes } from '../../runtime/responses/contents.js';
import { allowedType } from '../../runtime/responses/file-type.js';
import { reply } from '../../runtime/responses/reply.js';
import { sendCompressed } from '../../runtime/http/compression.js';
import { startNginx, type ReverseProxy } from '../helpers/nginx.js';
import { serve, type Served } from '../runtime/serve.js';

const content = Buffer.from(Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join(''));
const size = content.length;

let served: Served;
const proxies: ReverseProxy[] = [];
beforeAll(async () => {
  served = await serve(
    [
      {
        method: 'GET',
        path: '/file',
        handler: (call) => {
          const type = allowedType(call.param('type'), ['image/png', 'text/plain']);
          return reply(200, content.toString('base64'), { type, as: bytes, etag: true });
        },
      },
    ],
    { sendCompressed },
  );
  const port = Number(new URL(served.url).port);
  const kept = ['proxy_http_version 1.1;', 'proxy_set_header Connection "";'];
  const gzip = ['gzip on;', 'gzip_types *;', 'gzip_proxied any;', 'gzip_min_length 1;'];
  proxies.push(await startNginx([port]), await startNginx([port], [...kept, ...gzip]));
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await served.stop();
});

test.each([
  ['nginx', 0],
  ['nginx with gzip', 1],
])('%s: a download that is resumed is the file', async (_, index) => {
  for (const type of ['image/png', 'text/plain']) {
    const url = `${proxies[index]?.url ?? ''}/file?type=${type}`;
    const plain = { 'accept-encoding': 'identity' };
    const whole = await fetch(url, { headers: plain });
    const etag = whole.headers.get('etag') ?? '';
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    await whole.arrayBuffer();
    const parts: Buffer[] = [];
    for (let first = 0; first < size; first += 50_000) {
      // Whether the client accepts compression or not, a part is never compressed.
      const headers = {
        ...(first % 100_000 === 0 ? plain : { 'accept-encoding': 'gzip, br' }),
        'if-range': etag,
      };
      const part = await fetch(url, { headers: { ...headers, range: `bytes=${first}-${first + 49_999}` } });
      expect([part.status, part.headers.get('content-encoding'), part.headers.get('content-range')]).toEqual([
        ...[206, null],
        `bytes ${first}-${Math.min(first + 49_999, size - 1)}/${size}`,
      ]);
      parts.push(Buffer.from(await part.arrayBuffer()));
    }
    expect(hash(Buffer.concat(parts))).toBe(hash(content));
    const outside = await fetch(url, { headers: { ...plain, range: `bytes=${size}-` } });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    await outside.arrayBuffer();
  }
});

test('HEAD has the size of the file', async () => {
  const response = await fetch(`${proxies[0]?.url ?? ''}/file?type=image/png`, {
    ...{ method: 'HEAD', headers: { range: 'bytes=0-9' } },
  });
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(size)]);
});

function hash(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
