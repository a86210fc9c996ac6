/** The elements of loops and lists: those of an array or object, or `LIST(3)` → 0, 1, 2. */
import type { Json } from '../handler/json.js';
import { ServiceError } from '../handler/reply.js';
import { loopLimit } from '../handler/memory.js';

/** Where a list stands in the configuration, for the log; and whose fault it is when it is none. */
export interface ListPlace {
  /** The LOOP fulfillment or the response whose list it is. */
  readonly name?: string;
  /** True when the expression reads the request itself (BODY or PARAM): then a wrong value is the caller's mistake. */
  readonly fromRequest?: boolean;
}

/**
 * What a LOOP or a `list` goes through: the elements of an array, the fields of an object as `{key, val}` in order,
 * nothing for null. Anything else throws a ServiceError: 400 when it comes from the request, else 500.
 */
export function elements(value: Json | undefined, place: ListPlace = {}): Json[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === 'object') return Object.entries(value).map(([key, val]) => ({ key, val }));

  const log = {
    reason: `list or loop over a ${typeof value}`,
    ...(place.name === undefined ? {} : { list: place.name }),
  };
  throw place.fromRequest === true
    ? new ServiceError(400, 'A list is expected, and the request gives a single value', { log })
    : new ServiceError(500, 'Internal server error', { log });
}

/**
 * The integers 0 … count − 1. The count is an integer or a text of digits, from 0 to LOOP_LIMIT. Anything else throws a
 * ServiceError: 400 when it comes from the request, else 500.
 */
export function list(count: Json | undefined, place: ListPlace = {}): number[] {
  const length = lengthOf(count);
  if (length <= loopLimit.elements) return Array.from({ length }, (_, index) => index);

  const log = {
    reason: `LIST of ${describe(count, length)}, not of 0 to ${loopLimit.elements} (LOOP_LIMIT)`,
    ...(place.name === undefined ? {} : { list: place.name }),
  };
  throw place.fromRequest === true
    ? new ServiceError(400, `A count from 0 to ${loopLimit.elements} is expected`, { log })
    : new ServiceError(500, 'Internal server error', { log });
}

/** NaN, of which every comparison is false, for what is no count. */
function lengthOf(count: Json | undefined): number {
  if (typeof count === 'number') return Number.isInteger(count) && count >= 0 ? count : NaN;
  return typeof count === 'string' && /^[0-9]+$/.test(count) ? Number(count) : NaN;
}

/** For the log, which shows numbers and no texts: those may be data. */
function describe(count: Json | undefined, length: number): string {
  if (typeof count === 'number' || !Number.isNaN(length)) return `${Number(count)} elements`;
  return count === null || count === undefined ? 'null' : `a ${typeof count} that is no count`;
}
