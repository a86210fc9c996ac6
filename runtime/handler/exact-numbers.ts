/**
 * Numbers from JSON that do not fit in a double. They are represented as strings of their digits, but databases receive them as
 * numbers.
 */
import { type Json, type Step, get, hasNumbers, isNumberAt, isNumberIn } from './json.js';

/**
 * The digits of a number that does not fit in a double, as a statement value: passed to JSON of the database as a number, otherwise as
 * a string.
 */
export class ExactDigits {
  constructor(readonly text: string) {}
}

/** Like `get`, for values of statements: a number that does not fit in a double is returned as ExactDigits. */
export function exact(value: Json | undefined, ...steps: readonly Step[]): Json | ExactDigits {
  const found = get(value, ...steps);
  return typeof found === 'string' && hasNumbers(value) && isNumberAt(value, steps)
    ? new ExactDigits(found)
    : found;
}

/** The elements of a list, for values of statements: numbers that do not fit in a double are returned as ExactDigits. */
export function exactIn(list: readonly Json[]): readonly (Json | ExactDigits)[] {
  if (!hasNumbers(list)) return list;
  return list.map((part, index) =>
    typeof part === 'string' && isNumberIn(list, index) ? new ExactDigits(part) : part,
  );
}

/** The value for any use except statements: ExactDigits become a plain string. */
export function plainValue(value: Json | ExactDigits): Json {
  return value instanceof ExactDigits ? value.text : value;
}

/** Like `JSON.stringify`, but writes the digits of numbers as numbers. */
export function exactJson(value: Json): string {
  if (typeof value !== 'object' || value === null || !hasNumbers(value)) return JSON.stringify(value);
  const write = (part: Json, name: string | number): string =>
    typeof part === 'string' && isNumberIn(value, name) ? part : exactJson(part);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const fields = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${write(part, name)}`);
  return `{${fields.join(',')}}`;
}
