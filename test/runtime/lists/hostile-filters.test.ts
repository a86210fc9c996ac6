/** Filters of attackers: names, operators and values that could become SQL, reach a prototype, or cost much. */
import { expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { Filter } from '../../../runtime/lists/filter.js';
import { filterSql } from '../../../runtime/lists/filter-sql.js';
import { hideParameter, queryMap } from '../../../runtime/http/query-map.js';
import { parseQuery } from '../../../runtime/http/request-target.js';
import { testCall } from '../../helpers/test-call.js';

const filter = new Filter({
  from: 'query',
  allow: {
    name: { column: 'name', type: 'string', operators: ['eq', 'ne', 'in', 'contains', 'null'] },
    n: { column: 'n', type: 'integer', operators: ['gte', 'lt'] },
    ids: { column: 'id', type: 'integer', operators: ['in'], plain: true, separator: ',' },
    ['__proto__']: { column: 'proto', type: 'string', operators: ['eq'] },
  },
  others: ['limit'],
});

const plain = new Filter({
  from: 'query',
  allow: Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `f${index}`,
      { column: `f${index}`, type: 'string' as const, operators: ['eq' as const] },
    ]),
  ),
});

/** The filter as a request with this query sends it. */
function asked(query: string): Json {
  return queryMap({ ...testCall(), queries: () => parseQuery(query).all() });
}

function sqlOf(
  query: string,
  dialect: 'postgresql' | 'mysql' = 'postgresql',
): readonly [string, readonly unknown[]] {
  const { parts, values } = filterSql(filter.conditions(asked(query)), dialect);
  return [parts.map((part) => (typeof part === 'string' ? part : '?')).join(''), values];
}

function refusal(value: () => unknown): string {
  try {
    value();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return error.message;
    throw error;
  }
  return 'accepted';
}

const allowed =
  'expected name, name[ne], name[in], name[contains], name[null], n[gte], n[lt], ids, __proto__, limit';

test.each([
  ['constructor=1', `'constructor' is not a filter: ${allowed}`],
  ['toString[eq]=1', `'toString' is not a filter: ${allowed}`],
  ['hasOwnProperty=1&valueOf=2', `'hasOwnProperty', 'valueOf' are not filters: ${allowed}`],
  ["name'%3B--=1", `'name';--' is not a filter: ${allowed}`],
  ['NAME=1', `'NAME' is not a filter: ${allowed}`],
  ['proto=1', `'proto' is not a filter: ${allowed}`],
  [
    'name[constructor]=1',
    "'name[constructor]' is not a filter: expected name, name[ne], name[in], name[contains], name[null]",
  ],
  [
    'name[__proto__]=1',
    "'name[__proto__]' is not a filter: expected name, name[ne], name[in], name[contains], name[null]",
  ],
  [
    'name[%3D 1 OR 1%3D1 --]=1',
    "'name[= 1 OR 1=1 --]' is not a filter: expected name, name[ne], name[in], name[contains], name[null]",
  ],
  ['name[EQ]=1', "'name[EQ]' is not a filter: expected name, name[ne], name[in], name[contains], name[null]"],
  [
    'name[eq][eq]=1',
    "The value of query parameter 'name[eq]' does not fit: expected a string".replace('[eq]', ''),
  ],
  ['name[in][0][0]=1', "The value of query parameter 'name[in]' does not fit: expected a string"],
  ['name[eq]=1&name[eq]=2', "The value of query parameter 'name' does not fit: expected a string"],
  [
    'name=1&name[eq]=1',
    "The parameter 'name' must be written in one way: repeated, as a list or as an object",
  ],
  ['name[=1', "The parameter 'name' must not be written as 'name['"],
  ['n[gte]=1;DROP TABLE t', "The value of query parameter 'n[gte]' does not fit: expected an integer"],
  ['n[gte]=1e3', "The value of query parameter 'n[gte]' does not fit: expected an integer"],
  ['n[gte]=0x10', "The value of query parameter 'n[gte]' does not fit: expected an integer"],
  ['n[gte]=%201', "The value of query parameter 'n[gte]' does not fit: expected an integer"],
  ['n=1', "The value of query parameter 'n' does not fit: expected one of n[gte], n[lt]"],
  ['ids[in]=1', "The value of query parameter 'ids' does not fit: expected an integer"],
  ['ids=1,,2', "The value of query parameter 'ids' does not fit: expected an integer"],
  ['name=%00', "The value of query parameter 'name' does not fit: expected a string"],
  ['name[null]=1', "The value of query parameter 'name[null]' does not fit: expected true or false"],
])('%s is refused', (query, message) => {
  expect(refusal(() => filter.conditions(asked(query)))).toBe(message);
});

test.each(['postgresql', 'mysql'] as const)('strings of a request are only values on %s', (dialect) => {
  const evil = "'); DROP TABLE t; --";
  const [text, values] = sqlOf(
    `name[contains]=${encodeURIComponent(evil)}&name[ne]=${encodeURIComponent('`"')}&__proto__=x`,
    dialect,
  );
  expect(text).toBe(
    dialect === 'mysql'
      ? "NOT (list.name <=> ?) AND LOWER(list.name) LIKE LOWER(?) ESCAPE '|' AND list.proto = ?"
      : "list.name IS DISTINCT FROM ? AND list.name ILIKE ? ESCAPE '|' AND list.proto = ?",
  );
  expect(values).toEqual(['`"', `%${evil}%`, 'x']);
});

test.each([
  ['sad', 'accepted'],
  ['SAD', "The value of query parameter 'mood' does not fit: expected one of sad, ok"],
  ['', "The value of query parameter 'mood' does not fit: expected one of sad, ok"],
  ['sad&mood=none', "The value of query parameter 'mood' does not fit: expected one of sad, ok"],
])('mood=%s of an enum', (value, message) => {
  const moods = new Filter({
    from: 'query',
    allow: {
      mood: { column: 'mood', type: 'string', operators: ['eq', 'in', 'null'], labels: ['sad', 'ok'] },
    },
  });
  expect(refusal(() => moods.conditions(asked(`mood=${value}`)))).toBe(message);
  expect(refusal(() => moods.conditions(asked('mood[null]=false')))).toBe('accepted');
});

test('encoded brackets are brackets, and an own name of a prototype is a name', () => {
  expect(sqlOf('n%5Bgte%5D=1&n%5blt%5d=2')).toEqual(['list.n >= ? AND list.n < ?', ['1', '2']]);
  expect(sqlOf('__proto__=x')).toEqual(['list.proto = ?', ['x']]);
});

test('the order of conditions in a request does not make another statement', () => {
  const [one, other] = ['name=a&n[lt]=2&n[gte]=1', 'n[gte]=3&n[lt]=4&name=b'].map(
    (query) => filterSql(filter.conditions(asked(query)), 'mysql').form,
  );
  expect(one).toBe(other);
});

test('lists on MySQL have few forms', () => {
  const forms = Array.from({ length: 100 }, (_, count) => {
    const list = { ids: Array.from({ length: count + 1 }, (_, id) => String(id)) };
    return filterSql(filter.conditions(list), 'mysql').form;
  });
  expect(new Set(forms).size).toBe(8);
});

test('20 conditions and 100 values are the most', () => {
  const names = (count: number): string =>
    Array.from({ length: count }, (_, index) => `f${index}=x`).join('&');
  expect(plain.conditions(asked(names(20)))).toHaveLength(20);
  expect(refusal(() => plain.conditions(asked(names(21))))).toBe('The filter has more than 20 conditions');
  const ids = (count: number): Json => ({ ids: Array.from({ length: count }, (_, index) => index) });
  expect(filter.conditions(ids(100))).toHaveLength(1);
  expect(refusal(() => filter.conditions(ids(101)))).toContain('at most 100 values');
  expect(refusal(() => filter.conditions({ ids: '1,'.repeat(100_000) }))).toContain('at most 100 values');
});

test('a message of 10,000 unknown names is short', () => {
  const query = Array.from({ length: 10_000 }, (_, index) => `x${index}[${'y'.repeat(80)}]=1`).join('&');
  const message = refusal(() => filter.conditions(asked(query)));
  expect(message).toContain("'x9' and 9990 more are not filters");
  expect(message.length).toBeLessThan(500);
  const long = refusal(() => filter.conditions({ ['z'.repeat(100_000)]: 1 }));
  expect(long.length).toBeLessThan(500);
});

test('values of a body have their own types', () => {
  for (const name of [1, true, null, [[]], {}, [{ eq: 'a' }]] as Json[])
    expect(refusal(() => filter.conditions({ name }))).not.toBe('accepted');
  for (const gte of ['', 'a', 1.5, true, null, [1], { eq: 1 }] as Json[])
    expect(
      refusal(() => filter.conditions({ n: { gte } })),
      JSON.stringify(gte),
    ).not.toBe('accepted');
  const inBody = new Filter({ from: 'body.filter', allow: {} });
  for (const whole of [[], 'x', 1, true] as Json[])
    expect(refusal(() => inBody.conditions(whole))).toBe(
      "The value of body field 'filter' does not fit: expected an object with the names of filters",
    );
  expect(filter.conditions(null)).toEqual([]);
  expect(filter.conditions({ n: { gte: 3 }, limit: 5 })).toHaveLength(1);
});

test('the query has no prototype, and no key', () => {
  hideParameter('hidden_key');
  const map = asked('hidden_key=secret&a=1&__proto__=2&a=3&b[]=4');
  expect(Object.getPrototypeOf(map)).toBeNull();
  expect(Object.entries(map as object)).toEqual([
    ['a', ['1', '3']],
    ['__proto__', '2'],
    ['b', ['4']],
  ]);
  expect(asked('')).toEqual(Object.create(null));
});
