/** What both kinds of database ask of the values that are bound to their statements. */

/** A surrogate without its partner: no character, and both drivers would silently send another one for it. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether the string has a surrogate without its partner, which no database can store. */
export function isIllFormed(text: string): boolean {
  return loneSurrogate.test(text);
}

/** 1e21 is 1000000000000000000000, 1e-7 is 0.0000001; what is no finite number is null, as in JSON. */
export function plainDigits(value: number): string | null {
  if (!Number.isFinite(value)) return null;
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}
