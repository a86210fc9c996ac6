/** Third-party response bodies as values: decompressed, and decoded by their content type. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { rest } from '../../../runtime/rest/rest.js';
import { testCall } from '../../helpers/test-call.js';
import { ThirdParty } from '../../helpers/third-party.js';
import { parseResponseBody } from '../../../runtime/rest/parse-response-body.js';
import { responseHeader } from '../../../runtime/rest/rest-response.js';
import { unpack } from '../../../runtime/rest/unpack.js';

const text = Buffer.from('{"title":"žluť"}');
const large = Buffer.alloc(10_000, 'a');

test.each<[encoding: string, packed: Buffer]>([
  ['', text],
  ['identity', text],
  ['UTF-8', text],
  ['none', text],
  ['gzip', gzipSync(text)],
  [' X-GZIP ', gzipSync(text)],
  ['br', brotliCompressSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
])('%s is unpacked', async (encoding, packed) => {
  expect((await unpack(packed, encoding, 1000)).toString()).toBe(text.toString());
});

test('a body without bytes has nothing to unpack', async () => {
  expect((await unpack(Buffer.alloc(0), 'gzip', 1000)).length).toBe(0);
});

test.each<[encoding: string, packed: Buffer, message: string]>([
  ['zstd', text, 'a response with a content encoding that was not requested'],
  ['gzip', text, 'a response that cannot be unpacked: Z_DATA_ERROR'],
  ['gzip', gzipSync(text).subarray(0, 20), 'a response that cannot be unpacked: Z_BUF_ERROR'],
  ['deflate', Buffer.from([8]), 'a response that cannot be unpacked: Z_BUF_ERROR'],
  ['br', brotliCompressSync(large), 'a response larger than 1000 bytes'],
  ['gzip', gzipSync(large), 'a response larger than 1000 bytes'],
])('%s that is not right is an error', async (encoding, packed, message) => {
  await expect(unpack(packed, encoding, 1000)).rejects.toThrow(message);
});

test.each([
  ['application/json; charset=utf-8', text, { title: 'žluť' }],
  ['text/json', text, { title: 'žluť' }],
  ['application/problem+json', Buffer.from('12345678901234567890'), '12345678901234567890'],
  ['image/png', Buffer.from([1, 2]), 'AQI='],
  ['image/svg+xml', Buffer.from('<svg/>'), '<svg/>'],
  ['text/plain; charset="iso-8859-2"', Buffer.from([0xbe, 0x6c]), 'žl'],
  ['text/plain; charset=made-up', Buffer.from('ž'), 'ž'],
  ['', Buffer.from('a'), 'a'],
  ['application/json', Buffer.alloc(0), null],
])('%s', (type, bytes, value) => {
  expect(parseResponseBody(bytes, type)).toEqual(value);
});

test.each<[form: 'json' | 'text', type: string, bytes: Buffer, value: Json]>([
  ['json', 'text/plain', text, { title: 'žluť' }],
  ['json', 'application/octet-stream', text, { title: 'žluť' }],
  ['json', '', Buffer.from('\ufeff12345678901234567890'), '12345678901234567890'],
  ['json', 'text/html', Buffer.alloc(0), null],
  ['text', 'application/json', text, text.toString()],
  ['text', 'application/json; charset=iso-8859-2', Buffer.from([0xbe, 0x6c]), 'žl'],
  ['text', 'image/png', Buffer.from('a'), 'a'],
])('as %s: %s', (form, type, bytes, value) => {
  expect(parseResponseBody(bytes, type, form)).toEqual(value);
});

test.each([
  ['text/plain', 1],
  ['application/octet-stream', 1],
  [undefined, 1],
  ['application/json', 0],
])('a string of %s of which parts are read is logged once', async (type, count) => {
  const party = await ThirdParty.start((_, response) => {
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end('"{}"');
  });
  const warnings: string[] = [];
  const api = rest({ name: 'api' });
  api.open({ url: party.url, responseLimit: 1000 }, (warning) => warnings.push(warning));
  const definition = { operation: 'GET /a', fulfillment: 'b', method: 'GET' };
  const readsParts = api.request({ ...definition, readsParts: true });
  for (const request of [readsParts, readsParts, api.request(definition)])
    await request(testCall(), { url: '/' });
  expect(warnings).toHaveLength(count);
  expect(warnings.join()).toMatch(
    count === 0 ? /^$/ : /^GET \/a, b: a response is a string \((?:text|app|no)/,
  );
  api.close();
  await party.stop();
});

test.each([
  ['set-cookie', 'a=1, b=2'],
  ['link', '<a>, <b>'],
  ['etag', null],
  ['constructor', null],
])('the header %s is %j', (name, value) => {
  const headers = { 'set-cookie': ['a=1', 'b=2'], link: '<a>, <b>' };
  expect(responseHeader({ headers }, name)).toBe(value);
});

test('JSON that is not UTF-8 is not JSON', () => {
  expect(() => parseResponseBody(Buffer.from([0x22, 0xff, 0x22]), 'application/json')).toThrow(
    'the text is not UTF-8',
  );
});
