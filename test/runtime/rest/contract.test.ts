/** Relied-upon behaviour of axios and multer: if a new version changes it, these tests fail first. */
import { once } from 'node:events';
import { Agent, type IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import axios, { AxiosError, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import multer from 'multer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ThirdParty } from '../../helpers/third-party.js';
import { boundary, file, form, note, part, utf8 } from './forms.js';

let party: ThirdParty;

beforeAll(async () => {
  const packed = gzipSync('abc '.repeat(50_000));
  party = await ThirdParty.start(({ url = '', headers }, response) => {
    const encoding = { 'content-encoding': 'gzip' };
    if (url === '/packed') response.writeHead(200, encoding).end(packed);
    else if (url === '/cut-off') response.writeHead(200, encoding).end(packed.subarray(0, -9));
    else if (url === '/moved') response.writeHead(302, { location: '/echo' }).end('moved');
    else if (url === '/drips') setInterval(() => response.write('x'), 20).unref();
    else if (url === '/large') response.end(Buffer.alloc(100_000));
    else if (url === '/dies') response.socket?.destroy();
    else if (url === '/failed') response.writeHead(500).end('failed');
    else response.end(JSON.stringify(headers));
  });
});
afterAll(() => party.stop());
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('axios', () => {
  const get = (path: string, config: AxiosRequestConfig = {}): Promise<AxiosResponse<Buffer>> =>
    axios.get<Buffer>(`${party.url}${path}`, {
      proxy: false,
      responseType: 'arraybuffer',
      maxRedirects: 0,
      ...config,
    });
  const failure = async (path: string, config: AxiosRequestConfig = {}): Promise<AxiosError> => {
    const error: unknown = await get(path, config).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AxiosError)) throw new Error('it did not fail');
    return error;
  };

  test('counts maxContentLength in bytes as they arrive, and unpacked if it unpacks', async () => {
    expect((await failure('/large', { maxContentLength: 99_999 })).message).toMatch(/maxContentLength/);
    expect((await get('/large', { maxContentLength: 100_000 })).data).toHaveLength(100_000);
    expect((await failure('/packed', { maxContentLength: 100_000 })).message).toMatch(/maxContentLength/);
    const { data } = await get('/packed', { maxContentLength: 100_000, decompress: false });
    expect(data.length).toBeLessThan(10_000);
  });

  test('takes a packed body that is cut off for a whole one, which is why we unpack ourselves', async () => {
    expect((await get('/cut-off')).status).toBe(200);
  });

  test('ends a body that drips by the signal, and not by its timeout for connections that do something', async () => {
    const signal = AbortSignal.timeout(300);
    expect((await failure('/drips', { signal })).code).toBe('ERR_CANCELED');
  });

  test('returns the redirect itself if maxRedirects is 0', async () => {
    const { status, headers } = await get('/moved', { validateStatus: () => true });
    expect([status, headers.location]).toEqual([302, '/echo']);
  });

  test('returns bytes as they are if it transforms nothing', async () => {
    const { data } = await get('/large', { transformResponse: [] });
    expect(Buffer.isBuffer(data)).toBe(true);
  });

  test('asks the proxy of the environment unless this is disabled', async () => {
    const proxy = await ThirdParty.start((_request, response) => response.end('proxy'));
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('no_proxy', '');
    const url = 'http://api.invalid/x';
    expect((await axios.get<string>(url, { maxRedirects: 0 })).data).toBe('proxy');
    await expect(axios.get(url, { maxRedirects: 0, proxy: false })).rejects.toThrow();
    expect(proxy.take()).toHaveLength(1);
    await proxy.stop();
  });

  test('changes a header that cannot be sent without a word, which is why we refuse it', async () => {
    const { data } = await get('/echo', { headers: { 'X-Value': 'a\r\nX-Evil: žluť' } });
    expect(JSON.parse(data.toString())).toMatchObject({ 'x-value': 'aX-Evil: lu' });
  });

  test('sends a POST without a body as a form, unless this is disabled', async () => {
    const post = async (headers: Record<string, string | false>) =>
      (await axios.post<object>(`${party.url}/echo`, undefined, { proxy: false, maxRedirects: 0, headers }))
        .data;
    expect(await post({})).toHaveProperty('content-type');
    expect(await post({ 'Content-Type': false })).not.toHaveProperty('content-type');
  });

  test('has the request in its errors, which is why none is ever logged', async () => {
    const error = await failure('/failed', { headers: { 'X-Key': 'CANARY' } });
    expect(inspect(error)).toContain('CANARY');
    expect(JSON.stringify(error)).toContain('CANARY');
  });

  test('has the request of Node in its errors, which knows whether its connection was used before', async () => {
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await failure('/dies', { httpAgent })).request).toMatchObject({ reusedSocket: false, res: null });
    await get('/echo', { httpAgent });
    const error = await failure('/dies', { httpAgent });
    expect(error).toMatchObject({ code: 'ECONNRESET', request: { reusedSocket: true, res: null } });
    httpAgent.destroy();
  });
});

describe('multer', () => {
  interface Read {
    readonly error: unknown;
    readonly body: Record<string, unknown>;
    readonly files: readonly Express.Multer.File[];
  }

  /** Reads a body, which may be incomplete. */
  function read(body: Buffer, options: multer.Options = {}, isWhole = true): Promise<Read> {
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'transfer-encoding': 'chunked',
    };
    const request = Object.assign(new PassThrough(), { headers });
    const handler = multer(options).any() as unknown as (
      request: Readable,
      response: object,
      next: (error: unknown) => void,
    ) => void;
    return new Promise((resolve) => {
      handler(request, {}, (error) => {
        const { body: texts, files } = request as unknown as Read;
        resolve({ error, body: texts, files });
      });
      request.write(body);
      if (isWhole) request.end();
    });
  }

  const code = async (body: Buffer, limits: NonNullable<multer.Options['limits']>): Promise<unknown> =>
    Reflect.get((await read(body, { limits })).error as object, 'code');

  test('makes arrays of brackets, except where the parser has another listener for fields', async () => {
    const body = form(note('a[50000000]', 'x%22'));
    expect((await read(body)).body).toHaveProperty('a.length', 50_000_001);
    const seen: unknown[] = [];
    const streamHandler = (request: Readable, parser: Writable): void => {
      parser.removeAllListeners('field');
      parser.on('field', (name: string, value: string) => seen.push(name, value));
      request.pipe(parser);
    };
    const options = { limits: {}, streamHandler };
    const { error, body: texts } = await read(body, options);
    expect([error, texts, seen]).toEqual([undefined, {}, ['a[50000000]', 'x%22']]);
  });

  test('reads names as UTF-8 if this is set, and as Latin-1 otherwise', async () => {
    const body = form(file('file', utf8('žluť'), 'x'));
    expect((await read(body, { defParamCharset: 'utf8' })).files[0]?.originalname).toBe('žluť');
    expect((await read(body)).files[0]?.originalname).toBe(utf8('žluť'));
  });

  test('has limits that are the most that is allowed', async () => {
    const three = form(note('a', 'xyz'), file('b', 'b', 'xyz'), note('c', ''));
    expect((await read(three, { limits: { fieldSize: 3, fileSize: 3, parts: 3 } })).error).toBeUndefined();
    expect(await code(three, { fieldSize: 2 })).toBe('LIMIT_FIELD_VALUE');
    expect(await code(three, { fileSize: 2 })).toBe('LIMIT_FILE_SIZE');
    expect(await code(three, { parts: 2 })).toBe('LIMIT_PART_COUNT');
  });

  test('keeps texts in an object without a prototype', async () => {
    const { body } = await read(form(note('__proto__', 'x'), note('a', '1'), note('a', '2')));
    expect(Object.getPrototypeOf(body)).toBeNull();
    expect(Object.entries(body)).toEqual([
      ['__proto__', 'x'],
      ['a', ['1', '2']],
    ]);
  });

  test('reports an error when everything has arrived, which is why we end what it reads', async () => {
    const waiting = read(form(note('a[0]', 'x')), { limits: { fieldNestingDepth: 0 } }, false);
    const first = await Promise.race([
      waiting,
      new Promise((resolve) => setTimeout(resolve, 300, 'nothing')),
    ]);
    expect(first).toBe('nothing');
  });

  test('unpipes its parser after an error', async () => {
    let unpiped: Promise<unknown> | undefined;
    const options = {
      limits: { fieldNestingDepth: 0 },
      streamHandler(request: IncomingMessage, parser: PassThrough) {
        unpiped = once(parser, 'unpipe').then(() => request.destroy());
        request.pipe(parser);
      },
    };
    const { error } = await read(form(note('a[0]', 'x')), options, false);
    await unpiped;
    expect(error).toMatchObject({ code: 'LIMIT_FIELD_NESTING' });
  });

  test('loses what we refuse: a file without a name, and a text in a character set that it does not know', async () => {
    const disposition = 'Content-Disposition: form-data; name="a"';
    const nameless = await read(form(part([disposition, 'Content-Type: application/octet-stream'], 'x')));
    expect([nameless.files, Object.keys(nameless.body)]).toEqual([[], []]);
    const { body } = await read(
      form(part([disposition, 'Content-Type: text/plain; charset=iso-8859-2'], 'x')),
    );
    expect(body.a).toBeUndefined();
  });

  test('returns the content type of a file without parameters', async () => {
    const { files } = await read(form(file('a', 'a', 'x', 'Text/CSV; charset=windows-1250')));
    expect(files[0]?.mimetype).toBe('text/csv');
  });
});
