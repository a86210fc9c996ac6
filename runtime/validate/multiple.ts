/** Whether one decimal number is a multiple of another, exactly: 0.3 is one of 0.1. */

/** Both are numbers as JSON writes them; nothing is a multiple of zero. */
export function isMultiple(number: string, of: string): boolean {
  const [value, divisor] = [read(number), read(of)];
  if (divisor.digits === 0n) return false;
  if (value.digits === 0n) return true;
  const shift = value.exponent - divisor.exponent;
  if (shift >= 0) return (value.digits * power(10n, shift, divisor.digits)) % divisor.digits === 0n;
  // More tens than the value has digits cannot divide it.
  if (-shift > number.length) return false;
  return value.digits % (divisor.digits * 10n ** BigInt(-shift)) === 0n;
}

/** The value digits × 10^exponent; the sign does not matter. */
function read(text: string): { readonly digits: bigint; readonly exponent: number } {
  const [, mantissa = '', scale = '0'] = /^-?([\d.]+)(?:[eE](.+))?$/.exec(text) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(scale) - fraction.length };
}

/** `base` to the power of `exponent`, modulo `modulus`. */
function power(base: bigint, exponent: number, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = base % modulus;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
