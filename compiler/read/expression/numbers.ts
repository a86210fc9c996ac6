/** Parses numbers and checks whether JSON numbers can represent them exactly. */

/** Whether a string has the form of a JSON number. */
export function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** The value of an integer within ±(2^53−1); undefined beyond, where precision is lost. */
export function exactInteger(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? positiveZero(value) : undefined;
}

/** The value of a JSON number; undefined if precision is lost. */
export function exactNumber(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && significance(String(value)) === significance(text)
    ? positiveZero(value)
    : undefined;
}

/** JSON does not distinguish -0 from 0, and nobody means -0. */
function positiveZero(value: number): number {
  return value === 0 ? 0 : value;
}

/** A canonical form of the number: its digits without leading and trailing zeros, and the exponent of the last digit. */
function significance(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const trimmed = withoutTrailingZeros(digits);
  if (trimmed === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return `${mantissa.startsWith('-') ? '-' : ''}${trimmed}e${power}`;
}

/** A loop, because the pattern `0+$` takes quadratic time for many zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
