/** Numbers of responses that are strings of their digits, as the API description or `settings.numbers` declares them. No function throws. */
import type { ExactNumber, Json, JsonObject } from '../handler/json.js';
import { plainDigits } from '../sql/column-values.js';

/**
 * The digits of a number as a string, with at least `scale` digits after the point: `digits(10.1, 2)` is `"10.10"`. The numbers of a list
 * are converted, too; any other value is returned unchanged, and undefined is null.
 */
export function digits(value: ExactNumber, scale?: number): string;
export function digits(value: ExactNumber | null | undefined, scale?: number): string | null;
export function digits(value: Json | undefined, scale?: number): Json;
export function digits(value: Json | undefined, scale = 0): Json {
  if (typeof value === 'number') return digitsOf(value, scale);
  return Array.isArray(value) ? value.map((element) => digits(element, scale)) : (value ?? null);
}

function digitsOf(value: number, scale: number): string {
  const text = plainDigits(value) ?? String(value);
  if (scale === 0) return text;
  const point = text.indexOf('.');
  return point === -1 ? `${text}.${'0'.repeat(scale)}` : text.padEnd(point + 1 + scale, '0');
}

/** The numbers of an object that are strings, by the names of their fields: the digits after the point, or the fields of an object. */
export interface DigitsOfFields {
  readonly [name: string]: number | DigitsOfFields;
}

/** Rows, or one of them, with the numbers of these fields as strings: `withDigits(orders, { id: 0, net: 2 })`. Undefined is null. */
export function withDigits(value: Json | undefined, fields: DigitsOfFields): Json {
  if (Array.isArray(value)) return value.map((element) => withDigits(element, fields));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const copy: JsonObject = { ...value };
  for (const [name, inside] of Object.entries(fields)) {
    if (!Object.hasOwn(copy, name)) continue;
    const field = copy[name];
    copy[name] = typeof inside === 'number' ? digits(field, inside) : withDigits(field, inside);
  }
  return copy;
}
