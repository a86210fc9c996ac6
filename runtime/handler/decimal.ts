/** Compares numbers by digits, without rounding: `9007199254740993` and `9007199254740992` differ. */

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the string is a JSON number, without spaces, plus signs or leading zeros. */
export function isJsonNumber(text: string): boolean {
  return jsonNumber.test(text);
}

const wholeNumber = /^-?[1-9]\d{0,20}$/;

/** Whether a double represents the number exactly: the shortest notation of the double is equal to the number. */
export function isExact(jsonNumber: string): boolean {
  const double = Number(jsonNumber);
  const shortest = String(double);
  if (shortest === jsonNumber) return true;
  // The notation of an integer with so few digits is unique.
  if (wholeNumber.test(jsonNumber) && wholeNumber.test(shortest)) return false;
  return Number.isFinite(double) && compareDecimals(jsonNumber, shortest) === 0;
}

/** Compares the exact values of two JSON numbers. Returns a negative number, zero or a positive number, as for `sort`. */
export function compareDecimals(left: string, right: string): number {
  const a = readDecimal(left);
  const b = readDecimal(right);
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.exponent < b.exponent) return -a.sign;
  if (a.exponent > b.exponent) return a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

/** The value sign × 0.digits × 10^exponent. The digits have no leading or trailing zeros. */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  /** A bigint if the exponent does not fit in a double. */
  readonly exponent: number | bigint;
}

/** The value of a JSON number. */
export function readDecimal(text: string): Decimal {
  const negative = text.startsWith('-');
  const mark = text.search(/[eE]/);
  const mantissa = text.slice(negative ? 1 : 0, mark === -1 ? text.length : mark);
  const exponent = mark === -1 ? 0 : readExponent(text.slice(mark + 1));
  const point = mantissa.indexOf('.');
  const whole = point === -1 ? mantissa.length : point;
  const digits = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);

  let first = 0;
  while (digits[first] === '0') first += 1;
  let end = digits.length;
  while (end > first && digits[end - 1] === '0') end -= 1;
  if (first === end) return { sign: 0, digits: '', exponent: 0 };
  const shift = whole - first;
  return {
    sign: negative ? -1 : 1,
    digits: digits.slice(first, end),
    exponent: typeof exponent === 'bigint' ? exponent + BigInt(shift) : exponent + shift,
  };
}

/** Maximum digits of an exponent. A longer exponent counts as infinite, because parsing it would take too long. */
const maxExponentDigits = 1000;

function readExponent(text: string): number | bigint {
  if (text.length <= 15) return Number(text);
  const digits = text.replace(/^[+-]?0*/, '');
  const sign = text.startsWith('-') ? -1 : 1;
  if (digits.length <= 15) return sign * Number(digits);
  return digits.length > maxExponentDigits ? sign * Infinity : BigInt(sign) * BigInt(digits);
}
