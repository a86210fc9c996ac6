/** Stubs written by `dev --record`: their position in a file, and omitted parts. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Datasource } from '../../compiler/read/config/config-model.js';
import { checkSource } from '../../compiler/compile.js';
import { withStub } from '../../compiler/tools/testing/add-stub.js';
import { readStubFile } from '../../compiler/tools/testing/read/read-stub-file.js';
import { recordedStub } from '../../compiler/tools/testing/recorded-stub.js';

const config = `specification: "1.0"
operations:
  GET /rates:
    fulfillments:
      - { name: a, type: READ, datasource: bank, instructions: [{ request: { url: /a, httpType: GET } }] }
      - { name: b, type: READ, datasource: post, instructions: [{ request: { url: /b, httpType: GET } }] }
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  bank: { type: rest, url: 'https://bank.example.com' }
  post: { type: rest, url: 'https://post.example.com' }
`;
const datasources: readonly Datasource[] =
  checkSource({ config: { path: 'config.yaml', text: config } }).analysis?.config.datasources ?? [];

const stub = {
  request: 'GET /new',
  response: { body: { lines: 'one\ntwo\n', more: ['# no comment', '1'] } },
};

function added(text: string, datasource: string): string | undefined {
  const source = { path: 'config.stubs.yaml', text };
  const { root, diagnostics } = readStubFile(source, datasources);
  expect(diagnostics).toEqual([]);
  return root && withStub(source, root, datasource, stub);
}

describe('a stub goes after the others, and everything else stays', () => {
  const files = [
    'datasources:\n  bank:\n    - request: GET /old\n      response: { body: 1 } # it is one\n',
    '# first\ndatasources:\n  bank:\n  - request: GET /old\n    response:\n      body: |\n        text\n\n# last\n',
    'datasources:\n  bank:\n    - request: GET /old',
    'datasources:\n',
    'datasources: # none yet\n# last\n',
    'datasources:\n  post:\n    - request: GET /old\n\n  bank:\n    - request: GET /a # a\n    # and b\n    - request: GET /b\n',
  ];
  test.each(files.flatMap((text) => ['bank', 'post'].map((name) => [name, text] as const)))(
    'of %s in %j',
    (name, text) => {
      const now = added(text, name) ?? '';
      const { datasources } = parse(text) as { datasources: Record<string, unknown[] | null> | null };
      const stubs = [...(datasources?.[name] ?? []), stub];
      expect(parse(now)).toEqual({ datasources: { ...datasources, [name]: stubs } });
      const lines = now.split('\n');
      expect(
        text
          .trimEnd()
          .split('\n')
          .filter((line) => !lines.includes(line)),
      ).toEqual([]);
    },
  );

  test.each([
    'datasources: { bank: [{ request: GET /old }] }',
    'datasources:\n  bank: { request: GET /old }',
    '{}',
    '{ datasources: }',
  ])('nothing is written into %j', (text) => {
    expect(added(text, 'bank')).toBeUndefined();
  });
});

test('a file of stubs that is a text is reported', () => {
  const { root, diagnostics } = readStubFile({ path: 'config.stubs.yaml', text: 'bank\n' }, datasources);
  expect([root, diagnostics.map(({ message }) => message)]).toEqual([
    undefined,
    ['A file of stubs must be a map with the field datasources.'],
  ]);
});

describe('what is left out', () => {
  const request = {
    method: 'POST',
    path: '/orders',
    query: new URLSearchParams('token=abc-token&tag=a&tag=<any>&pattern=/x/&note=\\<b>'),
    headers: { 'content-type': 'application/json', authorization: 'Bearer known-secret' },
    body: Buffer.from(
      JSON.stringify({ password: 'hush', amount: 3, note: 'with known-secret', pin: { token: 7 } }),
    ),
  };
  const response = {
    status: 201,
    headers: { 'content-type': 'application/json; charset=utf-8', 'set-cookie': 'a=hush', 'x-key': 'hush' },
    body: Buffer.from(
      JSON.stringify({ refresh_token: 'new-hush', key: 'PROJ-1', echo: 'known-secret!', done: true }),
    ),
  };

  test('secrets of headers, queries and bodies', () => {
    const recorded = recordedStub(request, response, new Set(['known-secret']));
    expect(recorded).toEqual({
      stub: {
        request: 'POST /orders',
        query: { token: '<string>', tag: ['a', '\\<any>'], pattern: '\\/x/', note: '\\\\<b>' },
        body: { password: '<string>', amount: 3, note: '<string>', pin: { token: '<any>' } },
        response: {
          statuscode: 201,
          body: { refresh_token: 'test', key: 'PROJ-1', echo: 'test!', done: true },
        },
      },
      learnt: ['new-hush'],
    });
    expect(JSON.stringify(recorded).replace('new-hush', '')).not.toMatch(/hush|known-secret|abc-token/);
  });

  test('numbers are no secret any more, and what has no body has none', () => {
    const json = { 'content-type': 'application/json' };
    const { body: _, ...without } = response;
    const pin = { ...without, status: 200, headers: json, body: Buffer.from('{"pin_code":1,"secret":1234}') };
    const get = { ...request, query: new URLSearchParams(), headers: {} };
    expect(recordedStub(get, pin, new Set())).toEqual({
      stub: { request: 'POST /orders', query: {}, response: { body: { pin_code: 1, secret: 0 } } },
      learnt: [],
    });
    expect(recordedStub(get, { ...pin, body: Buffer.alloc(0) }, new Set())).toEqual({
      stub: { request: 'POST /orders', query: {}, response: {} },
      learnt: [],
    });
  });

  test('texts keep their kind, and fields of forms are those of a query', () => {
    const form = {
      ...request,
      query: new URLSearchParams(),
      headers: { 'content-type': 'Application/X-www-form-urlencoded; charset=UTF-8' },
      body: Buffer.from(
        'grant_type=password&password=hush&tag=a+b&tag=%3Cany%3E&note=with+known-secret&sign=',
      ),
    };
    const text = {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from('is known-secret'),
    };
    expect(recordedStub(form, text, new Set(['known-secret']))).toMatchObject({
      stub: {
        request: 'POST /orders',
        query: {},
        form: {
          ...{ grant_type: 'password', password: '<string>', tag: ['a b', '\\<any>'], note: '<string>' },
          sign: '',
        },
        response: { header: { 'Content-Type': 'text/plain' }, body: 'is test' },
      },
    });
  });

  test('forms with files are not compared', () => {
    const parts = { ...request, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    const recorded = recordedStub(parts, response, new Set(['known-secret']));
    const fields = typeof recorded === 'string' ? [] : Object.keys(recorded.stub);
    expect(fields).toEqual(['request', 'query', 'response']);
  });

  test('a path with a secret and a response that is not text, or half JSON, are not written', () => {
    const path = { ...request, path: '/bot%6Bnown-secret/send' };
    expect(recordedStub(path, response, new Set(['known-secret']))).toBe('its path has a secret in it');
    const bytes = { ...response, body: Buffer.from([0xff, 0xfe]) };
    expect(recordedStub(request, bytes, new Set())).toBe('its response is not text');
    const half = { ...response, body: Buffer.from('{"rate":') };
    expect(recordedStub(request, half, new Set())).toBe('its response is not valid JSON');
  });

  test('addresses that the service follows are kept, without secrets, and so are tokens of pages', () => {
    const page = {
      method: 'GET',
      path: '/items',
      query: new URLSearchParams('page_token=p1&access_token=abc-token'),
      headers: { authorization: 'Bearer known-secret' },
      body: Buffer.alloc(0),
    };
    const list = {
      status: 200,
      headers: {
        'content-type': 'application/json',
        link: '<https://api.example.com/items?page_token=p2&access_token=new-hush>; rel="next"',
        location: '/items?api_key=known-secret',
        'x-next': 'hush',
      },
      body: Buffer.from(
        JSON.stringify({
          nextPageToken: 'p2',
          next: 'https://api.example.com/items?page=2&client_secret=hush',
        }),
      ),
    };
    expect(recordedStub(page, list, new Set(['known-secret']))).toEqual({
      stub: {
        request: 'GET /items',
        query: { page_token: 'p1', access_token: '<string>' },
        response: {
          header: {
            Link: '<https://api.example.com/items?page_token=p2&access_token=test>; rel="next"',
            Location: '/items?api_key=test',
          },
          body: { nextPageToken: 'p2', next: 'https://api.example.com/items?page=2&client_secret=test' },
        },
      },
      learnt: ['hush', 'hush', 'new-hush', 'new-hush'],
    });
  });
});
