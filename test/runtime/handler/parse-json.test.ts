/** Compares runtime/handler/parse-json.ts with JSON.parse, and tests the intended differences. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonDepthError, parseJson } from '../../../runtime/handler/parse-json.js';
import { textOf } from '../../../runtime/handler/json.js';
import { runs } from '../../helpers/runs.js';

const many = { numRuns: runs(125, 2000) };

describe('no digit of a number is lost', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740992', 9007199254740992],
    ['12345678901234567890', '12345678901234567890'],
    ['10000000000000000000000', 1e22],
    ['0.1', 0.1],
    ['0.10000000000000000000', 0.1],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['3.141592653589793238', '3.141592653589793238'],
    ['1e400', '1e400'],
    ['-1E+400', '-1E+400'],
    ['1e-400', '1e-400'],
    ['0e-400', 0],
    ['1e2', 100],
    ['1.5e300', 1.5e300],
    ['123456789012345678e-17', '123456789012345678e-17'],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(`{"a":[${text}, ${text} ],"b":${text}}`)).toEqual({ a: [value, value], b: value });
  });

  test('numbers inside texts and keys are left alone', () => {
    const text = '{"12345678901234567890":"\\"12345678901234567890\\\\", "x":12345678901234567890}';
    expect(parseJson(text)).toEqual({
      '12345678901234567890': '"12345678901234567890\\',
      x: '12345678901234567890',
    });
  });

  test('every integer keeps its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (integer) => {
        const text = integer.toString();
        const value = parseJson(text);
        // The shortest form of a double may end in e+22, so compare the digits without trailing zeros.
        const [mantissa = ''] = textOf(value).split('e');
        expect(digits(mantissa.replace('.', ''))).toBe(digits(text));
        expect(Number(value)).toBe(Number(text));
      }),
      many,
    );
  });
});

describe('everything else is as JSON.parse has it', () => {
  test('values that JSON.stringify has written', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      many,
    );
  });

  test('a text is refused exactly when JSON.parse refuses it', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '1234567890123456789',
      '1e999',
      '-',
      '.',
      ' ',
      'a',
      '0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(outcome(() => parseJson(text))).toBe(outcome(() => void JSON.parse(text)));
      }),
      { numRuns: runs(625, 10_000) },
    );
  });

  test('a number that must be quoted is not a key', () => {
    expect(() => parseJson('{12345678901234567890: 1}')).toThrow(SyntaxError);
  });

  test('__proto__ is an own field and changes no prototype', () => {
    const value = parseJson('{"__proto__": {"admin": true}, "n": 12345678901234567890}');
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Reflect.get(value as object, 'admin')).toBeUndefined();
  });
});

describe('the depth is bounded', () => {
  const nested = (levels: number) => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);

  test('64 levels are read, 65 are not', () => {
    expect(() => parseJson(nested(64), 64)).not.toThrow();
    expect(() => parseJson(`[${nested(64)}]`, 64)).toThrow(JsonDepthError);
    expect(() => parseJson(`${nested(64)} `.repeat(2), 64)).not.toThrow(JsonDepthError);
  });

  test('brackets inside strings are not levels', () => {
    expect(parseJson(JSON.stringify(['['.repeat(5000), '\\"[[['.repeat(100)]), 2)).toHaveLength(2);
  });

  test('by default so deep that JSON.stringify still writes it', () => {
    expect(JSON.stringify(parseJson(nested(1000)))).toBe(nested(1000));
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(JsonDepthError);
  });
});

/** The digits without trailing zeros. */
function digits(text: string): string {
  return text.replace(/0+$/, '');
}

function outcome(parse: () => unknown): string {
  try {
    parse();
    return 'a value';
  } catch (error) {
    return error instanceof SyntaxError ? 'a SyntaxError' : 'another error';
  }
}
