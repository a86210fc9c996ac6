/** runtime/handler/compare.ts: equality, order and conditions for all pairs of kinds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  equal,
  greater,
  greaterOrEqual,
  isAfter,
  isAfterOrAt,
  isBefore,
  isBeforeOrAt,
  isTrue,
  less,
  lessOrEqual,
} from '../../../runtime/compare/compare.js';
import type { Json } from '../../../runtime/handler/json.js';
import { runs } from '../../helpers/runs.js';

const anyJson = fc.jsonValue() as fc.Arbitrary<Json>;

describe('equality', () => {
  test.each<[Json, Json]>([
    [null, null],
    [1, 1],
    [0, -0],
    ['a', 'a'],
    [1, '1'],
    [1, '1.0'],
    [100, '1e2'],
    [-0, '0'],
    [0.1, '0.10'],
    [1e21, '1000000000000000000000'],
    [true, 'true'],
    [false, 'false'],
    ['2026-01-01T09:00:00Z', '2026-01-01T10:00:00.000+01:00'],
    ['2026-01-01T09:00:00.5Z', '2026-01-01t09:00:00.500z'],
    ['2026-01-01', '2026-01-01T00:00:00'],
    ['2026-01-01T00:00:00', '2026-01-01 00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00+00:00'],
    ['infinity', 'infinity'],
    ['12345678901234567.50', '12345678901234567.5'],
    [
      [1, { a: null }],
      ['1', { a: null }],
    ],
    [
      { a: 1, b: [true] },
      { b: [true], a: 1 },
    ],
    [JSON.parse('{"__proto__":1}') as Json, JSON.parse('{"__proto__":1}') as Json],
  ])('%j == %j', (left, right) => {
    expect(equal(left, right)).toBe(true);
    expect(equal(right, left)).toBe(true);
  });

  test.each<[Json, Json]>([
    [null, 0],
    [null, ''],
    [null, false],
    [null, 'null'],
    [null, []],
    [1, 'x'],
    [1, ' 1'],
    [1, '01'],
    [1, '+1'],
    [1, ''],
    [16, '0x10'],
    [1, true],
    [0, false],
    ['1', '1.0'],
    ['2026-01-01T09:00:00Z', '2026-01-01T09:00:00.000001Z'],
    ['2026-01-01T09:00:00.1234567Z', '2026-01-01T09:00:00.12345671Z'],
    ['2026-02-29', '2026-03-01'],
    ['2026-02-29T00:00:00Z', '2026-02-29T00:00:00.0Z'],
    ['2026-01-01T24:00:00Z', '2026-01-02T00:00:00Z'],
    ['2026-01-01', '20260101'],
    ['12345678901234567.50', '12345678901234567.51'],
    ['1.50', '1.5'],
    ['true', 'True'],
    [true, 'TRUE'],
    [true, '1'],
    [9007199254740992, '9007199254740993'],
    [0.1, '0.1000000000000000055511151231257827'],
    [0, '1e-400'],
    [[], {}],
    [[], null],
    [[1], [1, 1]],
    [['a'], 'a'],
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: null }, { b: null }],
    [{ toString: 1 }, { valueOf: 1 }],
    [JSON.parse('{"__proto__":{}}') as Json, { x: {} }],
  ])('%j != %j', (left, right) => {
    expect(equal(left, right)).toBe(false);
    expect(equal(right, left)).toBe(false);
  });

  test('every value equals its own copy, and the result does not depend on the side', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(equal(a, JSON.parse(JSON.stringify(a)) as Json)).toBe(true);
        expect(equal(a, b)).toBe(equal(b, a));
      }),
    );
  });
});

describe('order', () => {
  test.each<[Json, Json]>([
    [1, 2],
    [-1, 0],
    [2, '10'],
    ['2', 10],
    ['-1e400', 0],
    [0, '1e-400'],
    [9007199254740992, '9007199254740993'],
    ['9007199254740991', 9007199254740992],
    [1.5, '1.50000000000000000001'],
    ['10', '9'],
    ['9007199254740993', '10000000000000000'],
    ['9', '12345678901234567890'],
    ['-12345678901234567890', '-9'],
    ['2026-01-01T09:00:00Z', '2026-01-01T09:00:00.5Z'],
    ['2026-01-01T09:00:00.12Z', '2026-01-01T09:00:00.123Z'],
    ['2026-01-01T10:00:00+02:00', '2026-01-01T09:00:00Z'],
    ['2026-01-01', '2026-01-01T00:00:00.000001Z'],
    ['9999-12-31', '10000-01-01'],
    ['0044-03-15 BC', '0043-03-15 BC'],
    ['0001-12-31T00:00:00 BC', '0001-01-01T00:00:00'],
    ['-infinity', '0044-03-15 BC'],
    ['294276-12-31T23:59:59Z', 'infinity'],
    ['0000-00-00', '2026-01-01'],
    ['', 'a'],
    ['Z', 'a'],
    ['a', 'ab'],
    ['\uff5e', '\u{1f600}'],
    ['\u{1f600}', '\u{1f601}'],
    ['\ud83dx', '\u{1f600}'],
    ['\ud83d', '\u{1f600}'],
    ['2024-01-31', '2024-02-01'],
  ])('%j < %j', (low, high) => {
    expect([less(low, high), lessOrEqual(low, high), greater(low, high), greaterOrEqual(low, high)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([less(high, low), lessOrEqual(high, low), greater(high, low), greaterOrEqual(high, low)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test.each<[Json, Json]>([
    [1, 1],
    [1, '1.0'],
    ['a', 'a'],
    ['1e2', 100],
  ])('%j <= %j and >=, neither < nor >', (a, b) => {
    expect([lessOrEqual(a, b), greaterOrEqual(a, b), less(a, b), greater(a, b)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each<[Json, Json]>([
    [null, null],
    [null, 1],
    [true, false],
    [true, 'true'],
    [1, true],
    [1, 'x'],
    [1, ''],
    [[1], [1]],
    [{}, {}],
    [[], 1],
  ])('%j and %j have no order: all four are false', (a, b) => {
    for (const [left, right] of [[a, b] as const, [b, a] as const]) {
      expect(
        [less, lessOrEqual, greater, greaterOrEqual].map((compare) => compare(left, right)),
      ).not.toContain(true);
    }
  });

  test.each<[Json, Json]>([
    ['2026-01-01T09:00:00Z', 'yesterday'],
    ['2026-01-01T09:00:00Z', ''],
    ['2026-01-01', '2026-02-30'],
    ['2026-01-01', null],
    ['2026-01-01', 5],
    ['2026-01-01', true],
  ])('the time %j has no order with %j', (time, other) => {
    for (const compare of [isBefore, isBeforeOrAt, isAfter, isAfterOrAt])
      expect([compare(time, other), compare(other, time)]).toEqual([false, false]);
  });

  test('times, and two strings of which neither is a time', () => {
    const compare = [isBefore, isBeforeOrAt, isAfter, isAfterOrAt];
    const [low, high] = ['2026-01-01T10:00:00+02:00', '2026-01-01T09:00:00Z'];
    expect(compare.map((one) => one(low, high))).toEqual([true, true, false, false]);
    expect(compare.map((one) => one(high, low))).toEqual([false, false, true, true]);
    expect(compare.map((one) => one(low, '2026-01-01T08:00:00Z'))).toEqual([false, true, false, true]);
    expect(compare.map((one) => one('a', 'b'))).toEqual([true, true, false, false]);
  });

  test('texts are ordered by code point', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\ud83d', '\ude00', '\ue000', '\u{1f600}', '\u{10ffff}', '\uffff'),
      maxLength: 5,
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(less(a, b)).toBe(byCodePoint(a, b) < 0);
        expect(greater(a, b)).toBe(byCodePoint(a, b) > 0);
      }),
      { numRuns: runs(188, 3000) },
    );
  });
});

test('a bare value is true when it is true or the text true', () => {
  const values: Json[] = [true, 'true', false, 'false', 'True', 1, '1', 'yes', '', null, [], [true], {}];
  expect(values.filter(isTrue)).toEqual([true, 'true']);
});

function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)].map((all) =>
    all.map((one) => one.codePointAt(0) ?? 0),
  );
  for (let index = 0; ; index += 1) {
    const [x, y] = [left?.[index] ?? -1, right?.[index] ?? -1];
    if (x !== y || x === -1) return x - y;
  }
}
