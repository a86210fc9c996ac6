/** Values in parsed JSON that keep the digits of a number that a double cannot represent. */
import { expect, test } from 'vitest';
import {
  exact,
  ExactDigits,
  exactIn,
  exactJson,
  plainValue,
} from '../../../runtime/handler/exact-numbers.js';
import { every, get, type Json, type Step } from '../../../runtime/handler/json.js';
import { parseJson } from '../../../runtime/handler/parse-json.js';
import { elements, exactElements } from '../../../runtime/loops/elements.js';

const digits = '12345678901234567890';
const body = parseJson(
  `{"id": ${digits}, "text": "${digits}", "lines": [{"price": ${digits}}, {"price": "${digits}"}], "all": [[${digits}], [1]], "it's": ${digits}}`,
);

test.each<[Step[], Json | ExactDigits]>([
  [['id'], new ExactDigits(digits)],
  [['text'], digits],
  [['lines', 'price'], new ExactDigits(digits)],
  [['lines', 0, 'price'], new ExactDigits(digits)],
  [['lines', 1, 'price'], digits],
  [['lines', -1, 'price'], digits],
  [['all', 0, 0], new ExactDigits(digits)],
  [['all', -2, -1], new ExactDigits(digits)],
  [['all', 1, 0], 1],
  [['all', 9, 0], null],
  [["it's"], new ExactDigits(digits)],
  [['id', 'deeper'], null],
  [['missing'], null],
  [[0], null],
])('%j', (steps, expected) => {
  const found = exact(body, ...steps);
  expect(found).toStrictEqual(expected);
  expect(plainValue(found)).toBe(get(body, ...steps));
});

test('a value without such numbers has none anywhere', () => {
  expect(exact({ id: digits }, 'id')).toBe(digits);
  expect(exact(null, 'id')).toBeNull();
  expect(exact(digits)).toBe(digits);
});

test('the elements of a list, and of a list that a path with all elements makes', () => {
  const expected = [new ExactDigits(digits), digits];
  expect(exactIn([digits])).toStrictEqual([digits]);
  expect(exactElements(parseJson(`[${digits},"${digits}"]`))).toStrictEqual(expected);
  expect(exactElements(get(body, 'lines', every, 'price'))).toStrictEqual(expected);
});

test('the fields of an object as elements', () => {
  const fields = elements(parseJson(`{"a":${digits},"b":"${digits}","c":{"d":${digits}},"e":1}`));
  expect(fields.map((field) => exact(field, 'val'))).toStrictEqual([
    new ExactDigits(digits),
    digits,
    { d: digits },
    1,
  ]);
  expect(fields.map((field) => exact(field, 'key'))).toEqual(['a', 'b', 'c', 'e']);
  expect(exactJson(fields)).toBe(
    `[{"key":"a","val":${digits}},{"key":"b","val":"${digits}"},{"key":"c","val":{"d":${digits}}},{"key":"e","val":1}]`,
  );
});

test.each<[Step[], string]>([
  [['lines', every, 'price'], `[${digits},"${digits}"]`],
  [['all', every, 0], `[${digits},1]`],
  [['all', every, -1], `[${digits},1]`],
  [['all', 0, every], `[${digits}]`],
])('a path with all elements keeps what was a number: %j', (steps, text) => {
  expect(exactJson(get(body, ...steps))).toBe(text);
});
