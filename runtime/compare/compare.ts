/** The comparison operators in configured conditions: `equal(7, "7")` is true. Undefined counts as null. No function throws. */
import { compareDecimals, isExact, isJsonNumber } from '../handler/decimal.js';
import type { Json, JsonObject } from '../handler/json.js';
import { isTime, orderTimes } from './times.js';

/**
 * `==`:
 *
 * - null only equals null
 * - a number equals a string that is a JSON number with exactly the same value: 7 and "7.0"
 * - a boolean equals the string `true` or `false`
 * - two strings that are dates or timestamps are equal if they are the same point in time
 * - two strings of numbers are equal if the numbers are equal and at least one does not fit in a double
 * - arrays and objects are compared by content with these rules, regardless of field order
 * - otherwise the types must be the same
 */
export function equal(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (left == null || right == null) return left == right;
  if (typeof left === 'object' || typeof right === 'object') {
    return typeof left === 'object' && typeof right === 'object' && equalContent(left, right);
  }
  if (typeof left === 'boolean') return typeof right === 'string' && right === String(left);
  if (typeof right === 'boolean') return typeof left === 'string' && left === String(right);
  // Different strings are not equal, even if both are numbers that fit in a double.
  if (typeof left === 'string' && typeof right === 'string') return orderOfMeaning(left, right) === 0;
  return order(left, right) === 0;
}

/**
 * `<`: compares two numbers, a number and a string that is a JSON number, two dates or timestamps as points in time, or two other
 * strings by code point; false for any other pair.
 */
export function less(left: Json | undefined, right: Json | undefined): boolean {
  return order(left, right) < 0;
}

/** `<=`, with the rules of `less`. */
export function lessOrEqual(left: Json | undefined, right: Json | undefined): boolean {
  return order(left, right) <= 0;
}

/** `>`, with the rules of `less`. */
export function greater(left: Json | undefined, right: Json | undefined): boolean {
  return order(left, right) > 0;
}

/** `>=`, with the rules of `less`. */
export function greaterOrEqual(left: Json | undefined, right: Json | undefined): boolean {
  return order(left, right) >= 0;
}

/** `<` if one side is known to be a time; false for a string that is not a time. */
export function isBefore(left: Json | undefined, right: Json | undefined): boolean {
  return orderBesideTime(left, right) < 0;
}

/** `<=`, with the rules of `isBefore`. */
export function isBeforeOrAt(left: Json | undefined, right: Json | undefined): boolean {
  return orderBesideTime(left, right) <= 0;
}

/** `>`, with the rules of `isBefore`. */
export function isAfter(left: Json | undefined, right: Json | undefined): boolean {
  return orderBesideTime(left, right) > 0;
}

/** `>=`, with the rules of `isBefore`. */
export function isAfterOrAt(left: Json | undefined, right: Json | undefined): boolean {
  return orderBesideTime(left, right) >= 0;
}

/** Like `order`, but NaN if only one of two strings is a time. */
function orderBesideTime(left: Json | undefined, right: Json | undefined): number {
  if (typeof left !== 'string' || typeof right !== 'string') return order(left, right);
  return orderTimes(left, right) ?? (isTime(left) || isTime(right) ? NaN : order(left, right));
}

/** A value as a condition: true for `true` and the string `true`. */
export function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true';
}

function equalContent(left: Json[] | JsonObject, right: Json[] | JsonObject): boolean {
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((element, index) => equal(element, right[index]));
  }
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]));
}

/** Negative, zero or positive; NaN, which makes every comparison false, if the pair cannot be ordered. */
function order(left: Json | undefined, right: Json | undefined): number {
  if (typeof left === 'string') {
    if (typeof right === 'string') return orderOfMeaning(left, right) ?? orderTexts(left, right);
    return typeof right === 'number' ? -orderNumberAndText(right, left) : NaN;
  }
  if (typeof left !== 'number') return NaN;
  if (typeof right === 'number') return left - right;
  return typeof right === 'string' ? orderNumberAndText(left, right) : NaN;
}

function orderNumberAndText(number: number, text: string): number {
  if (!isJsonNumber(text)) return NaN;
  const rounded = Number(text);
  if (rounded !== number) return number < rounded ? -1 : 1;
  // The string may have more digits than a double: 9007199254740993 is not 9007199254740992.
  return compareDecimals(String(number), text);
}

/**
 * Orders two times, or two numbers of which at least one does not fit in a double (databases send such numbers as strings). Undefined
 * for other strings.
 */
function orderOfMeaning(left: string, right: string): number | undefined {
  if (!mayBeNumberOrTime(left) || !mayBeNumberOrTime(right)) return undefined;
  const times = orderTimes(left, right);
  if (times !== undefined) return times;
  const areNumbers = isJsonNumber(left) && isJsonNumber(right) && !(isExact(left) && isExact(right));
  return areNumbers ? compareDecimals(left, right) : undefined;
}

/** Checks the first character: a digit, a minus sign, or the i of `infinity`. */
function mayBeNumberOrTime(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 48 && code <= 57) || code === 45 || code === 105;
}

/** Orders by code point. JavaScript's `<` compares UTF-16 units, and puts U+1F600 before U+FF5E. */
function orderTexts(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index += 1;
  if (index === length) return left.length - right.length;
  // The first difference may be the second half of a surrogate pair, so whole code points are compared.
  const before =
    index > 0 && isHighSurrogate(left.charCodeAt(index - 1))
      ? pointAt(left, index - 1) - pointAt(right, index - 1)
      : 0;
  return before === 0 ? pointAt(left, index) - pointAt(right, index) : before;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function pointAt(text: string, index: number): number {
  return text.codePointAt(index) ?? 0;
}
