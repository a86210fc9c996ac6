/** Patterns in linear time: the same verdicts as JavaScript for any string; patterns that take JavaScript minutes are fast. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, longestSlow } from '../../../runtime/validate/pattern.js';
import { string } from '../../../runtime/validate/string.js';
import { ValidationErrors } from '../../../runtime/validate/validation-errors.js';
import { ValuePath } from '../../../runtime/validate/value-path.js';
import { growth, superlinear } from '../../helpers/growth.js';
import { runs } from '../../helpers/runs.js';

const patterns = [
  ...[
    '^\\S+@\\S+$',
    '[0-9]+$',
    '\\s+$',
    '^(a+)+$',
    '^(\\w+\\s?)*$',
    '.*x.*y.*',
    '^(?=.*[A-Z])(?=.*\\d).{4,}$',
  ],
  ...[
    '^(?!foo)bar|baz$',
    '(?<=a)b',
    '(?<!a)b',
    '\\bfoo\\b',
    '\\Boo',
    '^[\\w-.]+$',
    'a{2}',
    'a{2,}',
    'a{2,3}?b',
  ],
  ...['^\\p{Lu}\\P{Lu}*$', '^\\u{1F600}+$', '\\uD83D\\uDE00', '^[^a-z]$', '(a|b|)c', '^$', '', 'x*', 'a||b'],
  ...[
    '^(?:(?:a?){3}){2}b$',
    '(?:)*a',
    '[]',
    '[^]',
    '\\.',
    '\\/',
    'a(?=b(?!c))',
    '^(?<n>a)b',
    '\\d{3}-\\d{4}',
    '^.$',
  ],
  ...['^..$', '\\x41', '\\cA', '\\0', 'a{', '{a}', 'a]', '^(?:a|ab)(?:c|bcd)(?:d*)$', '(?<=^|,)x(?=,|$)'],
  ...['(?<=(?=b)b)a', '(?=a)*b', '\\$', '[\\]a]b', '[$]', '^(?:[a-z]+\\.)+[a-z]{2,}$', '(^a|b$)+', 'a$|^b'],
];
const pieces = [
  'a',
  'b',
  'c',
  'd',
  'x',
  'y',
  'A',
  '0',
  '5',
  '@',
  ' ',
  '-',
  '.',
  ',',
  '\n',
  '\u{1F600}',
  '\ud83d',
  'é',
];
const words = [
  'f',
  'o',
  'foo',
  'bar',
  'baz',
  '123-4567',
  '\u2028',
  '/',
  '\u0001',
  '\0',
  '$',
  ']',
  '{',
  'abcd',
  'Aa1',
];
const texts = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 8 }).map((parts) => parts.join(''));

function native(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

describe('the verdict is that of JavaScript', () => {
  test.each(patterns)('%s', (pattern) => {
    const [mine, theirs] = [compilePattern(pattern), native(pattern)];
    expect(mine.slow).toBeUndefined();
    fc.assert(
      fc.property(texts, (text) => {
        expect(mine.test(text)).toBe(theirs.test(text));
      }),
      { numRuns: runs(19, 300) },
    );
  });

  test('for patterns made of parts', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '[ab]',
      '[^a]',
      '^',
      '$',
      '\\b',
      '(?=a)',
      '(?!b)',
      '(?<=a)',
      '(?<!b)',
    );
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => left + right),
        fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `(?:${left}|${right})`),
        fc
          .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}'))
          .map(([part, many]) => `(?:${part})${many}`),
        tie('tree').map((part) => `(?=${part})`),
        tie('tree').map((part) => `(?<!${part})`),
      ),
    }));
    const short = fc
      .array(fc.constantFrom('a', 'b', '1', ' '), { maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(tree, short, (pattern, text) => {
        expect(compilePattern(pattern).test(text)).toBe(native(pattern).test(text));
      }),
      { numRuns: runs(188, 3000) },
    );
  });
});

test.each([
  ['^\\S+@\\S+$', '@'],
  ['[0-9]+$', '0'],
  ['^(a+)+b$', 'a'],
  ['.*x.*y.*', 'x'],
  ['^(\\w+\\s?)*$', 'a'],
  ['(?<=(?:x*)*)y(?=x*$)', 'x'],
  ['^(?=.*a.*b.*c).*$', 'a'],
])('%s takes linear time', (pattern, piece) => {
  const compiled = compilePattern(pattern);
  const run = (length: number) => compiled.test(`${piece.repeat(length)}\n!`);
  expect(growth(run, 16_384)).toBeLessThan(superlinear);
});

test('what is too much work is not decided: long repetitions, back references', () => {
  expect(compilePattern('(?<=x)(?:[0-9]{1,900}x){2}$').test('0'.repeat(1_000_000))).toBeUndefined();
  expect(compilePattern('^(a)\\1{3000}')).toMatchObject({ slow: 'it has a back reference' });
  expect(compilePattern('^(?:a{1000}b){1000}')).toMatchObject({ slow: 'it repeats too much' });
  const repeated = compilePattern('^(a|b)\\1$');
  expect([repeated.test('aa'), repeated.test('ab'), repeated.test('a'.repeat(longestSlow + 1))]).toEqual([
    true,
    false,
    undefined,
  ]);
  const errors = new ValidationErrors();
  string({ pattern: repeated }).check('a'.repeat(longestSlow + 1), new ValuePath('body'), errors);
  expect(errors.message).toContain('body is too long to be matched against the pattern ^(a|b)\\1$');
});
