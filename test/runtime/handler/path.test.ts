/** Paths, elements and strings of values: runtime/handler/path.ts, elements.ts and text.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elements } from '../../../runtime/loops/elements.js';
import { size } from '../../../runtime/handler/json.js';
import { every, get, textOf, type Json, type Step } from '../../../runtime/handler/json.js';
import { ServiceError } from '../../../runtime/handler/reply.js';
import { runs } from '../../helpers/runs.js';

const rows: Json = [
  { title: 'one', tags: ['a', 'b'], author: { name: 'Eve' } },
  { title: 'two', tags: [], author: null },
];

describe('paths', () => {
  test.each<[string, Json, Step[], Json]>([
    ['$ is the value itself', rows, [], rows],
    ['a name on an array reads from its first element', rows, ['title'], 'one'],
    ['also deeper', rows, ['author', 'name'], 'Eve'],
    ['also through arrays of arrays', [[{ a: 1 }]], ['a'], 1],
    ['[n]', rows, [1, 'title'], 'two'],
    ['[-1] counts from the end', rows, [-1, 'title'], 'two'],
    ['beyond the end there is null', rows, [2, 'title'], null],
    ['before the start there is null', rows, [-3], null],
    ['a field that is not there is null', rows, ['nothing', 'deeper'], null],
    ['null has no fields', null, ['a'], null],
    ['an empty array has no first element', [], ['a'], null],
    ['a text has no fields', 'text', ['length'], null],
    ['an index on a text finds nothing', 'text', [0], null],
    ['an index on an object finds nothing', { 0: 'a' }, [0], null],
    ['a name that is a number', { 0: 'a' }, ['0'], 'a'],
    ['length of an array', [1, 2], ['length'], null],
    ['constructor', {}, ['constructor', 'name'], null],
    ['__proto__', {}, ['__proto__'], null],
    ['toString of a row', rows, ['toString'], null],
    ['__proto__ as an own field', JSON.parse('{"__proto__":5}') as Json, ['__proto__'], 5],
    ['[*] all elements', rows, [every, 'title'], ['one', 'two']],
    ['[*] keeps the place of what is not there', rows, [every, 'author', 'name'], ['Eve', null]],
    ['[*] twice is one list', rows, [every, 'tags', every], ['a', 'b']],
    ['[*] at the end', rows, [0, 'tags', every], ['a', 'b']],
    ['[*] of no array', { a: 1 }, [every], null],
    ['[*] of null', null, [every, 'a'], null],
  ])('%s', (_rule, value, steps, result) => {
    expect(get(value, ...steps)).toEqual(result);
  });

  test('undefined, as an index returns it, is null', () => {
    expect(get(undefined)).toBeNull();
    expect(get(undefined, 'a', 0)).toBeNull();
  });

  test('nothing ever throws, and nothing inherited is ever returned', () => {
    const step = fc.oneof(
      fc.constantFrom<Step>('__proto__', 'constructor', 'length', 'toString', 'a', every),
      fc.integer({ min: -3, max: 3 }),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<Json>, fc.array(step, { maxLength: 5 }), (value, steps) => {
        const found = get(value, ...steps);
        expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(JSON.stringify(found ?? null)));
        expect(typeof found).not.toBe('function');
        expect(found).not.toBe(Object.prototype);
      }),
      { numRuns: runs(125, 2000) },
    );
  });
});

test.each<[Json, number]>([
  [null, 0],
  [[], 0],
  [[null, null], 2],
  [{}, 0],
  [{ a: 1, b: null }, 2],
  ['', 1],
  ['text', 1],
  [0, 1],
  [false, 1],
])('SIZE(%j) is %d', (value, result) => {
  expect(size(value)).toBe(result);
});

describe('the elements of a loop or a list', () => {
  test.each<[Json, Json[]]>([
    [null, []],
    [
      [1, null],
      [1, null],
    ],
    [
      { b: 1, a: { c: 2 } },
      [
        { key: 'b', val: 1 },
        { key: 'a', val: { c: 2 } },
      ],
    ],
    [{}, []],
  ])('%j', (value, result) => {
    expect(elements(value)).toEqual(result);
  });

  test.each<Json>(['text', '', 5, 0, true, false])(
    '%j is an error: 400 if it is from the request, else 500',
    (value) => {
      expect(thrownBy(() => elements(value, { name: 'lines', fromRequest: true }))).toMatchObject({
        status: 400,
      });
      const error = thrownBy(() => elements(value, { name: 'lines' }));
      expect(error).toMatchObject({
        status: 500,
        message: 'Internal server error',
        details: { log: { list: 'lines' } },
      });
    },
  );
});

test.each<[Json, string]>([
  [null, ''],
  ['a', 'a'],
  [1.5, '1.5'],
  [true, 'true'],
  [[1, 'a'], '[1,"a"]'],
  [{ a: null }, '{"a":null}'],
])('%j in a message is the text %j', (value, text) => {
  expect(textOf(value)).toBe(text);
});

function thrownBy(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('no ServiceError was thrown');
}
