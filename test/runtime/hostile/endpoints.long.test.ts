/**
 * Requests within all limits that overload a generated service with a small heap: each ends in time with a defined status, other requests
 * get responses meanwhile, and the process survives.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../compiler/compile.js';
import { assets } from '../../emit/compile-text.js';
import { RunningService } from '../../helpers/running-service.js';
import { buildServices } from '../../helpers/service-build.js';

const never = {
  name: 'never',
  type: 'READ',
  datasource: 'db',
  if: 'BOOLEAN(false)',
  instructions: [{ query: 'SELECT 1 AS one' }],
};
const ok = (schema: unknown) => [{ name: 'ok', default: true, statuscode: 200, schema }];
const loop = (name: string, over: string, inside: object[]) => ({
  name,
  type: 'LOOP',
  loop: over,
  fulfillments: inside,
});

const config = {
  specification: '1.0',
  operations: {
    'GET /quick': { fulfillments: [never], responses: ok({ quick: 'BOOLEAN(true)' }) },
    'POST /pairs': {
      fulfillments: [
        loop('a', 'BODY($.a)', [
          loop('b', 'BODY($.b)', [{ ...never, if: 'VALUE(a, $.k) == VALUE(b, $.k)' }]),
        ]),
      ],
      responses: ok({ done: 'BOOLEAN(true)' }),
    },
    'POST /counted': {
      fulfillments: [
        loop('a', 'LIST(BODY($.n))', [
          loop('b', 'LIST(BODY($.n))', [{ ...never, if: 'VALUE(a, $) < VALUE(b, $) && BOOLEAN(false)' }]),
        ]),
      ],
      responses: ok({ done: 'BOOLEAN(true)' }),
    },
    'POST /found': {
      fulfillments: [loop('a', 'BODY($.list)', [{ ...never, if: 'VALUE(a, $) == BODY($.x)' }])],
      responses: ok({ done: 'BOOLEAN(true)' }),
    },
    'POST /nested': {
      fulfillments: [never],
      responses: ok({ list: 'BODY($.a)', item: { list: 'BODY($.b)', item: { a: 'VALUE(@, $)' } } }),
    },
    'POST /repeated': {
      fulfillments: [never],
      responses: ok({ list: 'BODY($.a)', item: { a: 'VALUE(@, $)', text: 'BODY($.text)' } }),
    },
    'POST /checked': { fulfillments: [never], responses: ok({ done: 'BOOLEAN(true)' }) },
  },
  datasources: {
    db: { type: 'db', url: 'jdbc:postgresql://127.0.0.1:1/nowhere', user: 'u', password: 'not-used' },
  },
};

const body = (schema: object) => ({
  post: {
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'ok' } },
  },
});
const anyBody = body({ type: 'object' });
const description = {
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  paths: {
    '/quick': { get: { responses: { 200: { description: 'ok' } } } },
    '/pairs': anyBody,
    '/counted': anyBody,
    '/found': anyBody,
    '/nested': anyBody,
    '/repeated': anyBody,
    '/checked': body({
      type: 'object',
      properties: {
        mail: { type: 'string', pattern: '^\\S+@\\S+$' },
        digits: { type: 'string', pattern: '[0-9]+$' },
        words: { type: 'string', pattern: '^(\\w+\\s?)*$' },
        price: { type: 'number', multipleOf: 0.01, maximum: 100_000 },
        unique: { type: 'array', uniqueItems: true },
        numbers: { type: 'array', items: { type: 'integer', minimum: 5, multipleOf: 3 } },
        parts: { type: 'array', items: { type: 'object', required: ['a', 'b'] } },
      },
      patternProperties: { '^(a+)+b$': { type: 'integer' } },
    }),
  },
};

let service: RunningService;

beforeAll(async () => {
  const { files, diagnostics } = await compile(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      description: {
        source: { path: 'openapi.json', text: JSON.stringify(description) },
        read: () => undefined,
      },
    },
    assets,
  );
  if (files === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const folder = buildServices('hostile', [{ name: 'endpoints', files }]).get('endpoints') ?? '';
  service = await RunningService.start(folder, {
    DATASOURCE_DB_URL: 'jdbc:postgresql://127.0.0.1:1/nowhere',
    DATASOURCE_DB_USER: 'u',
    DATASOURCE_DB_PASSWORD: 'not-used',
    REQUEST_TIMEOUT: '2000',
    NODE_OPTIONS: '--max-old-space-size=300',
  });
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const keys = (count: number, sign: number) =>
  Array.from({ length: count }, (_, index) => ({ k: sign * (index + 1) }));
const numbers = (count: number) => Array<number>(count).fill(1);
const long = 500_000;

/** An endpoint, a body within the limits, and the allowed statuses. */
const attacks: readonly (readonly [string, () => string, readonly number[]])[] = [
  ['/pairs', () => JSON.stringify({ a: keys(30_000, 1), b: keys(30_000, -1) }), [504]],
  ['/counted', () => '{"n":100000}', [504]],
  ['/found', () => JSON.stringify({ list: numbers(100_000), x: '1'.repeat(700_000) }), [504, 200]],
  ['/nested', () => JSON.stringify({ a: numbers(5000), b: numbers(5000) }), [500, 504]],
  ['/nested', () => JSON.stringify({ a: numbers(200_000), b: numbers(200_000) }), [500, 504]],
  ['/repeated', () => JSON.stringify({ a: numbers(60_000), text: 'x'.repeat(900_000) }), [500, 504]],
  ['/checked', () => JSON.stringify({ mail: `${'@'.repeat(2 * long)} ` }), [400]],
  ['/checked', () => JSON.stringify({ digits: `${'0'.repeat(2 * long)}x` }), [400]],
  ['/checked', () => JSON.stringify({ words: `${'a'.repeat(2 * long)}!` }), [400]],
  ['/checked', () => JSON.stringify({ ['a'.repeat(2 * long)]: 1 }), [200]],
  ['/checked', () => `{"price":1e${'9'.repeat(400)}}`, [400]],
  ['/checked', () => `{"price":1e-${'9'.repeat(2 * long)}}`, [400]],
  ['/checked', () => `{"price":${'1'.repeat(2 * long)}}`, [400]],
  [
    '/checked',
    () => JSON.stringify({ unique: Array.from({ length: 100_000 }, (_, index) => 16_384 * index) }),
    [200],
  ],
  ['/checked', () => JSON.stringify({ numbers: numbers(long) }), [400]],
  ['/checked', () => `{"parts":[${'{},'.repeat(300_000)}{}]}`, [400]],
];

test.each(attacks)('POST %s: case %#', async (path, text, statuses) => {
  const request = fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: text(),
  });
  const quick = await Promise.all(
    Array.from({ length: 5 }, async () => (await fetch(`${service.url}/quick`)).status),
  );
  expect(statuses).toContain((await request).status);
  expect(quick).toEqual([200, 200, 200, 200, 200]);
});

test('all of them at a time', async () => {
  const responses = await Promise.all(
    attacks.map(async ([path, text]) => {
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(service.url + path, { method: 'POST', headers, body: text() })).status;
    }),
  );
  for (const [index, status] of responses.entries())
    expect([...(attacks[index]?.[2] ?? []), 504, 503]).toContain(status);
  expect((await fetch(`${service.url}/quick`)).status).toBe(200);
});
