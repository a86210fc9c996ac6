/** Schemas of numbers. A number that does not fit in a double is a string of its digits, and is compared exactly. */
import { compareDecimals, isExact, isJsonNumber, readDecimal, type Decimal } from '../handler/decimal.js';
import type { Json } from '../handler/json.js';
import type { ValidationErrors } from './validation-errors.js';
import { printValue, type ValuePath } from './value-path.js';
import { Schema } from './schema.js';

/** Bounds that do not fit in a double are strings of digits. */
export interface NumberBounds {
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly exclusiveMinimum?: number | string;
  readonly exclusiveMaximum?: number | string;
  readonly multipleOf?: number | string;
  readonly format?: 'int32' | 'int64';
}

const ranges = {
  int32: ['-2147483648', '2147483647'],
  int64: ['-9223372036854775808', '9223372036854775807'],
} as const;

/** Its bounds are fields, because reading absent properties of objects of many shapes takes longer than comparing. */
class Numeric extends Schema {
  readonly #format: NumberBounds['format'];
  readonly #multipleOf: number | string | undefined;
  readonly #minimum: number | string | undefined;
  readonly #maximum: number | string | undefined;
  readonly #exclusiveMinimum: number | string | undefined;
  readonly #exclusiveMaximum: number | string | undefined;

  constructor(
    bounds: NumberBounds,
    private readonly isInteger: boolean,
  ) {
    super();
    this.#format = bounds.format;
    this.#multipleOf = bounds.multipleOf;
    this.#minimum = bounds.minimum;
    this.#maximum = bounds.maximum;
    this.#exclusiveMinimum = bounds.exclusiveMinimum;
    this.#exclusiveMaximum = bounds.exclusiveMaximum;
  }

  check(value: Json, at: ValuePath, errors: ValidationErrors): void {
    if (!this.accepts(value)) {
      errors.add(at, () => `must be ${this.isInteger ? 'an integer' : 'a number'}, not ${printValue(value)}`);
      return;
    }
    const number = value as number | string;
    const [format, multipleOf] = [this.#format, this.#multipleOf];
    const [minimum, maximum] = [this.#minimum, this.#maximum];
    const [exclusiveMinimum, exclusiveMaximum] = [this.#exclusiveMinimum, this.#exclusiveMaximum];
    const range = format === undefined ? undefined : ranges[format];
    if (range !== undefined && (compare(number, range[0]) < 0 || compare(number, range[1]) > 0))
      refuse(number, format === 'int32' ? 'a 32-bit integer' : 'a 64-bit integer', at, errors);
    if (minimum !== undefined && compare(number, minimum) < 0)
      refuse(number, `at least ${minimum}`, at, errors);
    if (maximum !== undefined && compare(number, maximum) > 0)
      refuse(number, `at most ${maximum}`, at, errors);
    if (exclusiveMinimum !== undefined && compare(number, exclusiveMinimum) <= 0)
      refuse(number, `greater than ${exclusiveMinimum}`, at, errors);
    if (exclusiveMaximum !== undefined && compare(number, exclusiveMaximum) >= 0)
      refuse(number, `less than ${exclusiveMaximum}`, at, errors);
    if (multipleOf !== undefined && !isMultiple(String(number), String(multipleOf)))
      refuse(number, `a multiple of ${multipleOf}`, at, errors);
  }

  override get kindNames(): readonly string[] {
    return [this.isInteger ? 'an integer' : 'a number'];
  }

  /** Whether the value is a number. The JSON parser represents a number that does not fit in a double as a string. */
  accepts(value: Json): boolean {
    if (typeof value === 'number') return !this.isInteger || Number.isInteger(value);
    return (
      typeof value === 'string' &&
      isJsonNumber(value) &&
      (!this.isInteger || digits.test(value)) &&
      !isExact(value)
    );
  }

  protected override fromText(text: string): Json {
    const isNumber = this.isInteger ? digits.test(text) && isJsonNumber(text) : isJsonNumber(text);
    return isNumber && isExact(text) ? Number(text) : text;
  }
}

const digits = /^-?\d+$/;

function compare(left: number | string, right: number | string): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return compareDecimals(String(left), String(right));
}

function refuse(number: number | string, bound: string, at: ValuePath, errors: ValidationErrors): void {
  errors.add(at, () => `must be ${bound}, not ${shownNumber(number)}`);
}

function shownNumber(number: number | string): string {
  const text = String(number);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A number within bounds. */
export function number(bounds: NumberBounds = {}): Schema {
  return new Numeric(bounds, false);
}

/** An integer within bounds. */
export function integer(bounds: NumberBounds = {}): Schema {
  return new Numeric(bounds, true);
}

/**
 * Whether a JSON number is a multiple of another. Zero does not divide any number. The number is from a request and can have any
 * length; the divisor is from the API description.
 */
export function isMultiple(number: string, of: string): boolean {
  const [value, divisor] = [readDecimal(number), readDecimal(of)];
  if (divisor.digits === '') return false;
  if (value.digits === '') return true;
  const tens = lastPlace(value) - lastPlace(divisor);
  // The last digit of the value is not 0, so the value is not divisible by ten.
  if (!(tens >= 0)) return false;
  const modulus = BigInt(divisor.digits);
  // The divisor contains fewer factors 2 and fewer factors 5 than four per digit, so more tens do not change the result.
  const power = 10n ** BigInt(Math.min(tens, 4 * divisor.digits.length));
  return (remainder(value.digits, modulus) * power) % modulus === 0n;
}

/**
 * The power of ten of the last digit; infinite if the exponent has too many digits for a double, and is therefore larger than any
 * number of digits.
 */
function lastPlace({ digits, exponent }: Decimal): number {
  return Number(exponent) - digits.length;
}

/** Number of digits parsed at a time, because BigInt takes more than linear time for long strings. */
const piece = 500;

function remainder(digits: string, modulus: bigint): bigint {
  let rest = 0n;
  for (let start = 0; start < digits.length; start += piece) {
    const part = digits.slice(start, start + piece);
    rest = (rest * 10n ** BigInt(part.length) + BigInt(part)) % modulus;
  }
  return rest;
}
