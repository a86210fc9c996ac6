/** The elements of loops and lists: the elements of an array, the fields of an object, or `LIST(3)` → 0, 1, 2. */
import { exactIn, type ExactDigits } from '../handler/exact-numbers.js';
import { hasNumbers, isNumberIn, noteNumbersOf, type Json, type JsonObject } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { loopLimit } from '../handler/memory.js';

/**
 * The origin of a list in the configuration, for the log, and whether the client or the service is responsible for a value that is not
 * a list.
 */
export interface ListOrigin {
  /** The name of the LOOP fulfillment or of the response. */
  readonly name?: string;
  /** Whether the expression reads the request (BODY or PARAM), so that an invalid value is the client's error. */
  readonly fromRequest?: boolean;
  /** Whether the value is a parameter of the request: then a single value is a list of one. */
  readonly isParameter?: boolean;
}

/**
 * The elements of a LOOP or a `list`: those of an array, the fields of an object as `{key, val}` in order, or an empty list for null.
 * A single value of a parameter is a list of one. Anything else throws a ServiceError: 400 if the value is from the request, else 500.
 */
export function elements(value: Json | undefined, origin: ListOrigin = {}): Json[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === 'object') return fieldsOf(value);
  if (origin.isParameter === true) return [value];

  const log = {
    reason: `list or loop over a ${typeof value}`,
    ...(origin.name === undefined ? {} : { list: origin.name }),
  };
  throw origin.fromRequest === true
    ? new ServiceError(400, 'A list is expected, but the request has a single value', { log })
    : new ServiceError(500, 'Internal server error', { log });
}

/** The elements of a LOOP whose statements receive whole elements: numbers that do not fit in a double are returned as ExactDigits. */
export function exactElements(
  value: Json | undefined,
  origin: ListOrigin = {},
): readonly (Json | ExactDigits)[] {
  return exactIn(elements(value, origin));
}

function fieldsOf(value: JsonObject): Json[] {
  const fields = Object.entries(value).map(([key, val]) => ({ key, val }));
  if (hasNumbers(value)) {
    for (const field of fields) noteNumbersOf(field, { val: isNumberIn(value, field.key) });
    noteNumbersOf(fields, {});
  }
  return fields;
}

/**
 * The integers 0 … count − 1. The count is an integer or a string of digits, from 0 to LOOP_LIMIT. Throws a ServiceError for other
 * values: 400 if the value is from the request, otherwise 500.
 */
export function list(count: Json | undefined, origin: ListOrigin = {}): number[] {
  const length = lengthOf(count);
  if (length <= loopLimit.elements) return Array.from({ length }, (_, index) => index);

  const log = {
    reason: `LIST of ${describe(count, length)}, not of 0 to ${loopLimit.elements} (LOOP_LIMIT)`,
    ...(origin.name === undefined ? {} : { list: origin.name }),
  };
  throw origin.fromRequest === true
    ? new ServiceError(400, `A count from 0 to ${loopLimit.elements} is expected`, { log })
    : new ServiceError(500, 'Internal server error', { log });
}

/** The length; NaN, for which every comparison is false, if the value is not a valid count. */
function lengthOf(count: Json | undefined): number {
  if (typeof count === 'number') return Number.isInteger(count) && count >= 0 ? count : NaN;
  return typeof count === 'string' && /^[0-9]+$/.test(count) ? Number(count) : NaN;
}

/** A description for the log, which contains numbers but no strings, because strings may be data. */
function describe(count: Json | undefined, length: number): string {
  if (typeof count === 'number' || !Number.isNaN(length)) return `${Number(count)} elements`;
  return count === null || count === undefined ? 'null' : `a ${typeof count} that is not a count`;
}
