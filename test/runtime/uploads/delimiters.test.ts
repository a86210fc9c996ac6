/** The parts of a form are counted, so that parts not delivered by the parser are noticed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { Delimiters, boundaryIn } from '../../../runtime/uploads/delimiters.js';
import { readForm } from '../../../runtime/uploads/read-form.js';
import { send } from '../raw-http.js';
import { file, form, headOf, note, part } from '../rest/forms.js';

const limits = { fileLimit: 100_000, bodyLimit: 100_000, partLimit: 20, uploadMemory: 10_000_000 };
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    void read(request, response).then((text) => response.end(text));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.close();
});

/** Names and sizes of the uploaded files and the note, or the error message. */
async function read(request: IncomingMessage, response: ServerResponse): Promise<string> {
  try {
    const { files, texts } = await readForm({ request, response }, limits, () => undefined);
    const sizes = [...files].map(([name, { size }]) => `${name} ${size}`);
    return JSON.stringify({ files: sizes, note: texts.exactly('note') ?? null });
  } catch (error) {
    response.statusCode = error instanceof ServiceError ? error.status : 500;
    return JSON.stringify(error instanceof Error ? error.message : '');
  }
}

/** Sends the bytes unchanged, in chunks of `size` bytes. */
async function sent(body: Buffer, size = body.length): Promise<readonly [status: number, body: unknown]> {
  const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => {
    const chunk = body.subarray(index * size, (index + 1) * size).toString('latin1');
    return `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  });
  const head = headOf('/', ['Transfer-Encoding: chunked', 'Connection: close']);
  const [response] = await send(port, `${head}${chunks.join('')}0\r\n\r\n`);
  return [response?.status ?? 0, JSON.parse(response?.body ?? '""')];
}

const unreadable = [400, "A part has no header 'Content-Disposition: form-data' that can be read"];
const hello = note('note', 'hello');

test.each<[what: string, body: Buffer, expected: unknown]>([
  ['a file', form(file('file', 'a.png', 'abc'), hello), [200, { files: ['file 3'], note: 'hello' }]],
  ['a file name that ends with a backslash', form(file('file', 'a\\', 'abc'), hello), unreadable],
  ['as the last part', form(hello, file('file', 'a\\', 'abc')), unreadable],
  ['a name that ends with a backslash', form(note('note\\', 'x')), unreadable],
  ['no disposition', form(part(['X-A: b'], 'x'), hello), unreadable],
  ['an attachment', form(part(['Content-Disposition: attachment; name="note"'], 'x')), unreadable],
  ['no part', form(), [200, { files: [], note: null }]],
  ['no file chosen', form(file('file', '', ''), hello), [200, { files: [], note: 'hello' }]],
  [
    'lines that look like delimiters',
    form(file('file', 'a', '--limi\r\n--limi\r\n-limit\r\n--Limit'), hello),
    [200, { files: ['file 31'], note: 'hello' }],
  ],
  [
    'a preamble, and delimiters after the end',
    Buffer.concat([Buffer.from('before\r\n'), form(hello), form(hello)]),
    [200, { files: [], note: 'hello' }],
  ],
])('%s, in chunks of any size', async (_, body, expected) => {
  for (const size of [body.length, 1, 2, 7, 64]) expect(await sent(body, size)).toEqual(expected);
});

test('the boundary is read as the parser reads it', () => {
  expect(boundaryIn('multipart/form-data; boundary=a-b')).toBe('a-b');
  expect(boundaryIn('multipart/form-data; charset=utf-8; Boundary="a b"')).toBe('a b');
  expect(boundaryIn('multipart/form-data; boundary="a\\-b\\"c"')).toBe('a\\-b"c');
  expect(boundaryIn('multipart/form-data; a="; boundary=b"; boundary=c; boundary=d')).toBe('c');
  expect(boundaryIn('multipart/form-data')).toBeUndefined();
});

test('delimiters are counted wherever the chunks end', () => {
  const body = form(hello, hello, hello);
  for (let cut = 0; cut <= body.length; cut += 1) {
    const delimiters = new Delimiters('limit');
    delimiters.add(body.subarray(0, cut));
    delimiters.add(body.subarray(cut));
    expect(delimiters.parts).toBe(3);
  }
});
