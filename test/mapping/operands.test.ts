/** Services that compile also type-check: every operand of Syntax B with every other, in schemas, conditions and mappings. */
import { beforeAll, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { assets } from '../emit/compile-text.js';
import { comparisons, everyOf, runs } from '../helpers/runs.js';
import { buildServices } from '../helpers/service-build.js';

const operands = [
  ...["'abc'", "'5'", "'true'", '-1', '1.5', 'true', 'null'],
  ...['param.x', 'param.x.size()', 'body', 'body.a', 'body.a[0].b', 'body.size()'],
  ...['rows', 'rows.a', 'rows.a.b', 'rows.constructor', 'rows[0]', 'rows[-1].a', 'rows[*].a', 'rows.size()'],
  ...['maybe', 'maybe.a', 'maybe.a.b', 'maybe[0].a', 'maybe[*].a', 'maybe.size()', 'maybe.a.size()'],
  ...[
    'joined',
    'joined.a',
    'joined.constructor',
    'joined[0]',
    'joined[-1].a.b',
    'joined[*].a',
    'joined.size()',
  ],
];
const pairs = comparisons(operands, [['==', '!=', '<=']]).filter((_, index) => index % everyOf(6) === 0);
const all = [
  ...pairs,
  ...operands.flatMap((one) => [one, `!(${one})`, `${one} && param.x`, `param.x == 'a' || !(${one})`]),
];

/** Small enough for TypeScript's control flow analysis of one function. */
const chunk = 700;
const chunks = Array.from({ length: Math.ceil(all.length / chunk) }, (_, index) =>
  all.slice(index * chunk, (index + 1) * chunk),
);

function numbered<Value>(values: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(values.map((value, index) => [`e${index}`, value]));
}

const read = (name: string, more: object = {}): object => ({
  name,
  type: 'READ',
  datasource: 'db',
  queries: [{ query: 'SELECT 1' }],
  ...more,
});
const fulfillments = [
  read('rows', { join: ['rows.a == joined.b', 'maybe.a == rows.c'] }),
  read('maybe', { if: 'param.x' }),
  read('joined'),
];
const response = (more: object = {}): object => ({ name: 'ok', default: true, statuscode: 200, ...more });

/** An operation with the operand in every condition. */
function conditional(operand: string): object {
  // A literal or a size is an error as a list.
  const list = /^(?:'|"|-?\d|true|false)|size\(\)$/.test(operand) ? 'param.x' : operand;
  const exception = { if: operand, statuscode: 400, message: `because :[${operand}]` };
  return {
    fulfillments: [
      ...fulfillments,
      {
        name: 'last',
        type: 'UPDATE',
        datasource: 'db',
        if: operand,
        queries: [
          { if: operand, query: 'DELETE FROM t' },
          { if: `!(${operand})`, query: `DELETE FROM t WHERE x IN (:[${operand}], 2)` },
        ],
        exceptions: [exception],
      },
    ],
    responses: [
      { name: 'other', default: false, if: operand, statuscode: 201 },
      response({
        schema: { a: operand, b: { list, item: operand }, c: { list, item: '@.a' } },
      }),
    ],
  };
}

const conditions = operands.map(
  (operand, index) => [`GET /condition/${index}`, conditional(operand)] as const,
);
function mappingsOf(some: readonly string[]): object {
  return { Rows: { id: 'rows.id', ...numbered(some) }, Maybe: { id: 'maybe.id', ...numbered(some) } };
}

const config = {
  specification: '1.0',
  operations: {
    ...Object.fromEntries(
      chunks.flatMap((some, index) => [
        [`GET /schema/${index}`, { fulfillments, responses: [response({ schema: numbered(some) })] }],
        [`GET /mapped/${index}`, { fulfillments, responses: [response()], mappings: mappingsOf(some) }],
      ]),
    ),
    ...Object.fromEntries(conditions),
  },
  datasources: { db: { type: 'db', url: 'jdbc:postgresql://localhost/db' } },
};

const $ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const get = (schema: object): object => ({
  get: { responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } } },
});
/** Any value; `items` describes the elements if it is a list. */
const anyType = ['array', 'boolean', 'number', 'object', 'string'];
const description = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths: {
    ...Object.fromEntries(
      chunks.flatMap((_, index) => [
        [`/schema/${index}`, get({})],
        [`/mapped/${index}`, get({ type: 'array', items: $ref('Rows') })],
      ]),
    ),
    ...Object.fromEntries(conditions.map(([name]) => [name.replace('GET ', ''), get({})])),
  },
  components: {
    schemas: {
      Rows: {
        type: 'object',
        properties: { id: {}, ...numbered(chunks[0]?.map(() => ({})) ?? []), one: $ref('Maybe') },
      },
      // Half of the fields describe the elements of lists.
      Maybe: {
        type: 'object',
        properties: {
          id: {},
          ...numbered(
            chunks[0]?.map((_, index) => (index % 2 === 0 ? {} : { type: anyType, items: {} })) ?? [],
          ),
        },
      },
    },
  },
};

let files: readonly GeneratedFile[];

beforeAll(async () => {
  const compilation = await compile(
    {
      config: { path: 'config.yaml', text: JSON.stringify(config) },
      description: {
        source: { path: 'openapi.json', text: JSON.stringify(description) },
        read: () => undefined,
      },
    },
    assets,
  );
  if (compilation.files === undefined)
    throw new Error(
      compilation.diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message)
        .join('\n'),
    );
  files = compilation.files;
});

test('type-checks under the strict settings of the service', () => {
  expect(pairs.length).toBeGreaterThan(runs(125, 3000));
  expect(() => buildServices('operands-b', [{ name: 'operands', files }])).not.toThrow();
});
