/** Checks whether a decimal number is an exact multiple of another: 0.3 of 0.1. It takes linear time for any exponent. */

/**
 * Both are JSON numbers. Nothing is a multiple of zero. The number is from a request and may have any length; the divisor is from the API
 * description.
 */
export function isMultiple(number: string, of: string): boolean {
  const [value, divisor] = [read(number), read(of)];
  if (divisor.digits === '') return false;
  if (value.digits === '') return true;
  const tens = value.exponent - divisor.exponent;
  // The last digit of the value is not 0, so ten does not divide it.
  if (!(tens >= 0)) return false;
  const modulus = BigInt(divisor.digits);
  // The divisor has fewer factors 2, and fewer factors 5, than four for each digit: more tens than that change nothing.
  const power = 10n ** BigInt(Math.min(tens, 4 * divisor.digits.length));
  return (remainder(value.digits, modulus) * power) % modulus === 0n;
}

/** The value digits × 10^exponent; the digits neither begin nor end with a zero, and zero has none. The sign does not matter. */
function read(text: string): { readonly digits: string; readonly exponent: number } {
  const mark = text.search(/[eE]/);
  const mantissa = text.slice(text.startsWith('-') ? 1 : 0, mark === -1 ? text.length : mark);
  // Infinite if it has too many digits for a double: then it is larger than any number of digits.
  const scale = mark === -1 ? 0 : Number(text.slice(mark + 1));
  const point = mantissa.indexOf('.');
  const all = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  const fraction = point === -1 ? 0 : mantissa.length - point - 1;
  let first = 0;
  while (all[first] === '0') first += 1;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(first, end), exponent: scale - fraction + (all.length - end) };
}

/** Digits that are parsed at a time: BigInt needs more than linear time for long strings. */
const piece = 500;

function remainder(digits: string, modulus: bigint): bigint {
  let rest = 0n;
  for (let start = 0; start < digits.length; start += piece) {
    const part = digits.slice(start, start + piece);
    rest = (rest * 10n ** BigInt(part.length) + BigInt(part)) % modulus;
  }
  return rest;
}
