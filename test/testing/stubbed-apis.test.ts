/** Third-party requests compared with those expected by a test: the report of each different or missing request, and the responses. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import type { StubRequest, StubResponse } from '../../compiler/tools/local/stub-server.js';
import { readTests } from '../../compiler/tools/testing/read/read-tests.js';
import { StubbedApis } from '../../compiler/tools/testing/stubbed-apis.js';

const config = `specification: "1.0"
operations:
  cleanup:
    fulfillments:
      - { name: paid, type: READ, datasource: bank, instructions: [{ request: { url: /a, httpType: GET } }] }
    responses: [{ name: ok, default: true, statuscode: 200 }]
datasources:
  bank: { type: rest, url: 'https://bank.example' }
`;
const { analysis } = checkSource({ config: { path: 'config.yaml', text: config } });

function stubbed(stub: string): StubbedApis {
  if (analysis === undefined) throw new Error('The configuration cannot be read.');
  const text = `tests:
  - name: one
    steps:
      - { operationName: cleanup, keep: { id: $ } }
      - { operationName: cleanup, datasources: { bank: [${stub}] } }
`;
  const { file, diagnostics } = readTests({ path: 'config.test.yaml', text }, analysis.config);
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  const step = file?.tests[0]?.steps[1];
  if (step === undefined) throw new Error('There is no step.');
  return new StubbedApis(step, new Map<string, unknown>([['id', { a: 1 }]]));
}

const request = (written: Partial<StubRequest>): StubRequest => ({
  ...{ method: 'POST', path: '/a', query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) },
  ...written,
});

/** The report after the requests, and the last response. */
function played(
  stub: string,
  ...requests: readonly Partial<StubRequest>[]
): { readonly messages: readonly string[]; readonly response: StubResponse | undefined } {
  const third = stubbed(stub);
  const responses = requests.map((one) => third.play('bank', request(one)));
  return { messages: third.failures().map(({ message }) => message), response: responses.at(-1) };
}

const secret = `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`;
const signed = (key: string): Partial<StubRequest> => ({
  headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', key).update('hi').digest('hex')}` },
  body: Buffer.from('hi'),
});

test.each<
  [what: string, stub: string, requests: readonly Partial<StubRequest>[], messages: readonly string[]]
>([
  ['all are as expected', '{ request: POST /a, times: 2 }', [{}, {}], []],
  [
    'one is missing',
    '{ request: POST /a, times: 2 }',
    [{}],
    ['the request POST /a to bank arrived 1 of 2 times'],
  ],
  ['none arrives', '{ request: POST /a }', [], ['the request POST /a to bank did not arrive']],
  [
    'another request',
    '{ request: POST /a }',
    [{ path: '/b', query: new URLSearchParams('c=1') }, {}],
    ['bank got a request that was not expected: POST /b?c=1'],
  ],
  [
    'a path that encodes other characters',
    "{ request: POST /it's/(b)%2a%c3%a4 }",
    [{ path: '/it%27s/%28b%29*%C3%A4' }],
    [],
  ],
  [
    'a path with another segment',
    '{ request: POST /a/b }',
    [{ path: '/a%2Fb' }],
    ['bank got a request that was not expected: POST /a%2Fb', 'the request POST /a/b to bank did not arrive'],
  ],
  [
    'a form of another type',
    '{ request: POST /a, form: { b: 1 } }',
    [{ headers: { 'content-type': 'text/plain' } }],
    [
      "request POST /a to bank: header Content-Type: expected application/x-www-form-urlencoded, but it is 'text/plain'",
    ],
  ],
  [
    'a form without a type',
    '{ request: POST /a, form: { b: 1 } }',
    [{}],
    [
      'request POST /a to bank: header Content-Type: expected application/x-www-form-urlencoded, but it is missing',
    ],
  ],
  [
    'a header of several values',
    '{ request: POST /a, header: { X-Tag: "a, c" } }',
    [{ headers: { 'x-tag': ['a', 'b'] } }],
    ['request POST /a to bank: header X-Tag: expected a, c, but it is a, b'],
  ],
  [
    'a header of several values as expected',
    '{ request: POST /a, header: { X-Tag: "a, b" } }',
    [{ headers: { 'x-tag': ['a', 'b'] } }],
    [],
  ],
  ['no header', '{ request: POST /a, header: { X-Tag: null } }', [{}], []],
  [
    'a header that must not be there',
    '{ request: POST /a, header: { X-Tag: null } }',
    [{ headers: { 'x-tag': 'a' } }],
    ['request POST /a to bank: header X-Tag: expected none, but it is a'],
  ],
  [
    'JSON that is half',
    '{ request: POST /a, body: { b: 1 } }',
    [{ headers: { 'content-type': 'application/json' }, body: Buffer.from('{"b":') }],
    ['request POST /a to bank: body: expected {"b":1}, but it is "{\\"b\\":"'],
  ],
  ['a signature', '{ request: POST /a, signedWith: s3cret }', [signed('s3cret')], []],
  [
    'no signature',
    '{ request: POST /a, signedWith: s3cret }',
    [{}],
    ['request POST /a to bank: signature: expected a signature, but there is none'],
  ],
  [
    'a signature with another secret',
    '{ request: POST /a, signedWith: s3cret }',
    [signed('other')],
    [
      'request POST /a to bank: signature: expected a signature with this secret, but that in x-hub-signature-256 is of another one',
    ],
  ],
  [
    'a secret that is none of the scheme',
    '{ request: POST /a, signedWith: short }',
    [{ headers: { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,abc' } }],
    [
      'request POST /a to bank: signature: this is not a secret of the scheme with the header webhook-signature',
    ],
  ],
  [
    'a signature that is not of its scheme',
    `{ request: POST /a, signedWith: ${secret} }`,
    [{ headers: { 'stripe-signature': 'v1=abc' } }],
    [
      'request POST /a to bank: signature: expected a signature with this secret, but that in stripe-signature is of another one',
    ],
  ],
])('%s', (_, stub, requests, messages) => {
  expect(played(stub, ...requests).messages).toEqual(messages);
});

test.each<[response: string, headers: Readonly<Record<string, string>>, body: string | undefined]>([
  ['{}', {}, undefined],
  ['{ body: text }', { 'content-type': 'application/json' }, '"text"'],
  ['{ body: ":[id]" }', { 'content-type': 'application/json' }, '{"a":1}'],
  ['{ body: "{", header: { Content-Type: application/json } }', { 'content-type': 'application/json' }, '{'],
  [
    '{ body: "of :[id]", header: { Content-Type: text/plain } }',
    { 'content-type': 'text/plain' },
    'of {"a":1}',
  ],
])('a response of %s', (response, headers, body) => {
  expect(played(`{ request: POST /a, response: ${response} }`, {}).response).toMatchObject({
    headers,
    ...(body === undefined ? {} : { body }),
  });
});
