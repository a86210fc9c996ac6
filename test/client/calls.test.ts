/** Calls of a client without a service: keys of repeated requests, credentials, and values that a URL cannot hold. */
import { beforeAll, describe, expect, test } from 'vitest';
import { clientOf, loadClient, type LoadedClient } from './client-module.js';

const step = `fulfillments: [{ name: one, type: READ, datasource: db, instructions: [{ query: SELECT 1 AS id }] }]
    responses: [{ name: ok, default: true, statuscode: 200, schema: { id: 'VALUE(one, $.id)' } }]`;
const config = `specification: '1.0'
operations:
  POST /orders:
    authentications: []
    ${step}
  GET /orders/{id}:
    authentications: [{ name: accounts }, { name: keys }, { name: cookie }, { name: query }]
    ${step}
  POST /hooks:
    authentications: [hooks]
    ${step}
  HEAD /orders/{id}:
    authentications: []
    ${step}
  GET /themes:
    authentications: [keys, cookie]
    ${step}
datasources: { db: { type: db, url: 'jdbc:postgresql://localhost:5432/db' } }
authentications:
  accounts: { type: basicauth, user: ada, password: secret }
  keys: { type: apikey, scheme: Token, keys: { one: 0123456789abcdef0123456789abcdef } }
  cookie: { type: apikey, cookie: sid, keys: { one: 0123456789abcdef0123456789abcdeg } }
  query: { type: apikey, query: api_key, keys: { one: 0123456789abcdef0123456789abcdeh } }
  hooks: { type: signature, scheme: github, secrets: ['0123456789abcdef'] }
`;
const ok = '{ 200: { description: ok, content: { application/json: { schema: { type: object } } } } }';
const description = `openapi: 3.1.0
info: { title: Orders, version: '1' }
paths:
  /orders:
    post:
      operationId: order
      parameters: [{ name: Idempotency-Key, in: header, required: true, schema: { type: string } }]
      responses: ${ok}
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: ${ok} }
    head: { responses: ${ok} }
  /hooks:
    post: { responses: ${ok} }
  /themes:
    get:
      operationId: themes
      parameters:
        - { name: theme, in: cookie, schema: { type: string } }
        - { name: api_key, in: header, schema: { type: string } }
      responses: ${ok}
`;

let client: LoadedClient;

beforeAll(async () => {
  const planned = await clientOf(
    {
      config: { path: 'config.yaml', text: config },
      description: { source: { path: 'openapi.yaml', text: description }, read: () => undefined },
    },
    { ask: () => Promise.resolve(undefined) } as never,
  );
  client = await loadClient('calls', planned.text);
});

/** The requests that a call sends, with these statuses as responses. */
async function sentBy(
  name: string,
  options: object,
  args: readonly unknown[],
  statuses: readonly number[] = [200],
): Promise<Request[]> {
  const sent: Request[] = [];
  const send = (request: Request): Promise<Response> => {
    const status = statuses[sent.length] ?? 200;
    sent.push(request);
    const headers = { 'content-type': 'application/json', 'retry-after': '0' };
    return Promise.resolve(new Response('{}', { status, headers }));
  };
  await client[name]?.({ baseUrl: 'http://localhost/', fetch: send, ...options }, ...args);
  return sent;
}

describe('the key of a repeated request', () => {
  const keyOf = (request: Request | undefined): string | null | undefined =>
    request?.headers.get('Idempotency-Key');

  test('is new for each call, and the same for its repetitions', async () => {
    const sent = await sentBy('order', { retries: 2 }, [{}], [503, 429]);
    const keys = sent.map(keyOf);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const [other] = await sentBy('order', {}, [{}]);
    expect(keyOf(other)).not.toBe(keys[0]);
  });

  test('can be given', async () => {
    const [request] = await sentBy('order', {}, [{ 'Idempotency-Key': 'mine' }]);
    expect(keyOf(request)).toBe('mine');
  });

  test('a POST without one is not repeated', async () => {
    const post = sentBy('postHooks', { retries: 2 }, [], [503, 503, 503]);
    expect(await post).toHaveLength(1);
  });
});

describe('credentials', () => {
  test.each([
    [{ accounts: { user: 'ada', password: 'pä:ss' } }, 'authorization', 'Basic YWRhOnDDpDpzcw=='],
    [{ keys: () => Promise.resolve('k') }, 'authorization', 'Token k'],
    [{ cookie: 'c' }, 'cookie', 'sid=c'],
    [{ query: 'q' }, 'x-none', null],
    [{ keys: 'k', accounts: () => ({ user: 'a', password: 'b' }) }, 'authorization', 'Basic YTpi'],
  ])('%j', async (credentials, header, value) => {
    const [request] = await sentBy('getOrdersById', { credentials }, [{ id: 'a/b?c' }]);
    expect(request?.headers.get(header)).toBe(value);
    const query = 'query' in credentials ? '?api_key=q' : '';
    expect(request?.url).toBe(`http://localhost/orders/a%2Fb%3Fc${query}`);
  });

  test('a function signs the request', async () => {
    const hooks = async (request: Request): Promise<object> => ({
      'X-Hub-Signature-256': `${request.method} ${await request.text()}`,
    });
    const [request] = await sentBy('postHooks', { credentials: { hooks } }, []);
    expect(request?.headers.get('X-Hub-Signature-256')).toBe('POST');
  });
});

test('a value of a cookie cannot add another cookie', async () => {
  const [request] = await sentBy('themes', { credentials: { cookie: 'ü;=%' } }, [{ theme: 'dark; sid=x%' }]);
  expect(request?.headers.get('cookie')).toBe('theme=dark%3B%20sid%3Dx%25; sid=%C3%BC%3B%3D%25');
});

test.each([200, 500])('a response of HEAD has no body: %i', async (status) => {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const send = (): Promise<Response> => Promise.resolve(new Response(null, { status, headers }));
  const call = client['headOrdersById']?.({ baseUrl: 'http://localhost', fetch: send }, { id: 'a' });
  expect(await call).toMatchObject({ status, ok: status === 200, body: undefined });
});

test('null is not sent in headers and cookies', async () => {
  const [request] = await sentBy('themes', {}, [{ theme: null, api_key: null }]);
  expect([request?.headers.get('cookie'), request?.headers.get('api_key')]).toEqual([null, null]);
});

test('a header with the name of a key in the query is an input', async () => {
  const [request] = await sentBy('themes', {}, [{ api_key: 'mine' }]);
  expect(request?.headers.get('api_key')).toBe('mine');
});

test.each(['', '.', '..'])('%j cannot be sent in a path', async (id) => {
  await expect(sentBy('getOrdersById', {}, [{ id }])).rejects.toThrow('cannot be sent in the path of a URL');
});

test.each([
  [302, '', 'text/html'],
  [200, '<html>', 'text/html'],
  [207, '{}', 'application/json'],
])('an undescribed response is thrown: %i %j', async (status, body, type) => {
  const send = (): Promise<Response> =>
    Promise.resolve(new Response(body, { status, headers: { 'content-type': type } }));
  const call = client['order']?.({ baseUrl: 'http://localhost', fetch: send }, {}) as Promise<unknown>;
  await expect(call).rejects.toMatchObject({ name: 'UnexpectedResponse', status, body });
});
