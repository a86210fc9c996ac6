/** runtime/validate/enum.ts: lists and objects as values of an `enum`. */
import { expect, test } from 'vitest';
import { enumOf } from '../../../runtime/validate/enum.js';
import { ValidationErrors } from '../../../runtime/validate/validation-errors.js';
import { ValuePath } from '../../../runtime/validate/value-path.js';

const allowed = enumOf([1, 1, 1], { a: [1], b: null }, 'x', 2);

test.each([
  [[1, 1, 1], true],
  [[1, 1], false],
  [[1, 1, '1'], false],
  [{ b: null, a: [1] }, true],
  [{ a: [1] }, false],
  [{ a: [1], c: null }, false],
  [{ a: [1], b: null, c: 1 }, false],
  ['x', true],
  [2, true],
  ['2', false],
  [null, false],
])('%j: %s', (value, isAllowed) => {
  expect(allowed.accepts(value)).toBe(isAllowed);
});

test('of many values the first ten are in the message', () => {
  const errors = new ValidationErrors();
  enumOf(...Array.from({ length: 11 }, (_, index) => index)).check('x', new ValuePath('body'), errors);
  expect(errors.message).toContain('one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …, not');
});

test('no more of a value is read than the allowed ones have', () => {
  let reads = 0;
  const sent = new Proxy(Array<number>(100_000).fill(1), {
    get(target, key) {
      reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  expect(allowed.accepts(sent)).toBe(false);
  expect(reads).toBeLessThan(100);
});
