/** Representative values of a type: of values that no condition distinguishes, one is enough. */
import { isJsonNumber } from '../../../runtime/handler/decimal.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { Constant } from './formula.js';
import type { ValueType } from './value-type.js';

/** The values with which a value is compared. */
export interface Comparisons {
  readonly constants: ReadonlySet<Constant>;
  /** True if one of the ordering comparisons is with a string. */
  readonly isOrderedByString: boolean;
}

/**
 * One value for each class that comparisons with these constants can distinguish: `x > 5 && x < 7` needs 4, 5, 6, 7 and 8, as numbers and
 * as strings. Undefined if there are too many, because strings of digits are ordered both as strings and as numbers.
 */
export function candidates(
  type: ValueType,
  { constants, isOrderedByString }: Comparisons,
): Json[] | undefined {
  if (type.constant !== undefined) return [type.constant];
  const strings = [...constants].filter((constant) => typeof constant === 'string');
  const isNumeric = [...constants].some((constant) => typeof constant === 'number');
  if (isNumeric && isOrderedByString && type.kinds.has('string')) return undefined;
  const values = new Set(
    [
      ...[...constants].filter((constant) => typeof constant === 'number'),
      ...strings.filter(isJsonNumber).map(Number),
    ].filter(Number.isFinite),
  );
  const numbers =
    type.wholeFrom === undefined ? around(values) : wholeAround(values, type.wholeFrom, type.wholeTo);
  const found: Json[] = [];
  if (type.kinds.has('null')) found.push(null);
  if (type.kinds.has('boolean')) found.push(true, false);
  if (type.kinds.has('number')) found.push(...numbers);
  if (type.kinds.has('string')) found.push(...stringsOf(type, strings, numbers));
  if (type.kinds.has('array')) found.push([]);
  if (type.kinds.has('object')) found.push({});
  return found;
}

/** Each number, a value between neighbors, and a value on either side of all. */
function around(values: ReadonlySet<number>): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  const found = [first - 1];
  for (const [index, value] of sorted.entries()) {
    const next = sorted[index + 1];
    found.push(value, next === undefined ? value + 1 : value / 2 + next / 2);
  }
  return found;
}

/** Each value with its neighboring integers, and the smallest integer, within the range. */
function wholeAround(values: ReadonlySet<number>, from: number, to = Infinity): number[] {
  const near = [...values].flatMap((value) => [
    Math.ceil(value) - 1,
    Math.floor(value),
    Math.ceil(value),
    Math.floor(value) + 1,
  ]);
  return [...new Set([from, from + 1, ...near])].filter((value) => value >= from && value <= to);
}

function stringsOf(
  { words, form }: ValueType,
  strings: readonly string[],
  numbers: readonly number[],
): Iterable<string> {
  if (words !== undefined) return words;
  const all = stringsAround(strings, numbers);
  if (form === undefined) return all;
  return new Set([...all.filter((text) => form.fits(text)), ...(form.words ?? [form.example])]);
}

/** Each string, its successor, the numbers as strings in a different spelling, and the words for booleans. */
function stringsAround(strings: readonly string[], numbers: readonly number[]): string[] {
  const spelled = numbers.map((value) =>
    strings.includes(String(value)) ? spell(value, strings) : String(value),
  );
  return [...new Set(['', 'true', 'false', ...strings.flatMap((one) => [one, `${one}\u0000`]), ...spelled])];
}

/** The number in a spelling that is not among the strings. */
function spell(value: number, strings: readonly string[]): string {
  const [digits = '', exponent = ''] = String(value).split('e');
  let text = digits.includes('.') ? `${digits}0` : `${digits}.0`;
  while (strings.includes(exponent === '' ? text : `${text}e${exponent}`)) text += '0';
  return exponent === '' ? text : `${text}e${exponent}`;
}
