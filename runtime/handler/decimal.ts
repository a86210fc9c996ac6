/** Compares numbers by their digits, so that nothing is rounded: `9007199254740993` and `9007199254740992` differ. */

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the text is a number as JSON writes it: no blank, no plus sign, no leading zero. */
export function isJsonNumber(text: string): boolean {
  return jsonNumber.test(text);
}

const wholeNumber = /^-?[1-9]\d{0,20}$/;

/** Whether a double carries the number exactly as it is written: its shortest text means the same number. */
export function isExact(jsonNumber: string): boolean {
  const double = Number(jsonNumber);
  const shortest = String(double);
  if (shortest === jsonNumber) return true;
  // Of a whole number of so many digits there is one text only.
  if (wholeNumber.test(jsonNumber) && wholeNumber.test(shortest)) return false;
  return Number.isFinite(double) && compareDecimals(jsonNumber, shortest) === 0;
}

/** Compares two JSON number texts by the exact value that they write: negative, zero or positive, as a sort wants it. */
export function compareDecimals(left: string, right: string): number {
  const a = readDecimal(left);
  const b = readDecimal(right);
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.exponent < b.exponent) return -a.sign;
  if (a.exponent > b.exponent) return a.sign;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}

/** The value sign × 0.digits × 10^exponent; the digits neither begin nor end with a zero. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  /** A bigint only where a double does not hold it. */
  readonly exponent: number | bigint;
}

function readDecimal(text: string): Decimal {
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

/** Digits of an exponent that are told apart; beyond them it counts as infinite, since reading it exactly would take too long. */
const mostExponentDigits = 1000;

function readExponent(text: string): number | bigint {
  if (text.length <= 15) return Number(text);
  const digits = text.replace(/^[+-]?0*/, '');
  const sign = text.startsWith('-') ? -1 : 1;
  if (digits.length <= 15) return sign * Number(digits);
  return digits.length > mostExponentDigits ? sign * Infinity : BigInt(sign) * BigInt(digits);
}
