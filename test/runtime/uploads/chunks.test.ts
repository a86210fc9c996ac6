/** The bytes of a form keep their order, whatever the size of the chunks in which they arrive. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readForm } from '../../../runtime/uploads/read-form.js';
import { Random } from '../../helpers/random.js';
import { send } from '../raw-http.js';
import { file, form, headOf } from '../rest/forms.js';

const limits = { fileLimit: 200_000, bodyLimit: 1000, partLimit: 20, uploadMemory: 10_000_000 };
let server: Server;
let port: number;

/** The server responds with the bytes of the file. */
beforeAll(async () => {
  server = createServer((request, response) => {
    void readForm({ request, response }, limits, () => undefined).then(
      (read) => {
        response.end(Buffer.concat([...(read.files.get('file')?.chunks ?? [])]));
        read.release();
      },
      () => response.end('refused'),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.close();
});

const random = new Random(3);
const content = Array.from({ length: 20_000 }, (_, index) => `${index}`.padStart(6, ' ')).join('');

/** Sends the file in chunks of these sizes, used cyclically. */
async function echoed(sizes: readonly number[]): Promise<string | undefined> {
  const body = form(file('file', 'a', content)).toString('latin1');
  let chunks = '';
  for (let at = 0, count = 0; at < body.length; count += 1) {
    const chunk = body.slice(at, at + (sizes[count % sizes.length] ?? 1));
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  const head = headOf('/', ['Transfer-Encoding: chunked', 'Connection: close']);
  const [response] = await send(port, `${head}${chunks}0\r\n\r\n`);
  return response?.body;
}

test.each([
  ['few bytes, then half a block', [100, 8 * 1024]],
  ['few bytes, then nearly a block', [1, 16 * 1024 - 2]],
  ['few bytes, then more than a block', [100, 20_000]],
  ['nearly half a block', [8 * 1024 - 1]],
  ['any', Array.from({ length: 50 }, () => 1 + random.below(20_000))],
])('%s', async (_, sizes) => {
  expect((await echoed(sizes)) === content).toBe(true);
});
