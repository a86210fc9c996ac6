/** The operations as a configuration and an API description: plain values, because JSON is valid YAML. */
import type { Expr } from '../language.js';
import { printExpr } from '../print.js';
import { keyOf } from './expressions.js';
import type { Database, LeafOperation } from './services.js';

export const columns = 'id, whole, big, price, name, note, digits, truth, flag, yes, day';

export const schema = `CREATE TABLE thing (id int PRIMARY KEY, whole int NOT NULL, big bigint, price decimal(9, 2), name varchar(20) NOT NULL,
  note varchar(20), digits varchar(20), truth varchar(20), flag boolean, yes boolean NOT NULL, day date);`;

export const seed = `INSERT INTO thing (${columns}) VALUES
  (0, 0, NULL, NULL, 'a', NULL, NULL, NULL, NULL, false, NULL),
  (1, 1, 9007199254740993, 1.5, 'b', 'b', '1', 'true', true, true, '2026-01-31'),
  (2, 2, 2, 2, 'true', '', '2.5', 'false', false, true, '2026-02-01'),
  (3, -7, 1, -0.25, '1', 'x', 'b', NULL, true, false, NULL);`;

/** The source of the user functions. */
export const code: Readonly<Record<string, string>> = {
  'src/code/facts.ts': `export const facts = ({ id }: { id: unknown }) => ({
    n: id === null ? 0 : String(id).length,
    maybe: id === '1' ? 'b' : null,
    list: id === '2' ? ['b', '1'] : [],
    ...(id === '3' ? {} : { deep: id === '1' ? { town: 'b' } : null }),
  });`,
  'src/code/echo.ts': 'export const echo = (input: unknown) => input;',
};

const facts = {
  type: 'object',
  required: ['n', 'list'],
  properties: {
    n: { type: 'integer' },
    maybe: { type: ['string', 'null'] },
    list: { type: 'array', items: { type: 'string' } },
    deep: { type: ['object', 'null'], required: ['town'], properties: { town: { type: 'string' } } },
  },
};

export function configOf(operations: readonly LeafOperation[]): object {
  const [first] = operations;
  const isTyped = first?.isTyped === true;
  const called = (['postgresql', 'mariadb'] as const).map((database): [string, object] => [
    `facts of ${database}`,
    {
      fulfillments: [step('A', 'row', database, select(isTyped, 'id = :[PARAM(id)]'))],
      responses: [
        respond({
          name: 'VALUE(row, $.name)',
          note: 'VALUE(row, $.note)',
          n: 'SIZE(VALUE(row, $))',
          row: 'VALUE(row, $[0])',
        }),
      ],
    },
  ]);
  const basic = {
    'key holder': {
      fulfillments: [
        step('A', 'row', 'postgresql', select(isTyped, 'id = :[QUERY(id)] AND name <> :[PARAM(key)]')),
      ],
      responses: [
        respond({
          sub: 'TEXT(u)',
          role: 'COALESCE(VALUE(row, $.note), TEXT(b))',
          nothing: 'VALUE(row, $.truth)',
        }),
      ],
    },
    'echo of a body': { responses: [respond('BODY()')] },
  };
  return {
    specification: '1.0',
    operations: Object.fromEntries([
      ...operations.map((operation): [string, object] => [`POST /o${operation.number}`, printed(operation)]),
      ...called,
      ...Object.entries(basic),
    ]),
    datasources: {
      postgresql: { type: 'db', url: 'jdbc:postgresql://localhost/db' },
      mariadb: { type: 'db', url: 'jdbc:mariadb://localhost/db' },
      party: { type: 'rest', url: '${PARTY_URL}' },
    },
    authentications: { keys: { type: 'apikey', header: 'X-Key', default: true, operation: 'key holder' } },
  };
}

function respond(body: unknown): object {
  return { name: 'ok', default: true, statuscode: 200, schema: body };
}

/** A typed statement lists the columns of its table; other statements could return any columns. */
function select(isTyped: boolean, where: string): string {
  const plain = `SELECT ${columns} FROM thing`;
  return isTyped ? `${plain} WHERE ${where}` : `SELECT * FROM (${plain}) AS things WHERE ${where}`;
}

function step(syntax: 'A' | 'B', name: string, datasource: string, query: string, rest: object = {}): object {
  return {
    name,
    type: 'READ',
    datasource,
    [syntax === 'A' ? 'instructions' : 'queries']: [{ query }],
    ...rest,
  };
}

const request = (url: string, rest: object = {}): object => ({
  type: 'READ',
  datasource: 'party',
  instructions: [{ request: { url, httpType: 'GET', ...rest } }],
});

/** A computed value of the first row. */
function madeOf(isA: boolean): object {
  return isA
    ? {
        ...{
          n: 'LENGTH(VALUE(one, $.name))',
          note: 'VALUE(one, $.note)',
          row: 'VALUE(one, $[0])',
          none: 'NULL()',
        },
        texts: { list: 'VALUE(one, $)', item: { t: 'LOWER(VALUE(@, $.name))' } },
      }
    : { n: 'length(one.name)', note: 'one.note', row: 'one[0]', none: 'null' };
}

/** The fulfillments needed by the leaves, in order. */
function worldOf({ syntax, database, isTyped, leaves, position }: LeafOperation): object[] {
  const isA = syntax === 'A';
  const id = isA ? 'QUERY(id)' : 'query.id';
  const read = (name: string, where: string, rest: object = {}): object =>
    step(syntax, name, database, select(isTyped, where), rest);
  const returning = database === 'postgresql' ? ` RETURNING ${columns}` : '';
  const world: readonly (readonly [string, () => object])[] = [
    ['one', () => read('one', `id = :[${id}]`)],
    ['maybe', () => read('maybe', `id = :[${id}]`, { if: isA ? 'QUERY(y) != NULL()' : 'query.y != null' })],
    ['all', () => read('all', 'id >= 0 ORDER BY id')],
    ['none', () => read('none', 'id < 0')],
    [
      'skipped',
      () => read('skipped', 'id >= 0 ORDER BY id', { if: isA ? 'QUERY(t) == TEXT(b)' : "query.t == 'b'" }),
    ],
    [
      'changed',
      () => ({
        ...step('A', 'changed', database, `UPDATE thing SET whole = whole WHERE id = :[${id}]${returning}`),
        type: 'UPDATE',
      }),
    ],
    ['made', () => ({ name: 'made', type: 'COMPUTE', schema: madeOf(isA) })],
    [
      'perhaps',
      () => ({
        ...{ name: 'perhaps', type: 'COMPUTE', schema: madeOf(isA) },
        if: isA ? 'QUERY(y) != NULL()' : 'query.y != null',
      }),
    ],
    ['facts', () => ({ name: 'facts', type: 'CODE', function: 'facts', input: { id }, returns: facts })],
    ['api', () => ({ name: 'api', ...request(`/thing?id=:[CONCAT(${id})]`) })],
    ['failed', () => ({ name: 'failed', ...request(`/fail?id=:[CONCAT(${id})]`), onFailure: 'continue' })],
    [
      'called',
      () => ({
        name: 'called',
        type: 'reference',
        operationName: `facts of ${database}`,
        parameters: { id },
      }),
    ],
    [
      'page',
      () => ({
        ...step(syntax, 'page', database, select(isTyped, 'id >= 0')),
        order: { allow: { id: 'id' }, default: 'id', key: 'id' },
        page: { max: 2, after: isA ? 'QUERY(after)' : 'query.after' },
      }),
    ],
    [
      'each',
      () => ({
        name: 'each',
        type: 'LOOP',
        loop: 'LIST(3)',
        fulfillments: [read('item', 'id = :[VALUE(each, $)]', { index: 'VALUE(each, $)' })],
      }),
    ],
  ];
  const needed = new Set(leaves.flatMap(({ needs }) => needs));
  if (position === 'item' || position === 'loop') needed.add('all');
  return world.filter(([name]) => needed.has(name)).map(([, make]) => make());
}

function printed(operation: LeafOperation): object {
  const { syntax, database, position, leaves, expressions } = operation;
  const print = (expr: Expr): string => printExpr(expr, syntax);
  const read = Object.fromEntries(leaves.map((one, at) => [`l${at}`, keyOf(one)]));
  const found = Object.fromEntries(expressions.map((expr, at) => [`e${at}`, print(expr)]));
  const both = { leaves: read, found };
  const world = worldOf(operation);
  const [first] = expressions;
  const text = first === undefined ? '' : `:[${print(first)}]`;
  switch (position) {
    case 'response':
      return { fulfillments: world, responses: [{ ...respond(both), header: [`X-First: v${text}`] }] };
    case 'mapping': {
      const fields = Object.fromEntries([...Object.entries(read), ...Object.entries(found)]);
      return {
        fulfillments: [...world, step('B', 'start', database, 'SELECT 1 AS x')],
        mappings: { [`Found${operation.number}`]: { start: 'start.x', ...fields } },
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
      };
    }
    case 'item':
      return { fulfillments: world, responses: [respond({ list: 'VALUE(all, $)', item: both })] };
    case 'loop': {
      const echoed = {
        ...{ name: 'echoed', type: 'reference', operationName: 'echo of a body', parameters: { body: both } },
        index: 'VALUE(around, $.id)',
      };
      return {
        fulfillments: [
          ...world,
          { name: 'around', type: 'LOOP', loop: 'VALUE(all, $)', fulfillments: [echoed] },
        ],
        responses: [respond({ list: 'VALUE(all, $)', item: 'VALUE_BY_INDEX(echoed, VALUE(@, $.id), $)' })],
      };
    }
    case 'exception': {
      const end = step('A', 'end', database, 'SELECT 1 AS x', {
        exceptions: [
          {
            ...{ if: 'QUERY(id) != NULL()', statuscode: 418, message: `v${text}` },
            schema: { ...both, first: 'ERROR($.message)' },
          },
        ],
      });
      return { fulfillments: [...world, end], responses: [respond('NULL()')] };
    }
    case 'code':
      return {
        fulfillments: [
          ...world,
          { name: 'echo', type: 'CODE', function: 'echo', input: both, returns: { type: 'object' } },
        ],
        responses: [respond(syntax === 'A' ? 'VALUE(echo, $)' : 'echo')],
      };
    case 'computed': {
      const isA = syntax === 'A';
      // Half of them are skipped where their `if` is false, which it never is.
      const condition =
        operation.number % 2 === 0 ? {} : { if: isA ? 'QUERY(id) != NULL()' : 'query.id != null' };
      const parts = isA
        ? { leaves: 'VALUE(whole, $.leaves)', found: 'VALUE(whole, $.found)' }
        : { leaves: 'whole.leaves', found: 'whole.found' };
      return {
        fulfillments: [...world, { name: 'whole', type: 'COMPUTE', schema: both, ...condition }],
        responses: [respond(parts)],
      };
    }
    case 'request': {
      const body = { contentType: 'json', schema: both };
      const sent = { name: 'sent', ...request('/echo', { httpType: 'POST', body }), type: 'UPDATE' };
      return { fulfillments: [...world, sent], responses: [respond('VALUE(sent, $)')] };
    }
    case 'conditions': {
      const tests = expressions.map((expr, at) => conditionOf(print(expr), at, database));
      const shown = Object.fromEntries(tests.map(({ shows }, at) => [`e${at}`, shows]));
      const body = { leaves: read, found: shown };
      const [last, other] = [expressions.at(-1), expressions.at(-2)];
      const ends = step('A', 'end', database, 'SELECT 1 AS x', {
        exceptions: [
          {
            if: print(last ?? true_),
            statuscode: 418,
            message: 'last',
            schema: { ...body, last: 'BOOLEAN(true)' },
          },
        ],
      });
      return {
        fulfillments: [...world, ...tests.map(({ does }) => does), ends],
        responses: [
          {
            ...{ name: 'other', default: false, if: print(other ?? true_), statuscode: 203 },
            schema: { ...body, last: 'BOOLEAN(false)', other: 'BOOLEAN(true)' },
          },
          respond({ ...body, last: 'BOOLEAN(false)', other: 'BOOLEAN(false)' }),
        ],
      };
    }
    case 'texts': {
      const tests = expressions.map((expr, at) => textOf(print(expr), at, database));
      const shown = Object.fromEntries(tests.map(({ shows }, at) => [`e${at}`, shows]));
      return {
        fulfillments: [...world, ...tests.map(({ does }) => does)],
        responses: [respond({ leaves: read, found: shown })],
      };
    }
  }
}

const true_: Expr = { is: 'constant', value: true };

/** A fulfillment with the condition, and an expression that is true if the condition held. */
function conditionOf(condition: string, at: number, database: Database): { does: object; shows: string } {
  const name = `c${at}`;
  const always = (query: string, rest: object = {}): object => step('A', name, database, query, rest);
  switch (at % 3) {
    case 0:
      return {
        does: always('SELECT 1 AS x', { if: condition }),
        shows: `SIZE(VALUE(${name}, $)) == INTEGER(1)`,
      };
    case 1: {
      const instructions = [{ if: condition, query: 'SELECT 1 AS x' }, { query: 'SELECT 2 AS x' }];
      return { does: { ...always(''), instructions }, shows: `VALUE(${name}, $.x) == INTEGER(1)` };
    }
    default: {
      const inner = [
        step('A', `b${at}`, database, 'SELECT 1 AS x', { loopbreak: [condition] }),
        always('SELECT 1 AS x', { index: 'INTEGER(0)' }),
      ];
      const does = { name: `loop${at}`, type: 'LOOP', loop: 'LIST(1)', fulfillments: inner };
      return { does, shows: `VALUE_BY_INDEX(${name}, INTEGER(0), $) == NULL()` };
    }
  }
}

/** A fulfillment with the expression in a string, and an expression whose value is that string, prefixed by `v`. */
function textOf(value: string, at: number, database: Database): { does: object; shows: string } {
  const name = `t${at}`;
  const echo = (url: string, rest: object = {}): object => ({ name, ...request(url, rest) });
  switch (at % 4) {
    case 0:
      return { does: echo(`/echo?q=v:[CONCAT(${value})]`), shows: `VALUE(${name}, $.q)` };
    case 1:
      return { does: echo('/echo', { header: [`X-E: v:[${value}]`] }), shows: `VALUE(${name}, $.header)` };
    case 2: {
      const type = database === 'postgresql' ? 'text' : 'char(500)';
      const query = `SELECT CAST(:[CONCAT(TEXT(v), ${value})] AS ${type}) AS x`;
      return { does: step('A', name, database, query), shows: `VALUE(${name}, $.x)` };
    }
    default:
      return {
        does: {
          name,
          type: 'reference',
          operationName: 'echo of a body',
          parameters: { body: { x: value } },
        },
        shows: `CONCAT(TEXT(v), VALUE(${name}, $.x))`,
      };
  }
}

const typedBody = {
  type: 'object',
  required: ['n', 'maybe', 'who'],
  properties: {
    n: { type: 'integer' },
    maybe: { type: ['number', 'null'] },
    t: { type: 'string' },
    kind: { enum: ['a', 'b', 'c'] },
    flag: { type: 'boolean' },
    off: { type: ['boolean', 'null'] },
    list: { type: 'array' },
    map: { type: 'object' },
    tags: { type: 'array', items: { type: 'string' } },
    rows: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      },
    },
    who: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        home: { type: ['object', 'null'], required: ['town'], properties: { town: { type: 'string' } } },
      },
    },
  },
};

export function descriptionOf(operations: readonly LeafOperation[]): object {
  const text = (name: string, place = 'query', type: object = { type: 'string' }): object => ({
    name,
    in: place,
    schema: type,
  });
  const parameters = [
    ...['id', 'y', 't', 'none', 'after'].map((name) => text(name)),
    text('many', 'query', { type: 'array', items: { type: 'string' } }),
    text('x', 'query', { type: 'integer' }),
    text('x-note', 'header'),
    text('c', 'cookie'),
  ];
  const mapped = operations.filter(({ position }) => position === 'mapping');
  return {
    openapi: '3.1.0',
    info: { title: 'leaves', version: '1' },
    paths: Object.fromEntries(
      operations.map(({ number, position }) => {
        const model = {
          content: { 'application/json': { schema: { $ref: `#/components/schemas/Found${number}` } } },
        };
        const ok = { description: 'ok', ...(position === 'mapping' ? model : {}) };
        return [
          `/o${number}`,
          {
            post: {
              parameters,
              requestBody: { content: { 'application/json': { schema: typedBody } } },
              responses: { 200: ok },
            },
          },
        ];
      }),
    ),
    components: {
      schemas: Object.fromEntries(
        mapped.map(({ number, leaves, expressions }) => {
          const names = [...leaves.map((_, at) => `l${at}`), ...expressions.map((_, at) => `e${at}`)];
          const properties = Object.fromEntries(['start', ...names].map((name) => [name, {}]));
          return [`Found${number}`, { type: 'object', properties }];
        }),
      ),
    },
  };
}
