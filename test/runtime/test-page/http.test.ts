/** The test page over HTTP: visibility, responses, and the parts of a call included in a trace. */
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ts } from 'ts-morph';
import { parse } from 'yaml';
import type { Trace, TraceStep } from '../../../runtime/trace/steps.js';
import type { DatabaseKind } from '../../helpers/service-fixture.js';
import { authorization, startBookshop, type Bookshop } from './bookshop.js';

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(
  { service }: Bookshop,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<HttpResponse> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { method, path, agent: false, headers: { ...type, ...headers } };
  return new Promise((resolve, reject) => {
    const request = send(service.url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A traced call and its trace. */
async function trace(
  shop: Bookshop,
  method: string,
  path: string,
  body?: object,
): Promise<{ response: HttpResponse; trace: Trace }> {
  const response = await ask(shop, method, path, { authorization, 'x-trace': '1' }, body);
  const id = response.headers['x-trace-id'];
  expect(id).toMatch(/^[\da-f-]{36}$/);
  const { text } = await ask(shop, 'GET', `/docs-ui/trace/${String(id)}`);
  return { response, trace: JSON.parse(text) as Trace };
}

/** Steps without their times, which must be present. */
function timeless(steps: readonly TraceStep[]): object[] {
  return steps.map((step) => {
    const copy: Record<string, unknown> = { ...step };
    if (step.kind === 'statement' || step.kind === 'request' || step.kind === 'reference')
      expect(step.milliseconds).toBeGreaterThanOrEqual(0);
    delete copy.milliseconds;
    return 'steps' in step ? { ...copy, steps: timeless(step.steps) } : copy;
  });
}

const kinds: readonly DatabaseKind[] = ['postgresql', 'mariadb'];

describe.each(kinds)('%s', (kind) => {
  const isPostgres = kind === 'postgresql';
  const mark = (index: number): string => (isPostgres ? `$${index}` : '?');
  let shop: Bookshop;

  beforeAll(async () => {
    shop = await startBookshop(`http_${kind}`, kind, { WORKERS: '2', CORS_ORIGIN: '*' });
  });

  afterAll(async () => {
    await shop.stop();
  });

  test('the start logs that it is there, and that there is one process', async () => {
    // The log is written slightly later than the line with the service's address.
    const printed = () => shop.service.printed;
    await expect.poll(printed).toContain('settings.debug is true: the test page shows the SQL');
    await expect.poll(printed).toContain('WORKERS is 1 where there is a test page');
  });

  test.each([
    ['/docs-ui', 'text/html; charset=utf-8', '<div id="test-page">'],
    ['/docs-ui/page.css', 'text/css; charset=utf-8', '.trace'],
    ['/docs-ui/page.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/docs-ui/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
    ['/docs-ui/swagger-ui.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
    ['/docs-ui/favicon.png', 'image/png', 'PNG'],
    ['/v3/api-docs', 'application/json; charset=utf-8', 'Bookshop'],
    ['/v3/api-docs.yaml', 'application/yaml; charset=utf-8', 'Bookshop'],
  ])('%s needs no credentials, and has headers for browsers', async (path, type, part) => {
    const { status, headers, text } = await ask(shop, 'GET', path, { origin: 'https://elsewhere.example' });
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(text).toContain(part);
    expect(headers['x-request-id']).toBeTruthy();
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self';",
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
    const head = await ask(shop, 'HEAD', path);
    expect([head.status, head.headers['content-length'], head.text]).toEqual([
      200,
      headers['content-length'],
      '',
    ]);
    const refused = await ask(shop, 'DELETE', path);
    expect([refused.status, refused.headers.allow, refused.text]).toEqual([
      405,
      'GET, HEAD',
      '{"message":"Method Not Allowed"}',
    ]);
  });

  test('with a slash after it the page is elsewhere, also behind a prefix', async () => {
    const { status, headers } = await ask(shop, 'GET', '/docs-ui/');
    expect([status, headers.location]).toEqual([302, '../docs-ui']);
  });

  test('what the page loads, and its modules import, is served', async () => {
    const { text: html } = await ask(shop, 'GET', '/docs-ui');
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(loaded).toContain('docs-ui/page.js');
    for (const path of loaded) {
      const { status, text } = await ask(shop, 'GET', `/${path}`);
      expect([path, status]).toEqual([path, 200]);
      if (!path.endsWith('/page.js')) continue;
      for (const imported of importsOf(text)) {
        const url = new URL(imported, `http://service/${path}`);
        expect([imported, (await ask(shop, 'GET', url.pathname)).status]).toEqual([imported, 200]);
      }
    }
  });

  test.each(['/docs-ui', '/docs-ui/swagger-ui.js', '/v3/api-docs.yaml'])(
    '%s is sent once to a browser that keeps it',
    async (path) => {
      const { headers } = await ask(shop, 'GET', path);
      const tag = String(headers.etag);
      const again = await ask(shop, 'GET', path, { 'if-none-match': tag });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag]);
      expect(again.headers['cache-control']).toBe('no-cache');
      expect((await ask(shop, 'GET', path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  test.each([
    '/docs-ui/../package.json',
    '/docs-ui/%2e%2e/main.js',
    '/docs-ui/page.js/',
    '/docs-ui//page.js',
    '/docs-ui/test-page.js',
    '/docs-ui/trace/',
    '/docs-ui/trace/__proto__',
    '/v3/api-docs.json',
    '/v3/api-docs/',
  ])('%s is nowhere', async (path) => {
    const { status, text } = await ask(shop, 'GET', path);
    expect([status, text]).toEqual([404, '{"message":"Not Found"}']);
  });

  test('the two descriptions have the same content', async () => {
    const [json, yaml] = await Promise.all(
      ['', '.yaml'].map((end) => ask(shop, 'GET', `/v3/api-docs${end}`)),
    );
    expect(parse(yaml?.text ?? '')).toEqual(JSON.parse(json?.text ?? ''));
  });

  test('no trace where none is asked for, or where no operation ran', async () => {
    const unasked = await ask(shop, 'GET', '/books');
    const refused = await ask(shop, 'GET', '/books/1', { 'x-trace': '1' });
    const unknown = await ask(shop, 'GET', '/nowhere', { 'x-trace': '1' });
    expect([unasked, refused, unknown].map(({ headers }) => headers['x-trace-id'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([unasked, refused, unknown].map(({ status }) => status)).toEqual([200, 401, 404]);
  });

  test('a request to a third party, and a condition that held', async () => {
    const { trace: toError } = await trace(shop, 'GET', '/books/1?rating=yes');
    expect([toError.operation, toError.status, toError.omitted]).toEqual(['GET /books/{id}', 200, 0]);
    expect(timeless(toError.steps)).toEqual([
      {
        kind: 'statement',
        fulfillment: 'book',
        datasource: 'shop',
        sql: `SELECT id, title, author FROM book WHERE id = ${mark(1)}`,
        rows: 1,
      },
      { kind: 'exception', name: 'book', condition: 'SIZE(VALUE(book, $)) == INTEGER(0)', holds: false },
      { kind: 'compute', fulfillment: 'shown' },
      { kind: 'exception', name: 'shown', condition: 'VALUE(shown, $.letters) > INTEGER(500)', holds: false },
      { kind: 'if', name: 'rating', condition: 'PARAM(rating) == TEXT(yes)', holds: true },
      {
        kind: 'request',
        fulfillment: 'rating',
        datasource: 'reviews',
        method: 'GET',
        url: '/ratings/:[PARAM(id)]?…',
        status: '2xx',
      },
      { kind: 'default', name: 'ok' },
    ]);
  });

  test('a failed request shows what is logged', async () => {
    const { response, trace: toError } = await trace(shop, 'GET', '/books/2?rating=yes');
    expect([response.status, toError.status]).toEqual([502, 502]);
    const failure =
      'The third-party API did not respond as expected (reason a status outside 2xx, thirdPartyStatus 500)';
    expect(toError.failure).toBe(failure);
    expect(timeless(toError.steps).at(-1)).toMatchObject({ kind: 'request', failure });
  });

  test('an exception that fires is the last step', async () => {
    const { trace: toError } = await trace(shop, 'GET', '/books/99');
    expect(toError.status).toBe(404);
    expect(toError.steps.at(-1)).toMatchObject({ kind: 'exception', name: 'book', holds: true });
  });

  test('a status that the configuration reads', async () => {
    const { trace: toError } = await trace(shop, 'POST', '/orders', { lines: [], review: true });
    expect(timeless(toError.steps)).toEqual([
      { kind: 'loop', fulfillment: 'line', iterations: 0, steps: [] },
      { kind: 'if', name: 'review', condition: 'BODY($.review) == BOOLEAN(true)', holds: true },
      expect.objectContaining({ kind: 'request', method: 'POST', url: '/invitations', status: '400' }),
      { kind: 'exception', name: 'review', condition: 'STATUS(review) != INTEGER(201)', holds: true },
    ]);
  });

  test('iterations that run at the same time hold their own steps, those of the operations that they call inside', async () => {
    const lines = [1, 3, 1, 3].map((book) => ({ book, amount: book === 1 ? 1 : 2 }));
    const { trace: toError } = await trace(shop, 'POST', '/orders', { lines });
    expect(toError.status).toBe(201);
    const update = `UPDATE stock SET amount = amount - ${mark(1)} WHERE book_id = ${mark(2)}`;
    const called = [
      {
        kind: 'statement',
        fulfillment: 'take',
        datasource: 'shop',
        sql: update,
        ...(isPostgres ? {} : { affected: 1 }),
      },
      {
        kind: 'statement',
        fulfillment: 'left',
        datasource: 'shop',
        sql: `SELECT amount FROM stock WHERE book_id = ${mark(1)}`,
        rows: 1,
      },
      { kind: 'exception', name: 'left', condition: 'VALUE(left, $.amount) < INTEGER(0)', holds: false },
      { kind: 'default', name: 'ok' },
    ];
    const taken = { kind: 'reference', fulfillment: 'taken', operation: 'take from stock', steps: called };
    expect(timeless(toError.steps)[0]).toEqual({
      kind: 'loop',
      fulfillment: 'line',
      iterations: 4,
      steps: [0, 1, 2, 3].map((position) => ({ kind: 'iteration', position, steps: [taken] })),
    });
  });

  test('no value of a request or of the data is in a trace', async () => {
    const secret = 'Ada-9f3b';
    const toError = await Promise.all([
      trace(shop, 'GET', `/books?author=${secret}`),
      trace(shop, 'GET', '/books?id=1&id=2&id=3'),
      trace(shop, 'POST', '/orders', { customer: secret, lines: [{ book: 987654, amount: 876543 }] }),
      trace(shop, 'GET', '/books/1'),
    ]);
    for (const { trace } of toError) {
      expect(JSON.stringify(trace)).not.toMatch(
        /Ada|Kiln|987654|876543|secret-of-the-clerk|jdbc|127\.0\.0\.1/,
      );
    }
    const [, list] = toError;
    expect(JSON.stringify(list.trace)).toContain(`WHERE id ${isPostgres ? '= ANY($1)' : 'IN (?, ?, ?, ?)'}`);
  });

  test('two calls at the same time have a trace each', async () => {
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        trace(shop, 'GET', index % 2 === 0 ? '/books/1' : '/books?author=Ben'),
      ),
    );
    for (const [index, { trace: toError }] of calls.entries()) {
      const names = toError.steps.map((step) =>
        'fulfillment' in step ? step.fulfillment : 'name' in step ? step.name : '',
      );
      expect(names).toEqual(
        index % 2 === 0
          ? ['book', 'book', 'shown', 'shown', 'rating', 'ok']
          : ['books', 'books', 'book', 'none', 'ok'],
      );
    }
  });

  test('only the latest traces are kept', async () => {
    const { headers } = await ask(shop, 'GET', '/books/99', { authorization, 'x-trace': '1' });
    const path = `/docs-ui/trace/${String(headers['x-trace-id'])}`;
    expect((await ask(shop, 'GET', path)).status).toBe(200);
    for (let count = 0; count < 100; count += 1)
      await ask(shop, 'GET', '/books/99', { authorization, 'x-trace': '1' });
    expect((await ask(shop, 'GET', path)).status).toBe(404);
  });
});

/** The import specifiers of a module, as parsed by TypeScript. */
function importsOf(module: string): string[] {
  return ts.preProcessFile(module, true, true).importedFiles.map(({ fileName }) => fileName);
}
