/** Numbers of parsed JSON that a double cannot hold: databases receive them as numbers again, although they are strings of their digits here. */
import { type Json, type Step, get, hasNumbers, isNumberAt, isNumberIn } from './json.js';

/** Such a number as a value of a statement: JSON of the database gets it as a number, anything else as the string of its digits. */
export class ExactDigits {
  constructor(readonly text: string) {}
}

/** The value at a path as `get` finds it, for a statement: such a number keeps that it is one. */
export function exact(value: Json | undefined, ...steps: readonly Step[]): Json | ExactDigits {
  const found = get(value, ...steps);
  return typeof found === 'string' && hasNumbers(value) && isNumberAt(value, steps)
    ? new ExactDigits(found)
    : found;
}

/** The elements of a list for a statement: such numbers keep that they are numbers. */
export function exactIn(list: readonly Json[]): readonly (Json | ExactDigits)[] {
  if (!hasNumbers(list)) return list;
  return list.map((part, index) =>
    typeof part === 'string' && isNumberIn(list, index) ? new ExactDigits(part) : part,
  );
}

/** The value as everything but a statement reads it: such a number is the string of its digits. */
export function plainValue(value: Json | ExactDigits): Json {
  return value instanceof ExactDigits ? value.text : value;
}

/** `JSON.stringify`, but such numbers are written as numbers. */
export function exactJson(value: Json): string {
  if (typeof value !== 'object' || value === null || !hasNumbers(value)) return JSON.stringify(value);
  const write = (part: Json, name: string | number): string =>
    typeof part === 'string' && isNumberIn(value, name) ? part : exactJson(part);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const fields = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${write(part, name)}`);
  return `{${fields.join(',')}}`;
}
