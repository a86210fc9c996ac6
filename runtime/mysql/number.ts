/** Values that are passed to MySQL and MariaDB as numbers or JSON, because these servers do not report parameter types. */
import { ExactDigits, exactJson } from '../handler/exact-numbers.js';
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { plainDigits } from '../sql/column-values.js';
import { BoundBytes, BoundNumber, type SqlValue } from '../sql/sql-template.js';

const written = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?\s*$/;

/**
 * The value as a number, with true as 1; null stays null. Other values are rejected when the statement runs (400), because the server
 * would calculate with 0 or with the leading digits.
 */
export function numeric(value: Json = null): SqlValue {
  const typedValue = typed(value);
  if (typedValue === null || typedValue instanceof BoundNumber || typedValue instanceof BoundBytes)
    return typedValue;
  const isNumber = typeof value === 'string' && value.length <= maxLength && written.test(value);
  return new BoundNumber(isNumber ? value.trim() : undefined);
}

/** Exceeds the digits of any number in a database. */
const maxLength = 1000;

/** Converts numbers and booleans to numbers, with true as 1; other values are not changed. */
export function typed(value: Json = null): SqlValue {
  if (typeof value === 'boolean') return new BoundNumber(value ? '1' : '0');
  if (typeof value !== 'number') return value;
  const digits = plainDigits(value);
  return digits === undefined ? null : new BoundNumber(digits);
}

/** Maximum depth of documents: MariaDB accepts 31 levels, one of which is added around the value. */
const maxDepth = 30;

/**
 * The value as a JSON document; null stays null. Throws a ServiceError 400 for a value nested more deeply than MariaDB can read,
 * because the database would store null instead.
 */
export function jsonText(value: Json | ExactDigits = null): string | null {
  if (value === null) return null;
  if (value instanceof ExactDigits) return value.text;
  if (depthOf(value) > maxDepth) throw new ServiceError(400, 'A value is nested too deeply');
  return exactJson(value);
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, part) => Math.max(deepest, depthOf(part)), 0);
}
