/** runtime/validate/parameter-conversion.ts: the value of a parameter, whatever its schema is made of. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../runtime/handler/json.js';
import * as validate from '../../../runtime/validate/index.js';
import type { ParameterOptions } from '../../../runtime/validate/parameter-conversion.js';
import { ValidationErrors } from '../../../runtime/validate/validation-errors.js';
import { ValuePath } from '../../../runtime/validate/value-path.js';

const { allOf, any, anyOf, array, boolean, byKind, enumOf, integer, lazy, nullable, number } = validate;
const { object, oneOf, parameter, string } = validate;
type Schema = validate.Schema;

const page = object({ size: integer(), all: boolean(), ids: array(integer()), sort: string() });
const sent = { 'page[size]': '3', 'page[all]': 'true', 'page[ids]': ['1', '2'], 'page[sort]': '7' };
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
    const declared = parameter(schema, { fields: true });
    const query = new Map<string, Json>(Object.entries({ ...sent, 'other[size]': '4', page: '5' }));
    const value = declared.valueOfFields('page', query);
    expect(value).toEqual(expected);
    const errors = new ValidationErrors();
    schema.check(value ?? null, new ValuePath('query'), errors);
    expect(errors.count).toBe(0);
    expect(declared.valueOfFields('size', query)).toBeUndefined();
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
    const query = new Map<string, Json>([
      ['page[size]', '3'],
      ['page[ids]', ['1', '2']],
    ]);
    expect(parameter(schema, { fields: true }).valueOfFields('page', query)).toEqual(value);
  });
});

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
