/** What compiles gives a service that type-checks: every operand beside every other, and names that collide everywhere. */
import { beforeAll, describe, expect, test } from 'vitest';
import { buildServices } from '../helpers/service-build.js';
import type { GeneratedFile } from '../../compiler/emit/file.js';
import { filesOf, textOf } from './compile-text.js';

const url = 'jdbc:postgresql://localhost/db';

/** Each stands for a kind of value that the emitters tell apart. */
const operands = [
  'TEXT(abc)',
  'TEXT(5)',
  'TEXT(true)',
  'INTEGER(-1)',
  'DECIMAL(1.5)',
  'BOOLEAN(true)',
  'NULL()',
  'PARAM(x)',
  'BODY()',
  'BODY($.a)',
  'VALUE(rows, $)',
  'VALUE(rows, $.a)',
  'VALUE(rows, $.constructor)',
  'VALUE(rows, $[0])',
  'VALUE(rows, $[-1].a)',
  'VALUE(rows, $[*].a)',
  'VALUE(maybe, $)',
  'VALUE(maybe, $.a.b)',
  'SIZE(VALUE(rows, $))',
  'SIZE(VALUE(maybe, $))',
  'SIZE(PARAM(x))',
  'VALUE(@, $)',
  'VALUE(@, $.a)',
];
const operators = ['==', '!=', '<', '<=', '>', '>='];
const pairs = operands.flatMap((left) =>
  operators.flatMap((operator) => operands.map((right) => `${left} ${operator} ${right}`)),
);
const combined = operands.flatMap((operand) => [
  operand,
  `!(${operand})`,
  `${operand} && PARAM(x)`,
  `PARAM(x) || ${operand}`,
]);

function numbered(expressions: readonly string[]): object {
  return Object.fromEntries(expressions.map((expression, index) => [`e${index}`, expression]));
}

const expressions = {
  specification: '1.0',
  operations: {
    'GET /pairs': {
      fulfillments: [
        { name: 'rows', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1' }] },
        {
          name: 'maybe',
          type: 'READ',
          datasource: 'db',
          if: 'PARAM(x)',
          instructions: [{ query: 'SELECT 1' }],
        },
      ],
      responses: [
        {
          name: 'ok',
          default: true,
          statuscode: 200,
          schema: { list: 'VALUE(rows, $)', item: { ...numbered([...pairs, ...combined]) } },
        },
      ],
    },
    ...Object.fromEntries(
      operands
        .filter((operand) => !operand.includes('@'))
        .map((operand, index) => [`GET /condition/${index}`, conditional(operand)]),
    ),
  },
  datasources: { db: { type: 'db', url } },
};

/** An operation with the operand in every condition. */
function conditional(operand: string): object {
  const outside = operand.includes('VALUE(') ? 'PARAM(x)' : operand;
  const query = 'SELECT 1';
  return {
    fulfillments: [
      { name: 'rows', type: 'READ', datasource: 'db', instructions: [{ query }] },
      {
        name: 'maybe',
        type: 'READ',
        datasource: 'db',
        if: outside,
        instructions: [{ if: outside, query }, { query }],
      },
      {
        name: 'last',
        type: 'UPDATE',
        datasource: 'db',
        if: operand,
        instructions: [
          { if: operand, query: 'DELETE FROM t' },
          { if: `!(${operand})`, query: `DELETE FROM t WHERE x IN (:[${operand}], 2)` },
        ],
        exceptions: [{ if: operand, statuscode: 400, message: `because :[${operand}]` }],
      },
    ],
    responses: [
      { name: 'other', default: false, if: operand, statuscode: 201 },
      {
        name: 'ok',
        default: true,
        statuscode: 200,
        schema: { a: operand, b: { list: operand, item: operand } },
      },
    ],
  };
}

/** Names that the generated modules use themselves, or that meet in one identifier. */
const awkward = [
  ...[
    'reply',
    'fail',
    'get',
    'sql',
    'value',
    'more',
    'size',
    'equal',
    'call',
    'operation',
    'router',
    'datasources',
  ],
  ...[
    'postgres',
    'mysql',
    'item',
    'item2',
    'class',
    'await',
    'undefined',
    'Promise',
    'row',
    'json',
    'Call',
    'every',
  ],
  ...[
    'newsDb',
    'news db',
    'newsdb',
    'news-db',
    'select',
    'selectNews',
    'getA',
    'Get a',
    'con',
    'CON',
    '1st',
    'žluť',
    'zlut',
  ],
];

function awkwardOperation(datasource: string): object {
  const read = (name: string): object => ({
    name,
    type: 'READ',
    datasource,
    instructions: [{ query: 'SELECT 1 AS a' }],
  });
  return {
    fulfillments: awkward.map(read),
    responses: [
      {
        name: 'ok',
        default: true,
        statuscode: 200,
        schema: {
          list: 'VALUE(item, $)',
          item: {
            list: 'VALUE(item2, $)',
            item: numbered(['VALUE(@, $.b)', ...awkward.map((name) => `VALUE("${name}", $.a)`)]),
          },
        },
      },
    ],
  };
}

const endpoints = [
  ...['GET /A', 'GET /a', 'GET /a/', 'GET /a/{b}'],
  ...['GET /a-by-b', 'POST /', 'POST /root', 'PUT /%C3%A9'],
];

const collisions = {
  specification: '1.0',
  operations: {
    ...Object.fromEntries(awkward.map((name) => [name, awkwardOperation(name)])),
    ...Object.fromEntries(endpoints.map((name) => [name, awkwardOperation('getA')])),
  },
  datasources: Object.fromEntries(
    // Those that would share variables of the environment are no configuration.
    awkward
      .filter((name) => !['CON', 'newsDb', 'news db', 'Call', 'Get a', 'zlut'].includes(name))
      .map((name) => [name, { type: 'db', url }]),
  ),
};
const replaced = new Map([
  ['CON', 'con'],
  ['newsDb', 'newsdb'],
  ['news db', 'news-db'],
  ['Call', 'call'],
  ['Get a', 'getA'],
  ['zlut', 'žluť'],
]);

let services: readonly { readonly name: string; readonly files: readonly GeneratedFile[] }[];

beforeAll(async () => {
  const text = JSON.stringify(collisions).replaceAll(/"datasource":"([^"]*)"/g, (whole, name: string) =>
    replaced.has(name) ? `"datasource":"${replaced.get(name) ?? ''}"` : whole,
  );
  services = [
    { name: 'expressions', files: await filesOf(expressions) },
    { name: 'collisions', files: await filesOf(text) },
  ];
});

describe('under the strict settings of the service', () => {
  test('every operand beside every other, and every collision of names, type-checks', () => {
    expect(pairs.length).toBeGreaterThan(3000);
    expect(() => buildServices('type-check', services)).not.toThrow();
  });

  test('a list in a list keeps its elements apart from fulfillments named like them', () => {
    const code = textOf(services[1]?.files ?? [], 'src/operations/item.ts');
    expect(code).toContain(
      'return reply(\n    200,\n    itemResult.map(() =>\n      item2Result.map((item2) => ({',
    );
    expect(code).toContain('e0: item2.b ?? null');
  });

  test('operations that differ in letter case, or meet in one name, have a module each', () => {
    const files = services[1]?.files.filter(({ path }) => path.startsWith('src/operations/')) ?? [];
    expect(files.length).toBe(awkward.length + endpoints.length);
    expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length);
  });
});
