/** runtime/http/json-body.ts: the position of the first error. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonError } from '../../../runtime/http/json-body.js';
import { runs } from '../../helpers/runs.js';

test.each([
  ['', 1, 1, true],
  ['{', 1, 2, true],
  ['{"a": [1, 2}', 1, 12, false],
  ['{"a": 1,}', 1, 9, false],
  ['[1,]', 1, 4, false],
  ['{\n  "a": tru,\n}', 2, 11, false],
  ['{"a" 1}', 1, 6, false],
  ['{a: 1}', 1, 2, false],
  ['[01]', 1, 3, false],
  ['[1.]', 1, 4, false],
  ['[-]', 1, 3, false],
  ['[1e+]', 1, 5, false],
  ['"abc', 1, 5, true],
  ['"a\nb"', 1, 3, false],
  ['"a\\x"', 1, 4, false],
  ['"\\u12g4"', 1, 6, false],
  ['1 2', 1, 3, false],
  ["{'a': 1}", 1, 2, false],
  ['[1]]', 1, 4, false],
  ['NaN', 1, 1, false],
])('%j is wrong at line %d, column %d', (text, line, column, atEnd) => {
  expect(jsonError(text)).toEqual({ line, column, atEnd });
});

test('an error is found exactly where JSON.parse finds one', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '\\',
    '\\u00e9',
    '1',
    '-0',
    '1.5e3',
    '.',
    'true',
    'nul',
    'null',
    ' ',
    '\n',
    '\t',
    '\u0001',
  );
  const pieces = fc.array(piece, { maxLength: 10 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.json(), fc.string()), (text) => {
      expect(jsonError(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: runs(1250, 20_000) },
  );
});

test('a hundred thousand open brackets are not a stack overflow', () => {
  expect(jsonError('['.repeat(100_000))).toEqual({ line: 1, column: 100_001, atEnd: true });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
