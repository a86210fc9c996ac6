/** Services that compile also type-check: every operand combined with every other, and names that collide everywhere. */
import { beforeAll, describe, expect, test } from 'vitest';
import { comparisons, runs } from '../helpers/runs.js';
import { buildServices } from '../helpers/service-build.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { isOperationOrImport, typeErrors } from '../helpers/type-check.js';
import { filesOf, textOf } from './compile-text.js';

const url = 'jdbc:postgresql://localhost/db';

/** Operands that must not be used as lists. */
const isNoList = /^(?:TEXT|INTEGER|DECIMAL|BOOLEAN|SIZE)\(/;

/** An example of each kind of value that the emitters distinguish. */
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
  'VALUE_BY_INDEX(stored, TEXT(a), $)',
  'VALUE_BY_INDEX(stored, TEXT(a), $.a)',
  'VALUE_BY_INDEX(stored, TEXT(a), $[*].a)',
];

const storing = {
  name: 'storing',
  type: 'LOOP',
  loop: 'LIST(2)',
  fulfillments: [
    {
      ...{ name: 'stored', type: 'READ', datasource: 'db', index: 'VALUE(@, $)' },
      instructions: [{ query: 'SELECT 1' }],
    },
  ],
};

const pairs = comparisons(operands, [
  ['==', '!='],
  ['<', '<=', '>', '>='],
]);
const combined = operands.flatMap((operand) => [
  operand,
  `!(${operand})`,
  `${operand} && PARAM(x)`,
  `PARAM(x) == TEXT(a) || !(${operand})`,
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
        storing,
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
  const outside = /VALUE(_BY_INDEX)?\(/.test(operand) ? 'PARAM(x)' : operand;
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
      storing,
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
        schema: { a: operand, b: { list: isNoList.test(operand) ? 'PARAM(x)' : operand, item: operand } },
      },
    ],
  };
}

/** Values that TypeScript may narrow after a comparison: variables and their fields. */
const subjects = [
  'SIZE(VALUE(rows, $))',
  'SIZE(VALUE(maybe, $))',
  'VALUE(rows, $[0])',
  'VALUE(rows, $[1].a)',
  'VALUE(rows, $.a)',
  'VALUE(called, $)',
  'BODY()',
  'STATUS(answer)',
  'VALUE(each, $)',
  'VALUE(each, $.a)',
  'VALUE(numbers, $)',
];
const constants = ['INTEGER(0)', 'INTEGER(1)', 'TEXT(a)', 'TEXT(b)', 'TEXT(1)', 'BOOLEAN(true)', 'NULL()'];

function comparisonsOf(subject: string): string[] {
  return constants.flatMap((constant) => [`${subject} == ${constant}`, `${subject} != ${constant}`]);
}

/** Conditions of each kind, to be evaluated first. */
function firstOf(subject: string): string[] {
  const plain = comparisonsOf(subject).filter((comparison) => /INTEGER\(0\)|TEXT\(a\)|NULL/.test(comparison));
  return [...plain, `${subject} == TEXT(a) || ${subject} == INTEGER(0)`];
}

/** Every comparison of a subject after every other one: after an exception, in its message, and in a branch. */
function narrowed(subject: string, condition: string): object {
  const query = 'SELECT * FROM t';
  const after = comparisonsOf(subject);
  const read = (name: string, more: object = {}): object => ({
    ...{ name, type: 'READ', datasource: 'db', instructions: [{ query }] },
    ...more,
  });
  const markers = after.map((expression) => `:[${expression}]`).join(', ');
  const innermost = [
    read('step', {
      exceptions: [{ if: condition, statuscode: 400, message: `because :[${subject}] ${markers}` }],
    }),
    read('probe', { instructions: [{ if: condition, query }, { query: `SELECT ${markers}` }] }),
  ];
  return {
    fulfillments: [
      read('rows'),
      read('maybe', { if: 'PARAM(x)' }),
      read('answer', { datasource: 'api', instructions: [{ request: { url: '/', httpType: 'GET' } }] }),
      { name: 'called', type: 'reference', operationName: 'called' },
      {
        name: 'each',
        type: 'LOOP',
        loop: 'BODY($.list)',
        fulfillments: [{ name: 'numbers', type: 'LOOP', loop: 'LIST(3)', fulfillments: innermost }],
      },
    ],
    responses: [
      {
        name: 'ok',
        default: true,
        statuscode: 200,
        schema: { status: 'STATUS(answer)', called: 'VALUE(called, $)' },
      },
    ],
  };
}

const narrowing = {
  specification: '1.0',
  operations: {
    called: {
      fulfillments: [{ name: 'one', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1' }] }],
      responses: [{ name: 'ok', default: true, statuscode: 200, schema: { one: 'VALUE(one, $)' } }],
    },
    ...Object.fromEntries(
      subjects.flatMap((subject, at) =>
        firstOf(subject).map((condition, index) => [
          `POST /narrowed/${at}/${index}`,
          narrowed(subject, condition),
        ]),
      ),
    ),
  },
  datasources: { db: { type: 'db', url }, api: { type: 'rest', url: 'http://localhost' } },
};

/** Names that generated modules use themselves, or that become the same identifier. */
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
    instructions: [{ query: 'SELECT * FROM t' }],
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
    // Names that would share environment variables are an invalid configuration.
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
  test('every operand with every other, and every collision of names, type-checks', () => {
    expect(pairs.length).toBeGreaterThan(runs(250, 3000));
    expect(() => buildServices('type-check', services)).not.toThrow();
  });

  test('every comparison of a subject after every other one of it type-checks', async () => {
    const files = await filesOf(narrowing);
    expect(files.filter(({ path }) => path.includes('post-narrowed')).length).toBeGreaterThan(70);
    expect(typeErrors([{ name: 'narrowing', files }], isOperationOrImport)).toEqual([]);
  });

  test('a list in a list keeps its elements apart from fulfillments named like them', () => {
    const code = textOf(services[1]?.files ?? [], 'src/operations/item.ts');
    expect(code).toMatch(/itemResult\b[^]*item2Result(?:\.map\(|,\s+)\(item2\) => \(\{/);
    expect(code).toContain('e0: item2.b ?? null');
  });

  test('operations that differ in letter case, or meet in one name, have a module each', () => {
    const files = services[1]?.files.filter(({ path }) => path.startsWith('src/operations/')) ?? [];
    expect(files.length).toBe(awkward.length + endpoints.length);
    expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length);
  });
});
