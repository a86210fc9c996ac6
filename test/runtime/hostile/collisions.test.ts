/** Keys that collide in one bucket of V8's maps: joins, indexes and unique lists still take linear time. */
import { expect, test } from 'vitest';
import { IndexedResults } from '../../../runtime/loops/indexed-results.js';
import { groupBy } from '../../../runtime/joins/join.js';
import { ValidationErrors } from '../../../runtime/validate/validation-errors.js';
import { any } from '../../../runtime/validate/schema.js';
import { array } from '../../../runtime/validate/array.js';
import { ValuePath } from '../../../runtime/validate/value-path.js';
import { growth, superlinear } from '../../helpers/growth.js';
import { testCall } from '../../helpers/test-call.js';

/** V8's integer hash (`ComputeUnseededHash`). */
function hash(value: number): number {
  let mixed = value | 0;
  mixed = ~mixed + (mixed << 15);
  mixed ^= mixed >>> 12;
  mixed += mixed << 2;
  mixed ^= mixed >>> 4;
  mixed = Math.imul(mixed, 2057);
  mixed ^= mixed >>> 16;
  return mixed & 0x3fffffff;
}

const max = 16_000;

/** Integers that share a bucket in a map of that size; computed once, because millions must be tried. */
const colliding: number[] = [];
for (let value = 1; colliding.length < max && value < 2 ** 30; value += 1)
  if ((hash(value) & 0xfff) === 0) colliding.push(value);

/** Numeric strings, whose V8 hash derives from the integer. */
const strings = Array.from({ length: max }, (_, index) => String(16_384 * (index + 1)));

test.each([
  ['integers', colliding],
  ['strings of integers', strings],
])('%s', (_what, keys) => {
  const rows = (length: number) => keys.slice(0, length).map((k) => ({ k }));
  const join = (length: number) => {
    const groups = groupBy(rows(length), 'k');
    for (const key of keys.slice(0, length)) groups.get(key);
  };
  const index = (length: number) => {
    const results = new IndexedResults(testCall());
    for (const key of keys.slice(0, length)) results.set(key, null);
  };
  const unique = (length: number) => {
    array(any(), { uniqueItems: true }).check(
      keys.slice(0, length),
      new ValuePath('body'),
      new ValidationErrors(),
    );
  };
  for (const run of [join, index, unique]) expect(growth(run, max / 8)).toBeLessThan(superlinear);
});

test('numbers, strings and what looks like a key of ours stay apart', () => {
  const keys = [0, 1, -1, 7, 2 ** 31, -(2 ** 31), 2 ** 32, 0.5, 1e300, '_7', '#0.5', '__7', 'a', '', '07'];
  for (const key of keys) {
    const found = groupBy(
      keys.map((k, id) => ({ k, id })),
      'k',
    ).get(key);
    expect(found, String(key)).toEqual([{ k: key, id: keys.indexOf(key) }]);
  }
});
