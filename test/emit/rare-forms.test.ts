/** Forms of generated code that do not occur in fixtures: they read as if written by hand. */
import { expect, test } from 'vitest';
import { filesOf, textOf } from './compile-text.js';

const postgres = { type: 'db', url: 'jdbc:postgresql://localhost/db' };
const ok = { name: 'ok', default: true, statuscode: 200, schema: { a: 'TEXT(a)' } };

async function handlerOf(
  fulfillments: readonly object[],
  datasources: object = { db: postgres, api: { type: 'rest', url: 'https://api.example.com' } },
): Promise<string> {
  const files = await filesOf({
    specification: '1.0',
    operations: { 'POST /a': { fulfillments, responses: [ok] } },
    datasources,
  });
  return textOf(files, 'src/operations/post-a.ts');
}

/** An operation with one READ. */
const read = {
  fulfillments: [
    { name: 'read', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT a FROM t' }] },
  ],
  responses: [ok],
};

test('what is named after its own verb', async () => {
  const code = await handlerOf([
    {
      ...{ name: 'getForecast', type: 'READ', datasource: 'api' },
      instructions: [{ request: { httpType: 'GET', url: '/forecast' } }],
    },
    { name: 'selected', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1 AS a' }] },
    {
      ...{ name: 'deleted', type: 'UPDATE', datasource: 'db' },
      instructions: [{ query: 'DELETE FROM news WHERE id = 1' }],
    },
  ]);
  expect(code).toContain('const sendGetForecast = api.request(');
  expect(code).toContain('const runSelected = db.read(');
  expect(code).toContain('const deleteNews = db.update(');
});

test('a GET that changes something is not sent again', async () => {
  const code = await handlerOf([
    {
      ...{ name: 'started', type: 'UPDATE', datasource: 'api' },
      instructions: [{ request: { httpType: 'GET', url: '/start' } }],
    },
  ]);
  expect(code).toContain('resend: false');
});

test.each([
  ['SIZE(VALUE(read, $)) == INTEGER(0)', 'read === undefined'],
  ['SIZE(VALUE(read, $)) <= INTEGER(0)', 'read === undefined'],
  ['SIZE(VALUE(read, $)) < INTEGER(1)', 'read === undefined'],
  ['SIZE(VALUE(read, $)) != INTEGER(0)', 'read !== undefined'],
  ['SIZE(VALUE(read, $)) > INTEGER(0)', 'read !== undefined'],
  ['SIZE(VALUE(read, $)) >= INTEGER(1)', 'read !== undefined'],
])('whether there is a row: %s', async (condition, code) => {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'POST /a': {
        fulfillments: [
          { ...read.fulfillments[0], exceptions: [{ if: condition, statuscode: 409, message: 'No' }] },
        ],
        responses: [{ ...ok, schema: { a: 'VALUE(read, $.a)' } }],
      },
    },
    datasources: { db: postgres },
  });
  expect(textOf(files, 'src/operations/post-a.ts')).toContain(`if (${code}) throw fail(409, 'No');`);
});

test.each([
  [{ perSecond: 5 }, 'rateLimit({ perSecond: 5 })'],
  [{ atOnce: 2 }, 'rateLimit({ atOnce: 2 })'],
])('a datasource with the limit %j', async (limit, code) => {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'GET /a': {
        fulfillments: [
          {
            ...{ name: 'read', type: 'READ', datasource: 'api' },
            instructions: [{ request: { httpType: 'GET', url: '/a' } }],
          },
        ],
        responses: [ok],
      },
    },
    datasources: { api: { type: 'rest', url: 'https://api.example.com', limit } },
  });
  expect(textOf(files, 'src/datasources.ts')).toContain(code);
});

test('a body of errors that is one value, and no object', async () => {
  const files = await filesOf({
    specification: '1.0',
    operations: { 'GET /a': { responses: [ok] } },
    settings: { errors: [{ contentType: 'application/json', schema: 'ERROR($.message)' }] },
  });
  expect(textOf(files, 'src/errors.ts')).toContain('body: (error) => error.message');
});

test('of a value that may be one of two parameters nobody knows which is wrong', async () => {
  const code = await handlerOf([
    {
      ...{ name: 'read', type: 'READ', datasource: 'db' },
      instructions: [
        {
          query:
            'SELECT a FROM t WHERE a = :[COALESCE(PARAM(a), PARAM(b))] OR a = :[COALESCE(PARAM(a), TEXT(x))]',
        },
      ],
    },
  ]);
  expect(code).toContain("valueNames: { 1: 'param.a' }");
});

test('constants are settings of a context, too', async () => {
  const files = await filesOf({
    specification: '1.0',
    operations: { 'GET /a': read },
    datasources: { db: { ...postgres, context: { 'app.region': 'TEXT(eu)' } } },
  });
  expect(textOf(files, 'src/datasources.ts')).toContain("'app.region': () => 'eu'");
});

test('a comparison after another one is no call with types', async () => {
  const query =
    'SELECT a FROM t WHERE b = :[SIZE(VALUE(x, $)) < INTEGER(3)] AND c = :[INTEGER(2) > SIZE(VALUE(y, $))]';
  const code = await handlerOf([
    { name: 'x', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT a FROM t' }] },
    {
      ...{ name: 'y', type: 'READ', datasource: 'db', if: 'BODY($.a) == TEXT(a)' },
      instructions: [{ query: 'SELECT a FROM t' }],
    },
    { name: 'z', type: 'READ', datasource: 'db', instructions: [{ query }] },
  ]);
  expect(code).toContain('[x.length < 3, (y?.length ?? 0) < 2]');
});

test('an element of errors does not hide the error that a body describes', async () => {
  const files = await filesOf({
    specification: '1.0',
    operations: {
      'POST /a': {
        exceptions: [
          {
            ...{ if: 'BODY($.a) == TEXT(a)', statuscode: 422, message: 'no' },
            schema: {
              text: 'ERROR($.message)',
              all: { list: 'BODY($.errors)', item: { text: 'ERROR($.message)', own: 'VALUE(@, $.text)' } },
            },
          },
        ],
        responses: [ok],
      },
    },
    datasources: { db: postgres },
  });
  const code = textOf(files, 'src/operations/post-a.ts');
  expect(code).toContain('body: (error) => ({');
  expect(code).toContain("(item) => ({ text: error.message, own: get(item, 'text') })");
});
