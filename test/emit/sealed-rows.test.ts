/** Which rows of an outbox are encrypted: those that a result of RANDOM reaches, on whichever way. */
import { expect, test } from 'vitest';
import { filesOf, textOf } from './compile-text.js';

const body = (sent: unknown): object => ({ body: { contentType: 'json', schema: { sent } } });
const computed = (schema: object): object => ({ name: 'made', type: 'COMPUTE', schema });
const link = 'CONCAT(TEXT("https://example.org/#"), PARAM(code))';
const item = { list: 'BODY($.codes)', item: 'VALUE(@, $)' };
const responses = [{ name: 'ok', default: true, statuscode: 204 }];

/** The content of the request, and the computed value before it. */
test.each([
  ['a parameter', body(link), undefined, true],
  ['a parameter that is computed', body('VALUE(made, $.link)'), computed({ link }), true],
  ['a list of the body that is computed', body('VALUE(made, $.codes)'), computed({ codes: item }), true],
  ['a part of a form', { multipart: { code: 'PARAM(code)' } }, undefined, true],
  ['another parameter', body('VALUE(made, $.name)'), computed({ name: 'PARAM(name)' }), false],
  ['a digest', body('VALUE(made, $.digest)'), computed({ digest: 'SHA256(PARAM(code))' }), false],
] as const)('%s', async (_, sent, before, isSealed) => {
  const code = 'VALUE(new, $.code)';
  const passed = { code, name: 'TEXT(a)', body: { codes: { list: 'VALUE(new, $.names)', item: code } } };
  const request = { url: '/codes', httpType: 'POST', ...sent, deliver: 'afterCommit' };
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'POST /codes': {
        transaction: true,
        fulfillments: [
          { name: 'new', type: 'COMPUTE', schema: { code: 'RANDOM(16)', names: 'BODY($.names)' } },
          { name: 'passed', type: 'reference', operationName: 'send code', parameters: passed },
        ],
        responses,
      },
      'send code': {
        fulfillments: [
          ...(before === undefined ? [] : [before]),
          { name: 'letter', type: 'UPDATE', datasource: 'post', instructions: [{ request }] },
        ],
        responses,
      },
    },
    datasources: {
      post: { type: 'rest', url: 'https://post.example.com', outbox: 'db' },
      db: { type: 'db', url: 'jdbc:postgresql://localhost:5432/codes' },
    },
  });
  const text = textOf(files, 'src/operations/send-code.ts');
  expect(text).toContain('outbox.request');
  expect(text.includes('sealed: true')).toBe(isSealed);
});
