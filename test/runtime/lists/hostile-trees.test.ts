/** Trees of user functions that pass on data of attackers, or are no trees. */
import { expect, test } from 'vitest';
import { ownFunction } from '../../../runtime/code/own-function.js';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { Filter } from '../../../runtime/lists/filter.js';
import { filterSql } from '../../../runtime/lists/filter-sql.js';
import { any } from '../../../runtime/validate/index.js';

const filter = new Filter({
  function: 'criteria',
  allow: {
    name: { column: 'name', type: 'string', operators: ['eq', 'ne', 'in', 'contains', 'null'] },
    n: { column: 'n', type: 'integer', operators: ['gte', 'lt'] },
    ids: { column: 'id', type: 'integer', operators: ['in'], plain: true, separator: ',' },
    ['__proto__']: { column: 'proto', type: 'string', operators: ['eq'] },
  },
});

/** The conditions of a result, which passes through the same checks as in a service. */
function conditions(result: unknown): ReturnType<Filter['conditions']> {
  const criteria = ownFunction<[], Json>({
    name: 'criteria',
    run: () => result as Json,
    input: [],
    returns: any(),
  });
  return filter.conditions(criteria());
}

function sqlOf(
  result: unknown,
  dialect: 'postgresql' | 'mysql' = 'postgresql',
): readonly [string, readonly unknown[]] {
  const { parts, values } = filterSql(conditions(result), dialect);
  return [parts.map((part) => (typeof part === 'string' ? part : '?')).join(''), values];
}

/** The status, and the message or the log. */
function refusal(result: unknown): readonly [number, unknown] {
  try {
    conditions(result);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.status, error.status === 500 ? error.details.log : error.message];
  }
  return [200, 'accepted'];
}

const a = { name: 'name', value: 'a' };
const b = { name: 'n', operator: 'lt', value: 3 };
const c = { name: 'ids', value: '1,2' };

test.each([
  [{ and: [a, b] }, 'list.name = ? AND list.n < ?'],
  [{ or: [a, b] }, 'list.name = ? OR list.n < ?'],
  [{ or: [a, { and: [b, c] }] }, 'list.name = ? OR (list.n < ? AND list.id = ANY(?))'],
  [{ and: [{ or: [a, b] }, c] }, '(list.name = ? OR list.n < ?) AND list.id = ANY(?)'],
  [{ not: { or: [a, { not: b }] } }, 'NOT (list.name = ? OR NOT (list.n < ?))'],
  [{ and: [{ or: [] }, { and: [] }, { or: [a] }] }, 'FALSE AND TRUE AND list.name = ?'],
  [{ name: '__proto__', value: 'x' }, 'list.proto = ?'],
])('%j', (tree, sql) => {
  expect(sqlOf(tree)[0]).toBe(sql);
});

test('null and an empty AND are no condition', () => {
  expect(conditions(null)).toEqual([]);
  expect(conditions({ and: [] })).toEqual([]);
});

test.each(['postgresql', 'mysql'] as const)('strings are only values on %s', (dialect) => {
  const evil = "'); DROP TABLE t; --";
  const tree = {
    or: [{ name: 'name', operator: 'contains', value: evil }, { not: { name: 'name', value: '`"' } }],
  };
  expect(sqlOf(tree, dialect)).toEqual([
    dialect === 'mysql'
      ? "LOWER(list.name) LIKE LOWER(?) ESCAPE '|' OR NOT (list.name = ?)"
      : "list.name ILIKE ? ESCAPE '|' OR NOT (list.name = ?)",
    [`%${evil}%`, '`"'],
  ]);
});

test('different trees have different forms', () => {
  const trees = [
    { and: [a, b, c] },
    { and: [a, { or: [b, c] }] },
    { or: [{ and: [a, b] }, c] },
    { or: [a, b, c] },
    { and: [{ or: [a, b] }, c] },
    { or: [a, { and: [b, c] }] },
    { not: { and: [a, b, c] } },
    { and: [{ not: a }, b, c] },
    { and: [{ not: { and: [a, b] } }, c] },
    { and: [{ or: [] }, a, b, c] },
    { and: [{ and: [] }, a, b, c] },
  ];
  const written = trees.map((tree) => filterSql(conditions(tree), 'mysql'));
  expect(new Set(written.map(({ form }) => form)).size).toBe(trees.length);
  const same = filterSql(conditions({ and: [{ name: 'name', value: 'z' }, b, c] }), 'mysql');
  expect(same.form).toBe(written[0]?.form);
});

const notNode = 'the result is not {and: […]}, {or: […]}, {not: …} or {name, operator, value}';

function nested(depth: number): object {
  let node: object = a;
  for (let level = 1; level < depth; level += 1) node = { not: node };
  return node;
}

const cycle: Record<string, unknown> = {};
cycle['and'] = [a, cycle];

test('a getter is read once', () => {
  const names = ['name', 'secret'];
  const changing = {
    get name() {
      return names.shift();
    },
    value: 'a',
  };
  expect(sqlOf(changing)).toEqual(['list.name = ?', ['a']]);
  expect(names).toEqual(['secret']);
});

test.each([
  ['50 nodes', { or: Array.from({ length: 49 }, () => a) }, 200, undefined, undefined],
  [
    '51 nodes',
    { or: Array.from({ length: 50 }, () => a) },
    500,
    '/or/49',
    'the result has more than 50 nodes',
  ],
  ['an AND of 10,000', { and: Array.from({ length: 10_000 }, () => a) }, 500, '/and/49', undefined],
  ['50 levels', nested(50), 200, undefined, undefined],
  ['51 levels', nested(51), 500, '/not'.repeat(50), 'the result has more than 50 nodes'],
  ['100,000 levels', nested(100_000), 500, undefined, 'the result is inside more than 1000 others'],
  ['a cycle', cycle, 500, '/and/1', 'the result contains itself'],
  ['a function', { name: 'name', value: () => 'a' }, 500, '/value', 'the result is a function'],
  ['a proxy', new Proxy(a, {}), 500, '', 'the result is a Proxy'],
  ['a promise', Promise.resolve(a), 500, '', undefined],
  ['an instance of a class', { not: new Map([['name', 'a']]) }, 500, '/not', undefined],
  ['undefined', undefined, 500, '', 'the result is undefined'],
  ['an inherited name', Object.create(a), 500, '', 'the result is an instance of a class'],
  ['a list', [a], 500, '', notNode],
  ['a string', 'name = 1', 500, '', notNode],
  ['an empty object', {}, 500, '', notNode],
  ['null inside', { and: [a, null] }, 500, '/and/1', notNode],
  ['not of null', { not: null }, 500, '/not', notNode],
  ['AND of an object', { and: a }, 500, '/and', 'the result is not a list'],
  ['two keys', { and: [a], or: [b] }, 500, '', notNode],
  ['another key', { ...a, sql: 'TRUE' }, 500, '', notNode],
  ['a key __proto__', { ...a, ['__proto__']: 'x' }, 500, '', notNode],
  ['only __proto__', JSON.parse('{"__proto__": []}') as object, 500, '', notNode],
  ['a condition without a value', { name: 'name', operator: 'eq' }, 500, '', notNode],
  [
    'a name that is not allowed',
    { or: [{ name: 'secret', value: 1 }] },
    500,
    '/or/0/name',
    "the result is not a name of 'allow'",
  ],
  [
    'a name of a prototype',
    { name: 'constructor', value: 1 },
    500,
    '/name',
    "the result is not a name of 'allow'",
  ],
  [
    'an operator that is not allowed',
    { ...b, operator: 'gt' },
    500,
    '/operator',
    'the result is not one of gte, lt',
  ],
  ['an operator of a prototype', { ...b, operator: 'toString' }, 500, '/operator', undefined],
  ['SQL as an operator', { ...b, operator: '= 1 OR 1 =' }, 500, '/operator', undefined],
  ['null as an operator', { ...a, operator: null }, 500, '/operator', undefined],
  ['no equality', { name: 'n', value: 3 }, 500, '/operator', undefined],
  ['an operator of a plain name', { ...c, operator: 'eq' }, 500, '/operator', undefined],
] as const)('%s', (_name, result, status, pointer, reason) => {
  const [found, log] = refusal(result);
  expect(found).toBe(status);
  if (status === 500)
    expect(log).toMatchObject({
      function: 'criteria',
      ...(pointer === undefined ? {} : { pointer }),
      ...(reason === undefined ? {} : { reason }),
    });
});

test.each([
  [
    'a number with SQL',
    { not: { ...b, value: '1 OR 1=1' } },
    "The filter 'n[lt]' does not fit: expected an integer",
  ],
  ['null', { name: 'name', value: null }, "The filter 'name' does not fit: expected a string"],
  ['a list', { name: 'name', value: ['a'] }, "The filter 'name' does not fit: expected a string"],
  ['an object', { name: 'name', value: { eq: 'a' } }, "The filter 'name' does not fit: expected a string"],
  ['an empty element', { name: 'ids', value: '1,,2' }, "The filter 'ids' does not fit: expected an integer"],
  [
    '101 values',
    { name: 'name', operator: 'in', value: Array.from({ length: 101 }, () => 'a') },
    "The filter 'name[in]' does not fit: expected at most 100 values",
  ],
])('%s is an error of the request', (_name, tree, message) => {
  expect(refusal(tree)).toEqual([400, message]);
});
