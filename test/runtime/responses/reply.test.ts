/** Responses with headers, content types and versions on a real server: CORS, compression, cookies set by middleware, hostile values. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Authentication } from '../../../runtime/authentication/authentication.js';
import { accept } from '../../../runtime/authentication/accept.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json } from '../../../runtime/handler/json.js';
import { fail, ServiceError } from '../../../runtime/handler/reply.js';
import { sendCompressed } from '../../../runtime/http/compression.js';
import { Cors } from '../../../runtime/http/cors.js';
import { createRouter } from '../../../runtime/http/router.js';
import { dispositionOf } from '../../../runtime/responses/content-disposition.js';
import { bytes, text } from '../../../runtime/responses/contents.js';
import { cookieValue } from '../../../runtime/responses/cookie-value.js';
import { entityTag, ifMatch, matchedTag } from '../../../runtime/responses/entity-tag.js';
import { headerLines } from '../../../runtime/responses/header-lines.js';
import { storedSegment, urlReference } from '../../../runtime/responses/reference.js';
import { allowedType, isActive } from '../../../runtime/responses/file-type.js';
import { bytesInRange, requestedRange } from '../../../runtime/responses/byte-range.js';
import { reply } from '../../../runtime/responses/reply.js';
import { csv } from '../../../runtime/responses/csv.js';
import { inPieces, jsonLines, rowsOf } from '../../../runtime/responses/lines.js';
import { testCall } from '../../helpers/test-call.js';
import { serve, type Served } from '../serve.js';

const long = 'žluť '.repeat(5000);
const authentication: Authentication = {
  ...{ name: 'keys', place: 'key', challenge: 'Key', isPrivate: true },
  readSettings: () => undefined,
  isTried: ({ request: { headers } }) => headers['x-key'] !== undefined,
  identify: ({ request: { headers } }) => (headers['x-key'] === 'right' ? { sub: 'one' } : 'unknown-api-key'),
};
const key = accept({ authentication, scopes: [], isOptional: true });

let served: Served;
beforeAll(async () => {
  served = await serve(
    [
      { method: 'GET', path: '/long', handler: () => reply(200, long, { etag: 5 }) },
      { method: 'GET', path: '/hash', handler: () => reply(200, long, { etag: true }) },
      {
        method: 'GET',
        path: '/png',
        handler: () => reply(200, btoa('x'.repeat(5000)), { type: 'image/png', as: bytes }),
      },
      {
        method: 'GET',
        path: '/file',
        handler: (call) =>
          reply(200, btoa('x'.repeat(5000)), {
            type: allowedType(call.param('type'), ['image/png', 'text/html', 'text/plain; charset=utf-8']),
            as: bytes,
            etag: true,
          }),
      },
      {
        method: 'POST',
        path: '/file',
        handler: () => reply(200, btoa('abc'), { type: 'image/png', as: bytes }),
      },
      {
        method: 'GET',
        path: '/made',
        handler: () => reply(201, btoa('abc'), { type: 'image/png', as: bytes }),
      },
      {
        method: 'GET',
        path: '/text',
        handler: () =>
          reply(200, 'a', {
            type: 'text/plain; charset=utf-8',
            as: text,
            header: headerLines(['X-One', '1'], ['X-One', 2], ['Vary', 'Accept, origin'], ['X-Null', null]),
          }),
      },
      {
        method: 'GET',
        path: '/text-hash',
        handler: () => reply(200, long, { type: 'text/plain; charset=utf-8', as: text, etag: true }),
      },
      {
        method: 'GET',
        path: '/no-text',
        handler: () => reply(200, '', { type: 'text/plain; charset=utf-8', as: text }),
      },
      {
        method: 'GET',
        path: '/no-bytes',
        handler: () => reply(200, '', { type: 'image/png', as: bytes }),
      },
      {
        method: 'GET',
        path: '/no-lines',
        handler: () => reply(200, [], { type: 'application/x-ndjson', as: jsonLines }),
      },
      {
        method: 'GET',
        path: '/nothing',
        handler: () => reply(200, undefined, { type: 'text/plain; charset=utf-8', as: text }),
      },
      {
        method: 'GET',
        path: '/fail',
        handler: () => {
          throw fail(429, 'Later', { header: headerLines(['Retry-After', 60], ['X-Reason', 'busy']) });
        },
      },
      {
        method: 'GET',
        path: '/key',
        handler: () => reply(200, null, { header: headerLines() }),
        access: key,
      },
      {
        method: 'GET',
        path: '/own',
        handler: () => reply(200, null, { header: headerLines(['Cache-Control', 'max-age=9']) }),
        access: key,
      },
    ],
    { sendCompressed, cors: new Cors(['https://a.example'], createRouter([])) },
  );
});
afterAll(() => served.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
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

test.each([
  ['an empty string', '/no-text', 'text/plain; charset=utf-8'],
  ['no bytes', '/no-bytes', 'image/png'],
  ['a list without elements', '/no-lines', 'application/x-ndjson'],
  ['no content', '/nothing', undefined],
])('%s has its content type', async (_, path, type) => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const { status, headers: received, body } = await ask(path, headers);
    expect([status, received['content-type'], received['content-length'], body.length]).toEqual([
      200,
      type,
      '0',
      0,
    ]);
  }
});

describe('a version', () => {
  test('of a compressed body is another tag, which is the same version', async () => {
    const { headers, body } = await ask('/long', { 'accept-encoding': 'gzip' });
    expect(headers.etag).toBe('"5-gzip"');
    expect(JSON.parse(gunzipSync(body).toString())).toBe(long);
    for (const tag of ['"5-gzip"', '"5"', 'W/"5"', '"x", "5-br"']) {
      const known = await ask('/long', { 'accept-encoding': 'gzip', 'if-none-match': tag });
      expect(known.status, tag).toBe(304);
      expect(known.body).toHaveLength(0);
      expect(known.headers.etag).toBe(tag.replace(/^W\/|^"x", /, ''));
      expect(known.headers.vary).toBe('Origin, Accept-Encoding');
      expect(known.headers).not.toHaveProperty('content-type');
      expect(known.headers).not.toHaveProperty('content-encoding');
    }
  });

  test.each(['/hash', '/text-hash'])(
    'of the bytes is the same for HEAD, and for whatever coding: %s',
    async (path) => {
      const get = await ask(path);
      const head = await ask(path, {}, 'HEAD');
      expect(head.headers.etag).toBe(get.headers.etag);
      expect(head.headers['content-length']).toBe(String(get.body.length));
      const packed = await ask(path, { 'accept-encoding': 'gzip' });
      expect(packed.headers.etag).toBe(get.headers.etag?.replace(/"$/, '-gzip"'));
      expect((await ask(path, { 'if-none-match': get.headers.etag ?? '' })).status).toBe(304);
    },
  );

  test('a range is not what is sent', async () => {
    const { status, body } = await ask('/text', { range: 'bytes=0-0', 'if-range': '"5"' });
    expect([status, body.toString()]).toEqual([200, 'a']);
  });

  test.each<[Json, string | undefined]>([
    [null, undefined],
    [5, '"5"'],
    ['v1', '"v1"'],
    ['', entityTag('')],
    ['a"b', entityTag('a"b')],
    ['a\r\nb', entityTag('a\r\nb')],
    ['5-gzip', entityTag('5-gzip')],
  ])('%j is a tag that a header can have', (version, tag) => {
    expect(entityTag(version)).toBe(tag);
    if (tag !== undefined) expect(tag).toMatch(/^"[!#-~]{1,100}"$/);
    if (tag !== undefined) expect(matchedTag(`"0",${tag}`, tag)).toBe(tag);
    if (tag !== undefined) expect(tag).not.toMatch(/-gzip"$/);
  });

  test.each<[string | null, Json, boolean]>([
    [null, 5, true],
    [null, null, true],
    ['*', 5, true],
    ['*', null, false],
    ['"4", "5"', 5, true],
    ['"5-br"', 5, true],
    ['W/"5"', 5, false],
    ['5', 5, false],
    ['"4"', 5, false],
    ['', 5, false],
    ['"5', 5, false],
    ['"a,"5"', 5, false],
  ])('If-Match: %j of %j is %j', (header, version, expected) => {
    const call: Pick<Call, 'header'> = { header: () => header };
    expect(ifMatch(call, version)).toBe(expected);
  });
});

describe('headers', () => {
  test('lines, merged Vary, and what pages of other origins read', async () => {
    const { headers } = await ask('/text', { origin: 'https://a.example' });
    expect(headers).toMatchObject({
      'x-one': '1, 2',
      vary: 'origin, Accept, Accept-Encoding',
      'access-control-expose-headers': 'X-Request-Id, Retry-After, X-One',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(headers).not.toHaveProperty('x-null');
  });

  test('of an exception', async () => {
    const { status, headers, body } = await ask('/fail', { origin: 'https://a.example' });
    expect([status, body.toString()]).toEqual([429, '{"message":"Later"}']);
    expect(headers).toMatchObject({
      'retry-after': '60',
      'x-reason': 'busy',
      'access-control-expose-headers': 'X-Request-Id, Retry-After, X-Reason',
    });
  });

  test.each(['/long', '/hash'])('pages of other origins read the version of %s', async (path) => {
    const { headers } = await ask(path, { origin: 'https://a.example' });
    expect(headers['access-control-expose-headers']).toBe('X-Request-Id, Retry-After, ETag');
  });

  test('bytes of another type than text are not compressed', async () => {
    const { headers, body } = await ask('/png', { 'accept-encoding': 'gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body).toHaveLength(5000);
  });

  test('only the client may store what a caller gets, unless the response says otherwise', async () => {
    expect((await ask('/key', { 'x-key': 'right' })).headers['cache-control']).toBe('private, no-cache');
    expect((await ask('/own', { 'x-key': 'right' })).headers['cache-control']).toBe('max-age=9');
    expect((await ask('/key')).headers).not.toHaveProperty('cache-control');
    expect((await ask('/key', { 'x-key': 'wrong' })).headers).not.toHaveProperty('cache-control');
  });

  test.each<Json>([
    'a\r\nb',
    'a\nb',
    'a\rb',
    'a\0b',
    'a\u2028b',
    'ž',
    '\ud800',
    ['a', 'b\n'],
    'x'.repeat(9000),
  ])('%j is no value of one', (value) => {
    expect(() => headerLines(['X-One', value])).toThrow(ServiceError);
  });

  test.each<[Json, string | null]>([
    [null, null],
    ['https://a.example/b?c=%20d', 'https://a.example/b?c=%20d'],
    ['/a b\r\nX: y', '/a%20b%0D%0AX:%20y'],
    ['/100%', '/100%25'],
    ['/é', '/%C3%A9'],
  ])('%j as a whole URL is %j', (value, expected) => {
    expect(urlReference(value)).toBe(expected);
  });

  test('half a surrogate pair in a URL is 400, in a segment that nobody has sent 500', () => {
    for (const [read, status] of [
      [urlReference, 400],
      [storedSegment, 500],
    ] as const)
      expect(() => read('/\ud83d')).toThrow(expect.objectContaining({ status }));
  });

  test.each<[Json, string]>([
    ['a=b', 'a=b'],
    ['a; Domain=evil.example', 'a%3B%20Domain=evil.example'],
    ['"a",b\\', '%22a%22%2Cb%5C'],
    ['a\r\nSet-Cookie: b=c', 'a%0D%0ASet-Cookie:%20b=c'],
    ['100%', '100%25'],
    ['\ud800', '%EF%BF%BD'],
    [{ a: 1 }, '{%22a%22:1}'],
    [null, ''],
  ])('%j in a cookie is %j', (value, expected) => {
    expect(cookieValue(value)).toBe(expected);
  });
});

describe('parts of bytes', () => {
  const range = 'bytes=10-19';

  test.each(['text/plain', 'image/png'])('are never compressed, nor is the whole: %s', async (type) => {
    const path = `/file?type=${encodeURIComponent(type)}`;
    const whole = await ask(path, { 'accept-encoding': 'gzip' });
    expect([whole.status, whole.body.length]).toEqual([200, 5000]);
    expect(whole.headers).not.toHaveProperty('content-encoding');
    expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '5000' });
    const part = await ask(path, {
      ...{ 'accept-encoding': 'gzip', range, 'if-range': whole.headers.etag ?? '' },
    });
    expect([part.status, part.body.toString()]).toEqual([206, 'x'.repeat(10)]);
    expect(part.headers).not.toHaveProperty('content-encoding');
    expect(part.headers).toMatchObject({
      ...{ 'content-range': 'bytes 10-19/5000', 'content-length': '10', etag: whole.headers.etag },
      ...{ 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff' },
    });
  });

  test('are readable for pages of other origins', async () => {
    const headers = { range, origin: 'https://a.example' };
    expect((await ask('/file', headers)).headers['access-control-expose-headers']).toBe(
      'X-Request-Id, Retry-After, ETag, Accept-Ranges, Content-Range',
    );
  });

  test('belong to a 200 of GET', async () => {
    const made = await ask('/made', { range });
    const posted = await ask('/file', { range }, 'POST');
    expect([made.status, made.body.toString()]).toEqual([201, 'abc']);
    expect([posted.status, posted.body.toString()]).toEqual([200, 'abc']);
    for (const { headers } of [made, posted]) expect(headers).not.toHaveProperty('accept-ranges');
  });

  test('outside of them is an error in the form of the service', async () => {
    const { status, headers, body } = await ask('/file', { range: 'bytes=5000-' });
    expect([status, body.toString()]).toEqual([416, '{"message":"Range Not Satisfiable"}']);
    expect(headers).toMatchObject({
      ...{ 'content-range': 'bytes */5000', 'content-type': 'application/json; charset=utf-8' },
    });
    expect(headers).not.toHaveProperty('etag');
  });

  test('are those of Express, for one range', () => {
    const number = fc.oneof(fc.constant(''), fc.nat({ max: 20 }).map(String), fc.constant('9'.repeat(30)));
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 15 }), (from, to, size) => {
        const header = `bytes=${from}-${to}`;
        const found = requestedRange(header, size);
        const theirs = express.request.range.call(
          { get: () => header } as unknown as express.Request,
          size,
        ) as -1 | -2 | { start: number; end: number }[];
        // By RFC 9110, a range that ends before it begins is malformed, and more last bytes than there are is all. Express refuses both.
        if (from === '' ? to === '' : to !== '' && Number(to) < Number(from)) expect(found).toBeUndefined();
        else if (from === '' && Number(to) > size) expect(found).toEqual({ first: 0, last: size - 1 });
        else if (typeof theirs === 'number') expect(found).toBe('outside');
        else expect([found]).toEqual(theirs.map(({ start, end }) => ({ first: start, last: end })));
      }),
    );
  });

  test.each([
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-2,4-5',
    'lines=1-2',
    'bytes=1.5-2',
    '1-2',
  ])('%j is ignored', (header) => {
    expect(requestedRange(header, 10)).toBeUndefined();
  });

  test('of several pieces', () => {
    const pieces = ['abc', '', 'defg', 'h'].map((piece) => Buffer.from(piece));
    for (let first = 0; first < 8; first += 1)
      for (let last = first; last < 8; last += 1)
        expect(Buffer.concat([...bytesInRange(pieces, { first, last })]).toString()).toBe(
          'abcdefgh'.slice(first, last + 1),
        );
  });
});

describe('the media type of a file', () => {
  const allowed = ['image/png', 'Text/Plain; charset=utf-8'];
  const other = 'application/octet-stream';

  test.each<[Json | undefined, string]>([
    ['image/png', 'image/png'],
    ['IMAGE/PNG ; x="y"', 'image/png'],
    ['text/plain; charset=utf-16', 'Text/Plain; charset=utf-8'],
    ['image/gif', other],
    ['image/*', other],
    ['image/png, text/html', other],
    ['image/png\r\nX: y', other],
    ['', other],
    [null, other],
    [undefined, other],
    [5, other],
    [['image/png'], other],
  ])('%j is sent as %j', (value, expected) => {
    expect(allowedType(value, allowed)).toBe(expected);
  });

  test.each<[string, boolean]>([
    ['text/html; charset=utf-8', true],
    ['TEXT/HTML', true],
    ['image/svg+xml', true],
    ['application/xhtml+xml', true],
    ['application/xml', true],
    ['text/xml', true],
    ['text/xsl', true],
    ['text/plain', false],
    ['image/png', false],
    ['application/xml-dtd', false],
    [other, false],
  ])('%j can run scripts: %j', (type, expected) => {
    expect(isActive(type)).toBe(expected);
  });

  test('a page is an attachment', async () => {
    const page = await ask('/file?type=text/html');
    expect(page.headers).toMatchObject({ 'content-type': 'text/html', 'content-disposition': 'attachment' });
    expect((await ask('/file?type=image/png')).headers).not.toHaveProperty('content-disposition');
  });
});

describe('contents', () => {
  test.each<[Json, string | undefined]>([
    [null, undefined],
    ['', undefined],
    ['a.csv', 'attachment; filename="a.csv"'],
    ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
    [
      "a\"; filename*=UTF-8''b",
      `attachment; filename="a_; filename*=UTF-8''b"; filename*=UTF-8''a%22%3B%20filename%2A%3DUTF-8%27%27b`,
    ],
    ['a\r\nX: y', 'attachment; filename="a__X: y"'],
    ['50%', `attachment; filename="50_"; filename*=UTF-8''50%25`],
    ['\u202Ecod.exe', 'attachment; filename="_cod.exe"'],
    ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
    ['€', `attachment; filename="_"; filename*=UTF-8''%E2%82%AC`],
    ['x'.repeat(500), `attachment; filename="${'x'.repeat(120)}"`],
  ])('%j as a file name is %j', (name, expected) => {
    expect(dispositionOf(name)).toBe(expected);
  });

  test.each<[Json, string]>([
    ['aGVsbG8=', 'hello'],
    ['aGVs\r\nbG8=\n', 'hello'],
    [null, ''],
  ])('%j are the bytes of %j', (body, expected) => {
    expect(Buffer.concat([...bytes(body)]).toString()).toBe(expected);
  });

  test.each<Json>(['aGVsbG8', 'a', '?', 'aGVsbG9=', 5, ['aGVsbG8=']])('%j are no bytes', (body) => {
    expect(() => bytes(body)).toThrow(ServiceError);
  });

  test('cells of CSV are what RFC 4180 asks for', () => {
    const { head, line } = csv(['a', 'b,c', 'd']);
    expect(head).toBe('a,"b,c",d\r\n');
    expect(line({ a: null, 'b,c': '', d: 'x"y' })).toBe(',"","x""y"\r\n');
    expect(line({ a: 'x\ny', 'b,c': ' x', d: 'x\r' })).toBe('"x\ny"," x","x\r"\r\n');
    expect(line({ a: [1, 'x'], 'b,c': { y: null }, d: true })).toBe('"[1,""x""]","{""y"":null}",true\r\n');
    expect(line({ a: 1.5, other: 1 })).toBe('1.5,,\r\n');
    expect(line('no object')).toBe(',,\r\n');
  });

  test('cells of a spreadsheet are no formulas', () => {
    const { head, line } = csv(['a', '=b'], { spreadsheet: true });
    expect(head).toBe("\ufeffa,'=b\r\n");
    expect(line({ a: '=1+1', '=b': '@x' })).toBe("'=1+1,'@x\r\n");
    expect(line({ a: '-1', '=b': -1 })).toBe('-1,-1\r\n');
    expect(line({ a: '+49 30 1', '=b': '\t=1' })).toBe(`'+49 30 1,'\t=1\r\n`);
    expect(line({ a: '\r=1', '=b': '-' })).toBe(`"'\r=1",'-\r\n`);
    expect(line({ a: '\n=1', '=b': '\n' })).toBe(`"'\n=1","'\n"\r\n`);
    for (const wide of '\uff1d\uff0b\uff0d\uff20')
      expect(line({ a: `${wide}1`, '=b': 'a=' })).toBe(`'${wide}1,a=\r\n`);
    expect(line({ a: '\uff11', '=b': '!' })).toBe('\uff11,!\r\n');
  });

  test('a column with the name of something that every object has is null', () => {
    expect(csv(['constructor', '__proto__']).line({ a: 1 })).toBe(',\r\n');
  });

  test('a table without rows has its columns', async () => {
    expect(await tableOf([])).toBe('a,b\r\n');
  });

  test.each<[Json, string]>([
    [null, 'a,b\r\n'],
    [{ a: 1, b: 'x' }, 'a,b\r\n1,x\r\n'],
    ['no object', 'a,b\r\n,\r\n'],
  ])('a table of %j, which is no list, has it as its rows', async (body, table) => {
    expect(await tableOf(body)).toBe(table);
  });
});

/** The body as a table of two columns. */
async function tableOf(body: Json): Promise<string> {
  return Buffer.concat([...(await inPieces(testCall(), rowsOf(body), csv(['a', 'b'])))]).toString();
}
