/** Evaluates expressions, based only on docs/design/expressions.md: an oracle for the generated handlers. */
import { hash } from 'node:crypto';
import type { Expr, Json, Operator, Step, Template } from './language.js';

/** Ends the operation with this status; the message is undefined if docs/design does not specify it. */
export class Stop extends Error {
  constructor(
    readonly status: number,
    readonly text?: string,
  ) {
    super(text);
  }
}

/** The values that an expression can read. */
export interface Scope {
  readonly param: (name: string) => Json;
  readonly body: Json;
  readonly values: ReadonlyMap<string, Json>;
  readonly element: Json;
  readonly stored: ReadonlyMap<string, ReadonlyMap<string, Json>>;
  readonly isB: boolean;
  /** Called with the value of each condition. */
  readonly observe: (condition: Expr, holds: boolean) => void;
}

export function evaluate(expr: Expr, scope: Scope): Json {
  switch (expr.is) {
    case 'constant':
      return expr.value;
    case 'param':
      return scope.param(expr.name);
    case 'body':
      return follow(scope.body, expr.path);
    case 'value':
      return follow(scope.values.get(expr.name) ?? null, expr.path);
    case 'element':
      return follow(scope.element, expr.path);
    case 'stored': {
      const key = indexText(evaluate(expr.index, scope));
      const found = key === undefined ? undefined : scope.stored.get(expr.name)?.get(key);
      return follow(found ?? null, expr.path);
    }
    case 'list':
      return listOf(evaluate(expr.count, scope), readsRequest(expr));
    case 'size':
      return sizeOf(evaluate(expr.of, scope));
    case 'concat':
      return textOf(expr.parts, scope);
    case 'coalesce':
      return expr.parts.map((part) => evaluate(part, scope)).find((value) => value !== null) ?? null;
    case 'length':
      return ofText(evaluate(expr.of, scope), (text) => Array.from(text).length);
    case 'lower':
      return ofText(evaluate(expr.of, scope), (text) => text.toLowerCase());
    case 'sha256':
      return ofText(evaluate(expr.of, scope), (text) => hash('sha256', text));
    case 'if-match':
      return true;
    case 'written':
      return scope.values.get(expr.text) ?? null;
    case 'compare':
      return comparison(expr, scope);
    case 'and':
      return holds(expr.left, scope) && holds(expr.right, scope);
    case 'or':
      return holds(expr.left, scope) || holds(expr.right, scope);
    case 'not':
      return !holds(expr.of, scope);
  }
}

/** A function of strings: numbers and booleans count as their text; null, lists and objects are null. */
function ofText(value: Json, result: (text: string) => Json): Json {
  if (value === null || typeof value === 'object') return null;
  return result(String(value));
}

/** The value of a condition: `true` and the string `true` hold. */
export function holds(expr: Expr, scope: Scope): boolean {
  const value = evaluate(expr, scope);
  const isTrue = value === true || value === 'true';
  scope.observe(expr, isTrue);
  return isTrue;
}

/** The string of a template: null is empty, and other values that are not strings become JSON. */
export function textOf(template: Template, scope: Scope): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = evaluate(part, scope);
      if (value === null) return '';
      return typeof value === 'string' ? value : JSON.stringify(value);
    })
    .join('');
}

/** The elements iterated by a LOOP or a list. */
export function elements(expr: Expr, scope: Scope): Json[] {
  const value = evaluate(expr, scope);
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === 'object') return Object.entries(value).map(([key, val]) => ({ key, val }));
  // A parameter with one value is a list of one.
  if (isParameter(expr)) return [value];
  throw new Stop(readsRequest(expr) ? 400 : 500);
}

/** A parameter as a whole, maybe with a default. */
function isParameter(expr: Expr): boolean {
  if (expr.is === 'coalesce')
    return (
      expr.parts.some(isParameter) && expr.parts.every((part) => part.is === 'constant' || isParameter(part))
    );
  return expr.is === 'param';
}

/** The string by which an index is compared; undefined for null. */
export function indexText(value: Json): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function readsRequest(expr: Expr): boolean {
  switch (expr.is) {
    case 'param':
    case 'body':
      return true;
    case 'size':
    case 'length':
    case 'lower':
    case 'sha256':
    case 'if-match':
    case 'not':
      return readsRequest(expr.of);
    case 'concat':
    case 'coalesce':
      return expr.parts.some(readsRequest);
    case 'list':
      return readsRequest(expr.count);
    case 'stored':
      return readsRequest(expr.index);
    case 'compare':
    case 'and':
    case 'or':
      return readsRequest(expr.left) || readsRequest(expr.right);
    case 'constant':
    case 'value':
    case 'element':
    case 'written':
      return false;
  }
}

function listOf(count: Json, fromRequest: boolean): number[] {
  const isWhole = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  const isDigits = typeof count === 'string' && /^[0-9]+$/.test(count);
  if (!isWhole && !isDigits) throw new Stop(fromRequest ? 400 : 500);
  const found: number[] = [];
  for (let at = 0; at < Number(count); at += 1) found.push(at);
  return found;
}

function sizeOf(value: Json): number {
  if (value === null) return 0;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' ? Object.keys(value).length : 1;
}

/** Evaluates a path: docs/design/expressions.md#exp-4. */
function follow(value: Json, [step, ...rest]: readonly Step[]): Json {
  if (step === undefined || value === null) return value;
  if (step === '*') return Array.isArray(value) ? value.map((one) => follow(one, rest)) : null;
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return null;
    return follow(value[step < 0 ? value.length + step : step] ?? null, rest);
  }
  if (Array.isArray(value)) return follow(value[0] ?? null, [step, ...rest]);
  if (typeof value !== 'object' || !Object.hasOwn(value, step)) return null;
  return follow(value[step] ?? null, rest);
}

function comparison(expr: Extract<Expr, { is: 'compare' }>, scope: Scope): boolean {
  const { operator, left, right } = expr;
  const [one, other] = [evaluate(left, scope), evaluate(right, scope)];
  // `ff == null` is also true for an empty result.
  const isResult = (side: Expr): boolean => scope.isB && side.is === 'value' && side.path.length === 0;
  const isNull = (side: Expr): boolean => side.is === 'constant' && side.value === null;
  if ((isResult(left) && isNull(right)) || (isResult(right) && isNull(left))) {
    const isNothing = sizeOf(isNull(right) ? one : other) === 0;
    return operator === '==' ? isNothing : operator === '!=' && !isNothing;
  }
  // A string that is not a date-time cannot be ordered relative to NOW().
  const hasNoOrder = (isNow(left) && isOtherText(other)) || (isNow(right) && isOtherText(one));
  return !(hasNoOrder && '<>'.includes(operator.charAt(0))) && compare(operator, one, other);
}

/** NOW(), possibly as the first alternative. */
function isNow(expr: Expr): boolean {
  if (expr.is === 'coalesce') return expr.parts[0] !== undefined && isNow(expr.parts[0]);
  return expr.is === 'written' && /^now\(\)$/i.test(expr.text);
}

function isOtherText(value: Json): boolean {
  return typeof value === 'string' && secondsOf(value) === undefined;
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function compare(operator: Operator, left: Json, right: Json): boolean {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  const pair = ordered(left, right);
  if (pair === undefined) return false;
  const [a, b] = pair;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

/** Both as seconds, if both are date-times: with fractions that a double can represent, and in UTC if there is no time zone. */
function timesOf(left: string, right: string): readonly [number, number] | undefined {
  const [a, b] = [secondsOf(left), secondsOf(right)];
  return a === undefined || b === undefined ? undefined : [a, b];
}

const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)?)?$/;

function secondsOf(text: string): number | undefined {
  const match = time.exec(text);
  if (match === null) return undefined;
  const isLocal = match[1] !== undefined && match[3] === undefined;
  return Date.parse(isLocal ? `${text}Z` : text) / 1000;
}

/** Both as numbers or both as strings (ordered by code points); undefined if they cannot be ordered. */
function ordered(left: Json, right: Json): readonly [number, number] | readonly [string, string] | undefined {
  if (typeof left === 'string' && typeof right === 'string') return timesOf(left, right) ?? [left, right];
  const [a, b] = [numberOf(left), numberOf(right)];
  return a === undefined || b === undefined ? undefined : [a, b];
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && jsonNumber.test(value) ? Number(value) : undefined;
}

function isEqual(left: Json, right: Json): boolean {
  if (left === null || right === null) return left === right;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((one, at) => isEqual(one, right[at] ?? null));
  }
  if (typeof left === 'object' || typeof right === 'object') {
    if (typeof left !== 'object' || typeof right !== 'object') return false;
    const [names, others] = [Object.keys(left), Object.keys(right)];
    return (
      names.length === others.length &&
      names.every((name) => Object.hasOwn(right, name) && isEqual(left[name] ?? null, right[name] ?? null))
    );
  }
  if (typeof left === 'string' && typeof right === 'string') {
    const [a, b] = timesOf(left, right) ?? [left, right];
    return a === b;
  }
  if (typeof left === typeof right) return left === right;
  if (typeof left === 'boolean' || typeof right === 'boolean')
    return (typeof left === 'string' || typeof right === 'string') && String(left) === String(right);
  return numberOf(left) !== undefined && numberOf(left) === numberOf(right);
}
