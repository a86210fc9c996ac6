/** Types as hovers and completions show them. */
import { expect, test } from 'vitest';
import { either } from '../../compiler/analyze/types/join-types.js';
import {
  arrayOf,
  constantOf,
  fieldsOf,
  objectOf,
  only,
  textValue,
  unknownValue,
  wordOf,
} from '../../compiler/analyze/types/known-types.js';
import type { Claim, ValueType } from '../../compiler/analyze/types/value-type.js';
import { shortType } from '../../compiler/tools/editor/short-type.js';

const object = (names: readonly string[], isClosed = true): ValueType =>
  objectOf(fieldsOf(new Map(names.map((name) => [name, textValue])), { kind: 'built' }, isClosed));
const many = Array.from({ length: 13 }, (_, index) => `f${index}`);

test.each<[ValueType, string]>([
  [unknownValue, 'any'],
  [{ ...unknownValue, claim: { type: textValue } as Claim }, 'string'],
  [constantOf('a'), '"a"'],
  [wordOf(['a', 'b']), '"a" | "b"'],
  [only('array'), 'any[]'],
  [arrayOf(only('string', 'null')), '(string | null)[]'],
  [arrayOf(wordOf(['a', 'b'])), '("a" | "b")[]'],
  [arrayOf(object(['a'])), '{ a: string }[]'],
  // A field that exists in only one alternative; the other allows any additional fields.
  [either(object(['a', 'b']), object(['a'], false)), '{ a: string, b: any, … }'],
  [object([]), 'object'],
  [
    object(many),
    `{ ${many
      .slice(0, 12)
      .map((name) => `${name}: string, `)
      .join('')}… }`,
  ],
])('%#: %s', (type, text) => {
  expect(shortType(type)).toBe(text);
});

test('deep objects are cut', () => {
  const deep = [1, 2, 3, 4].reduce(
    (inner) => objectOf(fieldsOf(new Map([['a', inner]]), { kind: 'built' }, true)),
    textValue,
  );
  expect(shortType(deep)).toBe('{ a: { a: { a: { … } } } }');
});
