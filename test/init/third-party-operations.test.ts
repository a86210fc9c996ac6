/** Third-party requests chosen by `apikiln init --as` from the description, and the values that they send. */
import { expect, test } from 'vitest';
import { Report } from '../../compiler/read/diagnostics/report.js';
import { readThirdParty } from '../../compiler/read/openapi/third-party/third-party.js';
import { wordsOf } from '../../compiler/tools/init/words.js';
import {
  thirdPartyOperations,
  type ThirdPartyOperation,
} from '../../compiler/tools/init/third-party/third-party-operations.js';

function operationsFor(paths: object): ThirdPartyOperation[] {
  const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Pay', version: '1' }, paths });
  const input = { source: { path: 'pay.json', text }, read: () => undefined };
  const found = readThirdParty(input, new Report());
  if (found === undefined) throw new Error('It is no description.');
  return thirdPartyOperations(found, { words: wordsOf('a'), datasource: 'pay', prefix: 'PAY' });
}

const ok = (schema: object, status = 200) => ({
  responses: { [status]: { description: 'OK', content: { 'application/json': { schema } } } },
});
const items = ok({ type: 'array', items: { type: 'object' } });
const one = ok({ type: 'object' });
const done = { responses: { 200: { description: 'OK' } } };
const parameter = (name: string, schema: object, place = 'query') => ({
  ...{ name, in: place, required: true, schema },
});
const body = (type: string, schema: object, required = true) => ({
  requestBody: { required, content: { [type]: { schema } } },
});
const form = 'application/x-www-form-urlencoded';

/** The request sent by an operation. */
function requestOf({ operation }: ThirdPartyOperation): unknown {
  const { fulfillments } = operation as {
    fulfillments: readonly { name: string; instructions: readonly { request: object }[] }[];
  };
  return { step: fulfillments[0]?.name, ...fulfillments[0]?.instructions[0]?.request };
}

test.each<[what: string, paths: object, names: readonly string[]]>([
  [
    'of two collections that have as much, that with the shorter path',
    { '/shops/all/orders': { get: items }, '/orders': { get: items } },
    ['GET /orders'],
  ],
  ['an element whose collection is not there', { '/users/{id}': { get: one } }, ['GET /users/{id}']],
  ['no request without a success', { '/up': { get: { responses: { default: { description: 'Up' } } } } }, []],
  [
    'no list without JSON, but the operations next to it',
    { '/logs': { get: done, post: { ...done, ...body('application/json', { type: 'string' }, false) } } },
    ['POST /logs'],
  ],
  [
    'another request than one whose body cannot be made up',
    {
      '/files': { post: { ...done, ...body('multipart/form-data', { type: 'object' }) } },
      '/notes': { post: { ...done, ...body('application/json', { type: 'object' }) } },
      '/tags/all': {
        post: { ...done, ...body('application/json', { properties: { name: { type: 'string' } } }) },
      },
    },
    ['POST /all'],
  ],
])('chooses %s', (_, paths, names) => {
  expect(operationsFor(paths).map(({ name }) => name)).toEqual(names);
});

test.each<[what: string, paths: object, request: object, sends: object]>([
  [
    'values that are asked for, and what the test asks for them',
    {
      '/items': {
        get: {
          ...items,
          parameters: [parameter('from', { type: 'string' }), parameter('all', { type: 'boolean' })],
        },
      },
    },
    { step: 'items', url: '/items?from=:[PARAM(from)]&all=:[PARAM(all)]', httpType: 'GET' },
    { path: '/items', own: '/items?from=text&all=false', body: undefined },
  ],
  [
    'secrets from the environment, and constants as they are',
    {
      '/items': {
        get: {
          ...items,
          parameters: [
            parameter('access_token', { type: 'string' }),
            parameter('apiKey', { type: 'string' }),
            parameter('page size', { type: 'integer', default: 50 }),
            parameter('sort', { enum: ['a/b', 'c'] }),
            parameter('X-Version', { default: 'pay/2' }, 'header'),
          ],
        },
      },
    },
    {
      step: 'items',
      url: '/items?access_token=:[ENV(PAY_ACCESS_TOKEN)]&apiKey=:[ENV(PAY_APIKEY)]&page%20size=50&sort=a%2Fb',
      httpType: 'GET',
      header: ['X-Version: pay/2'],
    },
    { path: '/items', own: '/items', body: undefined },
  ],
  [
    'names that are none of steps and parameters',
    { '/2fa/{2nd}': { get: { ...done, parameters: [parameter('2nd', { type: 'array' }, 'path')] } } },
    { step: 'the_2fa', url: '/2fa/:[PARAM(the_2nd)]', httpType: 'GET' },
    { path: '/2fa/1', own: '/2fa/1', body: undefined },
  ],
  [
    'a value that a path has encoded',
    { '/tags/{tag}': { get: { ...one, parameters: [parameter('tag', { enum: ['a/b'] }, 'path')] } } },
    { step: 'tag', url: '/tags/:[PARAM(tag)]', httpType: 'GET' },
    { path: '/tags/a%2Fb', own: '/tags/a%2Fb', body: undefined },
  ],
  [
    'a form',
    {
      '/notes': {
        post: {
          ...done,
          ...body(form, { required: ['text'], properties: { text: { type: 'string' }, at: {} } }),
        },
      },
    },
    {
      ...{ step: 'note', url: '/notes', httpType: 'POST' },
      body: { contentType: 'form', schema: { text: 'BODY($.text)' } },
    },
    { path: '/notes', own: '/notes', body: { text: 'text' } },
  ],
  [
    'some texts where no field is required',
    {
      '/notes': {
        post: {
          ...done,
          ...body('application/json', {
            properties: Object.fromEntries(
              ['id', 'a', 'b', 'c', 'd'].map((name) => [name, { type: 'string', readOnly: name === 'id' }]),
            ),
          }),
        },
      },
    },
    {
      ...{ step: 'note', url: '/notes', httpType: 'POST' },
      body: { contentType: 'json', schema: { a: 'BODY($.a)', b: 'BODY($.b)', c: 'BODY($.c)' } },
    },
    { path: '/notes', own: '/notes', body: { a: 'text', b: 'text', c: 'text' } },
  ],
  [
    'no body where it is optional and none can be made up',
    { '/notes': { post: { ...done, ...body('multipart/form-data', { type: 'object' }, false) } } },
    { step: 'note', url: '/notes', httpType: 'POST' },
    { path: '/notes', own: '/notes', body: undefined },
  ],
])('sends %s', (_, paths, request, sends) => {
  const [only, ...others] = operationsFor(paths);
  expect(others).toEqual([]);
  expect(only && { request: requestOf(only), sends: only.sends }).toEqual({ request, sends });
});

test('a request without JSON has a response without content', () => {
  const [read, sent] = operationsFor({ '/logs': { get: items, post: done } });
  expect([read?.operation, sent?.operation]).toMatchObject([
    { responses: [{ name: 'ok', default: true, statuscode: 200, schema: 'VALUE(logs, $)' }] },
    { responses: [{ name: 'ok', default: true, statuscode: 204 }] },
  ]);
  expect(sent?.operation).not.toHaveProperty(['responses', 0, 'schema']);
});
