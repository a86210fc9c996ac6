/** Where in a body a value is the digits of a number that a double cannot hold. */
import { expect, test } from 'vitest';
import { exactJson, isNumberAt, placeIn } from '../../../runtime/handler/exact-numbers.js';
import { every, get, type Step } from '../../../runtime/handler/json.js';
import { parseJson } from '../../../runtime/handler/parse-json.js';

const digits = '12345678901234567890';
const body = parseJson(
  `{"id": ${digits}, "text": "${digits}", "lines": [{"price": ${digits}}, {"price": "${digits}"}], "all": [[${digits}], [1]], "it's": ${digits}}`,
);

test.each([
  ['body.id', true],
  ['body.text', false],
  ['body.lines.price', true],
  ['body.lines[0].price', true],
  ['body.lines[1].price', false],
  ['body.lines[-1].price', false],
  ['body.lines[].price', false],
  ['body.all[][0]', true],
  ['body.all[-2][-1]', true],
  ['body.all[9][0]', false],
  ["body['it\\'s']", true],
  ['body.id.deeper', false],
  ['body.missing', false],
  ['body[0]', false],
])('%s', (name, isNumber) => {
  expect(isNumberAt(body, placeIn(name) ?? [], digits)).toBe(isNumber);
});

test.each([null, 'param id', 'header X-Id'])('%s is not in the body', (name) => {
  expect(placeIn(name)).toBeUndefined();
});

test('a body without such numbers has none anywhere', () => {
  expect(isNumberAt({ id: digits }, ['id'], digits)).toBe(false);
});

test.each<[Step[], string]>([
  [['lines', every, 'price'], `[${digits},"${digits}"]`],
  [['all', every, 0], `[${digits},1]`],
  [['all', every, -1], `[${digits},1]`],
  [['all', 0, every], `[${digits}]`],
])('a path with all elements keeps what was a number: %j', (steps, text) => {
  expect(exactJson(get(body, ...steps))).toBe(text);
});
