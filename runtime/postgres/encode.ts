/** Encodes JSON values as strings for parameters of PostgreSQL types, so that a value read from a column can be written back. */
import { exactJson } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import { JsonDepthError, parseJson } from '../handler/parse-json.js';
import { base64Bytes, isIllFormed, plainDigits } from '../sql/column-values.js';

/** A non-null value. Null is NULL for every type, so encoders never receive null. */
export type NotNull = Exclude<Json, null>;

/** Encodes values of one type. */
export interface Encoder {
  /** A description of valid values, such as `an integer`, and of valid list elements, such as `integers`; empty if unknown. */
  readonly one: string;
  readonly many: string;
  /**
   * The string for the server; undefined if the value is invalid. If validity is uncertain, the server decides. With `isJsonText`, a
   * string that parses as JSON is a document.
   */
  encode(value: NotNull, isJsonText: boolean): string | undefined;
  /** A description of valid values, if it depends on the value. */
  expected?(value: NotNull): string;
  /** The position (`[1]`) of the first invalid list element, and a description of valid values there. */
  misfit?(value: NotNull): { readonly at: string; readonly expected: string } | undefined;
  /** True for the bytea type. */
  readonly isBinary?: true;
  /** True if an array is a single value of the type, not a list of values. */
  readonly takesArrays?: boolean;
}

/** The string form of a value that is neither an array nor an object. */
function scalarText(value: NotNull): string | undefined {
  switch (typeof value) {
    case 'string':
      return isIllFormed(value) || value.includes('\0') ? undefined : value;
    case 'number':
      return plainDigits(value);
    case 'boolean':
      return String(value);
    default:
      return undefined;
  }
}

/** The string form of any value. Arrays and objects become JSON, which is also the notation of vectors and similar types. */
function anyText(value: NotNull): string | undefined {
  return typeof value === 'object' ? exactJson(value) : scalarText(value);
}

export const text: Encoder = {
  one: 'a string without U+0000 and lone surrogates',
  many: 'strings without U+0000 and lone surrogates',
  encode: anyText,
};

/** The encoder for types that only the server can validate: enums, ranges, networks, bits, composite types. */
export const other: Encoder = { one: '', many: 'values', encode: anyText };

/** The encoder for dates and times, which the server accepts in many forms. */
export function scalar(one: string, many: string): Encoder {
  return { one, many, encode: (value) => (typeof value === 'boolean' ? undefined : scalarText(value)) };
}

/** Matches in linear time, unlike `\d+\.?\d*`. */
const decimalForm = /^[ \t-\r]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?[ \t-\r]*$/;

/** NaN, infinities, and notations accepted only by newer servers: hexadecimal digits, underscores. */
const otherNumber =
  /^[ \t-\r]*[-+]?(?:nan|inf(?:inity)?|0[xob][\da-f_]+|[\d_]+(?:\.[\d_]*)?(?:e[-+]?[\d_]+)?)[ \t-\r]*$/i;

export const decimal: Encoder = {
  one: 'a number',
  many: 'numbers',
  encode: (value) => {
    if (typeof value === 'number') return plainDigits(value);
    if (typeof value !== 'string') return undefined;
    return decimalForm.test(value) || otherNumber.test(value) ? value : undefined;
  },
};

const wholeForm = /^[ \t-\r]*[-+]?\d+[ \t-\r]*$/;

/** The encoder for integers with the given number of bits, including the sign. */
export function integer(bits: 16 | 32 | 64): Encoder {
  const limit = 2n ** BigInt(bits - 1);
  const [min, most] = [Number(-limit), Number(limit)];
  // There are no doubles between the largest integer and the limit.
  const isBetween = (number: number): boolean => number >= min && number < most;
  const isInRange = (digits: string): boolean => {
    if (digits.length <= 15) return isBetween(Number(digits));
    // So many digits are either leading zeros or out of range: the server decides.
    if (digits.length > 60) return true;
    const number = BigInt(digits.trim().replace(/^\+/, ''));
    return -limit <= number && number < limit;
  };
  const range = `an integer from ${-limit} to ${limit - 1n}`;
  return {
    one: 'an integer',
    many: 'integers',
    encode: (value) => {
      if (typeof value === 'number' && Number.isInteger(value)) {
        // Integers below 1e21 are written without an exponent.
        return isBetween(value) ? String(value === 0 ? 0 : value) : undefined;
      }
      if (typeof value !== 'string') return undefined;
      if (wholeForm.test(value)) return isInRange(value) ? value : undefined;
      return otherInteger.test(value) ? value : undefined;
    },
    expected: (value) => {
      const isWhole =
        typeof value === 'number'
          ? Number.isInteger(value)
          : typeof value === 'string' && wholeForm.test(value);
      return isWhole ? range : 'an integer';
    },
  };
}

/** Newer servers accept hexadecimal digits and underscores. */
const otherInteger = /^[ \t-\r]*[-+]?(?:0[xob][\da-f_]+|\d[\d_]*)[ \t-\r]*$/i;

/** The server accepts every prefix of these words, except a single `o`. */
const booleanForm =
  /^[ \t-\r]*(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|y(?:es?)?|no?|on|off?|0|1)[ \t-\r]*$/i;

export const boolean: Encoder = {
  one: 'true or false',
  many: 'values true or false',
  encode: (value) => {
    const scalar = scalarText(value);
    return scalar !== undefined && booleanForm.test(scalar) ? scalar : undefined;
  },
};

const uuidForm = /^(?:\{[\da-f]{4}(?:-?[\da-f]{4}){7}\}|[\da-f]{4}(?:-?[\da-f]{4}){7})$/i;

export const uuid: Encoder = {
  one: 'a UUID',
  many: 'UUIDs',
  encode: (value) => (typeof value === 'string' && uuidForm.test(value) ? value : undefined),
};

export const bytes: Encoder = {
  one: 'base64',
  many: 'base64 strings',
  isBinary: true,
  encode: (value) => {
    const read = typeof value === 'string' ? base64Bytes(value) : undefined;
    return read && `\\x${read.toString('hex')}`;
  },
};

export const json: Encoder = {
  one: 'JSON',
  many: 'JSON values',
  takesArrays: true,
  encode: (value, isJsonText) => {
    if (typeof value === 'object') return exactJson(value);
    if (typeof value !== 'string') return String(value);
    if (isIllFormed(value)) return undefined;
    if (!isJsonText) return JSON.stringify(value);
    try {
      // Only validated: the string is sent unchanged. Deeper documents would make the server fail.
      parseJson(value);
      return value;
    } catch (error) {
      return error instanceof JsonDepthError ? undefined : JSON.stringify(value);
    }
  },
};
