/** Sizes and elements of JSON values (decisions 3.5, 7.3, 7.7). */
import type { Json } from './json.js';
import { ServiceError } from './service-error.js';

/** `SIZE(x)`: the length of an array, the number of fields of an object, 0 for null, 1 for any other value. */
export function size(value: Json | undefined): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== 'object') return 1;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

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
