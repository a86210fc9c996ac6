/** TypeScript keywords, and names of generated code, in strings: the code type-checks and has the same shape as with other strings. */
import { expect, test } from 'vitest';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { typeErrors } from '../helpers/type-check.js';
import { filesOf } from './compile-text.js';
import { shapeOf } from './shape.js';

const words = [
  ...[
    'await',
    'Please await the next release',
    'async',
    'import',
    'yield',
    'return',
    'get(',
    'call',
    'call.',
  ],
  ...[
    'error',
    'item',
    'news',
    'newsRow',
    'const a = await call.body;',
    "'call'",
    '`call`',
    '`${call}`',
    '{ call }',
  ],
];

/** A service with the text at positions that generator decisions depend on: which functions await, what they read, and what is constant. */
function serviceOf(text: string): object {
  const quoted = JSON.stringify(text);
  const constant = `TEXT(${quoted})`;
  const schema = { message: 'ERROR($.message)', hint: constant, [`key ${text}`]: constant };
  const response = { name: 'ok', default: true, statuscode: 200 };
  const read = (name: string): object => ({
    ...{ name, type: 'READ', datasource: 'db' },
    instructions: [{ query: 'SELECT id, a FROM news' }],
  });
  return {
    specification: '1.0',
    settings: { debug: true, errors: [{ statuscode: '4xx', schema }] },
    authentications: {
      people: {
        type: 'jwt',
        default: true,
        issuer: 'https://a.example',
        audience: 'a',
        jwks: 'https://a.example/keys',
      },
    },
    operations: {
      // Handlers that do not need their `call` parameter.
      'GET /constant': { responses: [{ ...response, schema: { a: constant, [text]: constant } }] },
      'GET /constant-text': {
        responses: [{ ...response, header: [`X-A: ${text.replaceAll(/[^a-z ]/gi, '')}`], schema: constant }],
      },
      'POST /failing': {
        exceptions: [
          { if: `BODY($.a) == ${constant}`, statuscode: 422, message: text, code: 'a', schema },
          { if: `BODY($.b[${quoted}]) == NULL()`, statuscode: 409, message: `${text}:[BODY($.a)]`, schema },
        ],
        responses: [{ ...response, schema: { a: `BODY($[${quoted}].b)`, b: `BODY($[${quoted}].b)` } }],
      },
      'POST /calling': {
        fulfillments: [
          {
            ...{ name: 'news', type: 'REFERENCE', operationName: 'called' },
            parameters: {
              a: constant,
              body: { a: constant, [text]: { list: 'BODY($.list)', item: { a: constant } } },
            },
          },
          {
            ...{ name: 'each', type: 'LOOP', loop: 'BODY($.list)' },
            fulfillments: [
              {
                ...{ name: 'inner', type: 'UPDATE', datasource: 'db' },
                instructions: [
                  {
                    query: `UPDATE news SET a = :[VALUE(each, $[${quoted}])], b = :[VALUE(each, $[${quoted}])] WHERE c = :[${constant}]`,
                  },
                ],
              },
            ],
          },
        ],
        responses: [{ ...response, schema: { a: 'VALUE(news, $.a)' } }],
      },
      called: {
        fulfillments: [read('news'), read('others')],
        responses: [
          {
            ...response,
            schema: {
              list: 'VALUE(news, $)',
              item: { a: constant, others: { list: 'VALUE(others, $)', item: { a: constant } } },
            },
          },
        ],
      },
    },
    datasources: {
      db: {
        ...{ type: 'db', url: 'jdbc:postgresql://localhost/db' },
        context: { 'app.text': constant, 'app.user': 'CALLER($.sub)' },
      },
    },
  };
}

test('texts with words of the language', async () => {
  const services = await Promise.all(
    ['plain text', ...words].map(async (text, index) => ({
      name: `service${index}`,
      files: await filesOf(serviceOf(text)),
    })),
  );
  expect(typeErrors(services)).toEqual([]);
  const shapes = (files: readonly GeneratedFile[]): Record<string, string> =>
    Object.fromEntries(
      files
        .filter(({ path }) => path.startsWith('src/') && path !== 'src/api-description.ts')
        .map(({ path, text }) => [path, shapeOf(text)]),
    );
  const [plain, ...others] = services.map(({ files }) => shapes(files));
  for (const [index, one] of others.entries()) expect(one, words[index]).toEqual(plain);
});
