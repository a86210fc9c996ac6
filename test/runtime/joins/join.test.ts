/** runtime/handler/join.ts, compared with a nested loop over the language's `==`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equal } from '../../../runtime/compare/compare.js';
import { first, groupBy } from '../../../runtime/joins/join.js';
import type { Json, Row } from '../../../runtime/handler/json.js';
import { runs } from '../../helpers/runs.js';

/** Few values in many forms, so that keys match often. */
const key = fc.oneof(
  {
    arbitrary: fc.constantFrom<Json>(
      null,
      7,
      '7',
      '7.0',
      '07',
      70e-1,
      1,
      '1',
      '1e0',
      0,
      -0,
      '0',
      '-0',
      1.5,
      '1.50',
    ),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom<Json>(true, 'true', false, 'false', 'True', '', 'a', 'b', ' 7', 'null'),
    weight: 3,
  },
  {
    arbitrary: fc.constantFrom<Json>(
      9007199254740992,
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '1e-400',
      1e21,
      '1e21',
    ),
    weight: 1,
  },
  {
    arbitrary: fc.constantFrom<Json>(
      [],
      {},
      [7],
      ['7'],
      ['7.0'],
      { a: 1, b: true },
      { b: 'true', a: '1.0' },
      { a: 1 },
      [null],
      [[]],
    ),
    weight: 1,
  },
);
const row = fc.record({ k: key, l: key }, { requiredKeys: ['k'] }) as fc.Arbitrary<Row>;
const rows = fc.array(row, { maxLength: 8 }).map((list) => list.map((entry, n): Row => ({ ...entry, n })));

/** `==` for joins: null does not match anything. */
function matches(left: Json | undefined, right: Json | undefined): boolean {
  return left != null && right != null && equal(left, right);
}

function field(entry: Row, name: string): Json | undefined {
  return Object.hasOwn(entry, name) ? entry[name] : undefined;
}

/** The same row objects in the same order; a plain comparison, because assertions would be slow for half a million rows. */
function areSame(actual: readonly Row[], expected: readonly Row[]): boolean {
  return actual.length === expected.length && actual.every((one, index) => one === expected[index]);
}

/** Whether the property holds for all tried pairs of results. */
function holds(runsOf: number, property: (left: readonly Row[], right: readonly Row[]) => boolean): void {
  const details = fc.check(fc.property(rows, rows, property), { numRuns: runsOf });
  expect(details.counterexample).toBeNull();
  expect(details.numRuns).toBe(runsOf);
}

describe('a join is the same as a nested loop', () => {
  test('for every key, in the order of the result: 100,000 cases', () => {
    holds(runs(6250, 100_000), (left, right) => {
      const groups = groupBy(right, 'k');
      return left.every((entry) =>
        areSame(
          groups.get(entry.k),
          right.filter((other) => matches(entry.k, other.k)),
        ),
      );
    });
  });

  test('for two fields at once', () => {
    holds(runs(1250, 20_000), (left, right) => {
      const groups = groupBy(right, 'k', 'l');
      return left.every((entry) => {
        const expected = right.filter(
          (other) => matches(entry.k, other.k) && matches(field(entry, 'l'), field(other, 'l')),
        );
        return areSame(groups.get(entry.k, entry.l), expected);
      });
    });
  });

  test('for all rows of the other side together, each match once', () => {
    holds(runs(1250, 20_000), (left, right) => {
      const expected = right.filter((other) => left.some((entry) => matches(field(entry, 'l'), other.k)));
      return areSame(groupBy(right, 'k').ofAll(left, 'l'), expected);
    });
  });
});

describe('groupBy', () => {
  test('has nothing for a skipped fulfillment', () => {
    expect(groupBy(null, 'k').get(1)).toEqual([]);
    expect(groupBy(null, 'k').ofAll([{ k: 1 }], 'k')).toEqual([]);
  });

  test('reads own fields only', () => {
    expect(groupBy([{ a: 1 }], 'constructor').get('x')).toEqual([]);
    expect(groupBy([{ a: 1 }], 'a').ofAll([{ b: 1 }], 'valueOf')).toEqual([]);
    const hostile = JSON.parse('{"__proto__": 3}') as Row;
    expect(groupBy([hostile], '__proto__').get('3.0')).toEqual([hostile]);
  });

  test('returns a list of its own for every look-up', () => {
    const groups = groupBy([{ a: 1 }], 'a');
    groups.get(1).pop();
    expect(groups.get(1)).toEqual([{ a: 1 }]);
  });

  test('is one pass over each side, whatever the keys are', () => {
    const texts = Array.from({ length: 30_000 }, (_, n) => `7.${'0'.repeat((n % 2000) + 1)}`);
    const right = texts.map((k): Row => ({ k }));
    const groups = groupBy(right, 'k');
    let compared = 0;
    for (const text of texts) compared += groups.get(text).length;
    expect(compared).toBe(30_000 * 15);
    expect(groups.get(7).length).toBe(30_000);
  });
});

test('first builds from the first row, and returns null if there is none', () => {
  const build = (entry: Row): Json => ({ is: entry.a ?? null });
  expect(first([{ a: 1 }, { a: 2 }], build)).toEqual({ is: 1 });
  expect(first([], build)).toBeNull();
  expect(first(null, build)).toBeNull();
});
