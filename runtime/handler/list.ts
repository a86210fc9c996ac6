/** `LIST(n)` (decisions 3.7). */
import type { ListPlace } from './elements.js';
import type { Json } from './json.js';
import { loopLimit } from './loop-limit.js';
import { ServiceError } from './service-error.js';

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
