/** runtime/validate/parameter-conversion.ts: the value of a parameter for all kinds of schemas. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import { parseQuery } from '../../../runtime/http/request-target.js';
import type { Texts } from '../../../runtime/http/texts.js';
import * as validate from '../../../runtime/validate/index.js';
import type { ParameterOptions } from '../../../runtime/validate/parameter-conversion.js';
import { ValidationErrors } from '../../../runtime/validate/validation-errors.js';
import { ValuePath } from '../../../runtime/validate/value-path.js';

const { allOf, any, anyOf, array, boolean, byKind, enumOf, integer, lazy, nullable, number } = validate;
const { object, oneOf, parameter, string } = validate;
type Schema = validate.Schema;

const page = object({ size: integer(), all: boolean(), ids: array(integer()), sort: string() });
const sent = 'page[size]=3&page[all]=true&page[ids]=1&page[ids]=2&page[sort]=7';
const expected = { size: 3, all: true, ids: [1, 2], sort: '7' };

describe('an object whose fields are parameters of their own', () => {
  test.each<[string, Schema]>([
    ['an object', page],
    ['or null', nullable(page)],
    ['a model that contains itself', lazy(() => page)],
    ['without a type', byKind({ object: page })],
    ['several parts', allOf(any(), object({ size: integer() }), page)],
    ['the first alternative that it matches', anyOf(object({ size: boolean() }), page)],
    ['exactly one alternative', oneOf(page, object({ size: boolean() }))],
  ])('%s', (_, schema) => {
    const query = parseQuery(`${sent}&other[size]=4`);
    const value = valueOf(schema, query, 'page');
    expect(value).toEqual(expected);
    const errors = new ValidationErrors();
    schema.check(value ?? null, new ValuePath('query'), errors);
    expect(errors.count).toBe(0);
    expect(query.bracketed('size')).toBeUndefined();
  });

  test.each<[string, Schema, Json]>([
    ['no alternative matches', anyOf(object({ size: boolean() })), { size: '3', ids: ['1', '2'] }],
    ['nothing is known of it', any(), { size: '3', ids: ['1', '2'] }],
    [
      'other fields have a type',
      object({}, { additionalProperties: number() }),
      { size: 3, ids: ['1', '2'] },
    ],
    ['other fields are refused', object({}, { additionalProperties: false }), { size: '3', ids: ['1', '2'] }],
  ])('%s', (_, schema, value) => {
    const query = parseQuery('page[size]=3&page[ids]=1&page[ids]=2');
    expect(valueOf(schema, query, 'page')).toEqual(value);
  });
});

/** The value of a parameter written with brackets. */
function valueOf(schema: Schema, query: Texts, name: string): Json | undefined {
  const bracketed = query.bracketed(name);
  return bracketed !== undefined && 'nested' in bracketed ? schema.fromNested(bracketed.nested) : undefined;
}

const line = object({ name: string(), count: integer() });
const filter = object({
  id: array(integer()),
  inner: object({ a: integer(), b: boolean() }),
  lines: array(line),
});
const tree: Schema = lazy(() => anyOf(object({ a: tree, n: boolean() }), object({ a: tree, n: integer() })));

describe('brackets in names', () => {
  test.each<[string, Schema, string, Json]>([
    ['a list', array(integer()), 'p[]=1&p[]=2', [1, 2]],
    ['a list of one', array(integer()), 'p[]=1', [1]],
    ['a list with indices', array(integer()), 'p[1]=2&p[0]=1', [1, 2]],
    ['indices that are left out', array(integer()), 'p[10]=2&p[9]=1', [1, 2]],
    [
      'a list by position',
      array(any(), { prefixItems: [integer(), boolean()] }),
      'p[0]=1&p[1]=true',
      [1, true],
    ],
    ['encoded brackets', array(integer()), 'p%5B%5D=1&p%5b%5d=2', [1, 2]],
    ['a list or null', nullable(array(integer())), 'p[]=1', [1]],
    ['a list in an object', filter, 'p[id][]=1&p[id][]=2', { id: [1, 2] }],
    ['with indices', filter, 'p[id][0]=1&p[id][1]=2', { id: [1, 2] }],
    ['repeated', filter, 'p[id]=1&p[id]=2', { id: [1, 2] }],
    ['an object in an object', filter, 'p[inner][a]=1&p[inner][b]=true', { inner: { a: 1, b: true } }],
    [
      'objects in a list',
      filter,
      'p[lines][0][name]=7&p[lines][0][count]=7',
      { lines: [{ name: '7', count: 7 }] },
    ],
    [
      'an object of which each part knows something else',
      allOf(object({ in: object({ a: string() }) }), object({ in: object({ b: integer() }), c: boolean() })),
      'p[in][a]=1&p[in][b]=1&p[c]=true',
      { in: { a: '1', b: 1 }, c: true },
    ],
    [
      'fields that are digits',
      object({}, { additionalProperties: integer() }),
      'p[7]=1&p[8]=2',
      { 7: 1, 8: 2 },
    ],
    ['a list or an object', byKind({ array: array(integer()), object: line }), 'p[]=1', [1]],
    ['an object or a list', byKind({ array: array(integer()), object: line }), 'p[count]=1', { count: 1 }],
    ['a list that is none', array(integer()), 'p[a]=1', { a: '1' }],
    ['an index that is none', array(integer()), 'p[01]=1', { '01': '1' }],
    ['an object that is none', line, 'p[]=1', ['1']],
    ['an integer', integer(), 'p[]=1', ['1']],
    ['any list', any(), 'p[0]=1&p[1]=2', ['1', '2']],
    ['any value, with an index left out', any(), 'p[1]=2', { 1: '2' }],
    ['a model that contains itself', tree, `p${'[a]'.repeat(60)}[n]=1`, nest(60, { n: 1 })],
  ])('%s', (_, schema, query, value) => {
    expect(valueOf(schema, parseQuery(query), 'p')).toEqual(value);
  });

  test('names that all objects have', () => {
    const value = valueOf(any(), parseQuery('p[__proto__][x]=1&p[constructor]=2'), 'p');
    expect(Object.entries(value ?? {})).toEqual([
      ['__proto__', { x: '1' }],
      ['constructor', '2'],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

function nest(levels: number, inner: Json): Json {
  return levels === 0 ? inner : { a: nest(levels - 1, inner) };
}

const ids = array(integer());

test.each<[string, Schema, readonly string[], Json, ParameterOptions?]>([
  ['a list that is sent once', ids, ['1'], [1]],
  ['a list without a type', byKind({ array: ids }), ['1', '2'], [1, 2]],
  ['a list without a type, in one string', byKind({ array: ids }), ['1,2'], [1, 2], { separator: ',' }],
  ['a string or a list', byKind({ array: ids, string: string() }), ['1'], '1'],
  ['a bound before the type', allOf(byKind({ array: array(any(), { maxItems: 5 }) }), ids), ['1'], [1]],
  ['any value before the type', allOf(any(), ids), ['1', '2'], [1, 2]],
  ['a list of strings', allOf(any(), array(string())), ['1'], ['1']],
  ['no part converts', allOf(any(), string()), ['1'], '1'],
  ['no part converts several', allOf(any(), string()), ['1', '2'], ['1', '2']],
  ['an empty list', ids, [''], [], { separator: ',' }],
  ['a number or null', nullable(integer()), ['1'], 1],
  ['the first alternative that matches', anyOf(boolean(), integer()), ['1'], 1],
  ['no alternative', anyOf(boolean(), integer()), ['x'], 'x'],
  ['a boolean', boolean(), ['false'], false],
  ['no boolean', boolean(), ['no'], 'no'],
  ['a string and a number that are written alike', enumOf('1', 1), ['1'], '1'],
  ['a number of an enum', enumOf(1, 'a'), ['1'], 1],
  ['none of an enum', enumOf(1, 'a'), ['b'], 'b'],
  ['JSON', page, ['{"size":3}'], { size: 3 }, { json: true }],
  ['no JSON', page, ['{'], '{', { json: true }],
  ['JSON that is sent twice', page, ['1', '2'], ['1', '2'], { json: true }],
])('%s', (_, schema, texts, value, options = {}) => {
  expect(parameter(schema, options).valueOf(texts)).toEqual(value);
});
