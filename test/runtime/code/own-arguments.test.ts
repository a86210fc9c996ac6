/**
 * Values passed to an operation by user code arrive as in the same HTTP request, for all kinds of parameters and all ways to write their
 * names.
 */
import { Texts } from '../../../runtime/http/texts.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownOperation, ownRoutes, type OwnOperation } from '../../../runtime/code/own-routes.js';
import type { Call } from '../../../runtime/handler/call.js';
import type { Json, JsonObject } from '../../../runtime/handler/json.js';
import { reply } from '../../../runtime/responses/reply.js';
import { type Reply } from '../../../runtime/handler/reply.js';
import { jsonBody } from '../../../runtime/http/json-body.js';
import { readForm } from '../../../runtime/uploads/read-form.js';
import { formBody } from '../../../runtime/forms/form-body.js';
import type { DeclaredInput, Route } from '../../../runtime/http/route.js';
import {
  array,
  input,
  integer,
  object,
  parameter,
  required,
  string,
} from '../../../runtime/validate/index.js';
import { serve, type Served } from '../serve.js';

const names = {
  param: ['Id', 'id', 'q-Text', 'Q-List', 'X-Who', 'x-who', 'X-List', 'x-list', 'X-Number', 'Both', 'both'],
  query: ['q-Text', 'Q-List', 'Both', 'both', 'limit'],
  header: ['X-Who', 'x-who', 'X-LIST', 'x-number', 'both', 'If-Match', 'If-None-Match', 'Authorization'],
  cookie: ['Theme', 'theme', 'Other'],
} as const;

/** Returns everything that an operation can read from its call by name. */
function echo(call: Call): Reply {
  const read = <Value>(of: readonly string[], value: (name: string) => Value) =>
    Object.fromEntries(of.map((name) => [name, value(name)]));
  return reply(200, {
    param: read(names.param, (name) => call.param(name)),
    query: read(names.query, (name) => call.query(name)),
    header: read(names.header, (name) => call.header(name)),
    cookie: read(names.cookie, (name) => call.cookie(name)),
    ...{ body: call.body, text: call.param('Text'), stars: call.param('stars') },
  });
}

const parameters = {
  path: { Id: required(integer()) },
  query: {
    'q-Text': string(),
    'Q-List': array(integer()),
    both: string(),
    limit: parameter(integer(), { default: 5 }),
  },
  header: {
    ...{ 'X-Who': string(), Both: string(), 'If-Match': string() },
    'X-List': parameter(array(string()), { separator: ',' }),
    'X-Number': parameter(integer(), { default: 3 }),
  },
};
const withBody = input({ ...parameters, body: object({ n: integer() }) });
const withForm = input({ ...parameters, form: { Text: string(), stars: array(integer()) } });

const texts = {
  headers: ['X-Who', 'Both', 'If-Match', 'X-List', 'X-Number'],
  cookies: ['Theme'],
};

/** Headers of the route's own request, with different values for all parameters. */
const around = {
  ...{ 'X-Who': 'around', 'X-List': 'around', 'X-Number': '99', Both: 'around', 'If-Match': '"around"' },
  Cookie: 'Theme=around; Other=kept',
  'If-None-Match': '"kept"',
};

let served: Served;
let work: (
  operations: Readonly<Record<string, (passed: JsonObject) => Promise<unknown>>>,
) => Promise<unknown>;

beforeAll(async () => {
  const operation = (declared: DeclaredInput): OwnOperation =>
    ownOperation(echo, { input: declared, ...texts });
  const contextOf = ownRoutes({
    operations: {
      body: operation(withBody),
      form: operation(withForm),
      undescribed: ownOperation(echo, { headers: ['X-Who'], cookies: ['Theme'], orOfRequest: true }),
    },
  });
  const route = (path: string, declared: DeclaredInput, body: Route['body']): Route => ({
    ...{ method: 'POST', path, handler: echo, input: declared },
    ...(body === undefined ? {} : { body }),
  });
  served = await serve(
    [
      route('/body/{Id}', withBody, jsonBody),
      route('/form/{Id}', withForm, formBody({ multipart: readForm })),
    ],
    {
      fallback: async (request, response) => {
        const { operations } = await contextOf(request);
        response.end(JSON.stringify(await work(operations as never)));
      },
    },
  );
});

afterAll(() => served.stop());

type Outcome = { readonly status: number; readonly body: unknown };

async function byCode(
  name: string,
  passed: JsonObject,
  headers: Readonly<Record<string, string>> = around,
): Promise<Outcome> {
  work = async (operations) => {
    const result = await operations[name]?.(passed);
    return (result as Outcome).body;
  };
  const url = `${served.url}/mine/1?q-Text=around&Q-List=1&both=around&limit=1`;
  return outcomeOf(await fetch(url, { headers }));
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const body: unknown = await response.json();
  return { status: response.status, body };
}

interface Sent {
  readonly query?: readonly [string, string][];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly form?: readonly [string, string][];
}

async function byHttp(name: string, { query = [], headers = {}, body, form }: Sent): Promise<Outcome> {
  const url = new URL(`${served.url}/${name}/7`);
  for (const [key, value] of query) url.searchParams.append(key, value);
  const fields = new FormData();
  for (const [key, value] of form ?? []) fields.append(key, value);
  const sent = form === undefined ? (body === undefined ? undefined : JSON.stringify(body)) : fields;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      // Other headers are taken from the route's request.
      'If-None-Match': '"kept"',
      ...headers,
      Cookie: ['Other=kept', ...(headers['Cookie'] === undefined ? [] : [headers['Cookie']])].join('; '),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  return outcomeOf(response);
}

describe('as by HTTP', () => {
  test.each<[string, JsonObject, Sent]>([
    ['nothing', {}, {}],
    ['null everywhere', { 'q-Text': null, 'Q-List': null, 'X-Who': null, 'X-List': null, Theme: null }, {}],
    ['text in the query', { 'q-Text': 'a' }, { query: [['q-Text', 'a']] }],
    ['empty text in the query', { 'q-Text': '' }, { query: [['q-Text', '']] }],
    ['a list in the query', { 'Q-List': [1, 2] }, { query: [['Q-List', '1'], ['Q-List', '2']] }], // prettier-ignore
    ['a list of one in the query', { 'Q-List': [1] }, { query: [['Q-List', '1']] }],
    ['a wrong list in the query', { 'Q-List': ['a'] }, { query: [['Q-List', 'a']] }],
    ['a number in the query', { limit: 8 }, { query: [['limit', '8']] }],
    ['a name in the query in another letter case', { 'Q-TEXT': 'a' }, { query: [['Q-TEXT', 'a']] }],
    ['a header', { 'X-Who': 'a' }, { headers: { 'X-Who': 'a' } }],
    ['a header in small letters', { 'x-who': 'a' }, { headers: { 'x-who': 'a' } }],
    ['a header in capitals', { 'X-WHO': 'a' }, { headers: { 'X-WHO': 'a' } }],
    ['an empty header', { 'x-Who': '' }, { headers: { 'X-Who': '' } }],
    ['a list as a header', { 'x-list': ['a', 'b'] }, { headers: { 'X-List': 'a,b' } }],
    ['an empty list as a header', { 'x-list': [] }, { headers: { 'X-List': '' } }],
    ['a number as a header', { 'x-number': 8 }, { headers: { 'X-Number': '8' } }],
    ['a wrong header', { 'x-number': 'a' }, { headers: { 'X-Number': 'a' } }],
    ['a version', { 'if-match': '"6"' }, { headers: { 'If-Match': '"6"' } }],
    ['one of two names that differ in letter case', { both: 'q' }, { query: [['both', 'q']] }],
    ['the other', { Both: 'h' }, { headers: { Both: 'h' } }],
    ['both', { both: 'q', Both: 'h' }, { query: [['both', 'q']], headers: { Both: 'h' } }],
    ['a cookie', { Theme: 'dark' }, { headers: { Cookie: 'Theme=dark' } }],
    ['an empty cookie', { Theme: '' }, { headers: { Cookie: 'Theme=' } }],
    ['a cookie in another letter case', { theme: 'dark' }, {}],
    ['an undeclared header', { 'If-None-Match': '"a"', Authorization: 'a' }, {}],
    ['an undeclared cookie', { Other: 'a' }, {}],
  ])('%s', async (_, passed, sent) => {
    expect(await byCode('body', { Id: 7, ...passed, body: { n: 1 } })).toEqual(
      await byHttp('body', { ...sent, body: { n: 1 } }),
    );
    const form: [string, string][] = [['Text', 'a'], ['stars', '1'], ['stars', '2']]; // prettier-ignore
    expect(await byCode('form', { Id: 7, ...passed, Text: 'a', stars: [1, 2] })).toEqual(
      await byHttp('form', { ...sent, form }),
    );
  });

  test.each<[string, JsonObject, Sent]>([
    ['a wrong body', { body: { n: 'a' } }, { body: { n: 'a' } }],
    ['a list as a body', { body: [] }, { body: [] }],
    ['null as a body', { body: null }, { body: null }],
  ])('%s', async (_, passed, sent) => {
    expect(await byCode('body', { Id: 7, ...passed })).toEqual(await byHttp('body', sent));
  });
});

test('a header that is passed in two letter cases is a mistake', async () => {
  work = async (operations) =>
    operations['body']?.({ Id: 7, 'if-match': '"6"', 'If-Match': '"7"', body: { n: 1 } });
  expect((await fetch(`${served.url}/mine`)).status).toBe(500);
});

test('without a description, headers and cookies that are not passed are those of the request', async () => {
  const read = async (passed: JsonObject) => {
    const { body } = await byCode('undescribed', passed);
    const { header, cookie } = body as Record<string, JsonObject>;
    return [header?.['x-who'], header?.['If-Match'], cookie?.['Theme'], cookie?.['Other']];
  };
  expect(await read({})).toEqual(['around', '"around"', 'around', 'kept']);
  expect(await read({ 'x-WHO': 'me', Theme: 'dark' })).toEqual(['me', '"around"', 'dark', 'kept']);
  expect(await read({ 'X-Who': null, Theme: null })).toEqual([null, '"around"', null, 'kept']);
  // The operation does not read other parameters.
  expect(await read({ 'If-Match': '"6"', Other: 'mine' })).toEqual(['around', '"around"', 'around', 'kept']);
});

test('whether the strings of a header are typed does not depend on the letter case of its name', () => {
  const values = withBody.read({
    ...{ path: () => '7', query: new Texts(), header: () => '1', form: undefined, body: undefined },
  });
  expect(['X-Who', 'x-who', 'X-List', 'x-list'].map((name) => values.hasType(name))).toEqual([
    ...[true, true, false, false],
  ]);
});
