/** Validates LIMIT and OFFSET on MySQL, which accepts any string as a number: `abc` as 0, and -1 as all rows. */
import type { Json } from '../handler/json.js';
import { ServiceError, unnamedValue } from '../handler/reply.js';

/** The maximum LIMIT of MySQL. */
const allRows = '18446744073709551615';

/**
 * A value for LIMIT; null, and NaN as the result of `whole`, mean unlimited, as on PostgreSQL. Throws a ServiceError 400 for a value that is
 * not a number of rows.
 */
export function limit(value: Json = null): Json {
  return isMissing(value) ? allRows : rowCount(value);
}

/**
 * A value for OFFSET; null, and NaN as the result of `whole`, mean 0, as on PostgreSQL. Throws a ServiceError 400 for a value that is not a
 * number of rows.
 */
export function offset(value: Json = null): Json {
  return isMissing(value) ? 0 : rowCount(value);
}

/**
 * An operand of arithmetic in LIMIT or OFFSET. Null is NaN, so the result is NaN too, as in SQL. Throws a ServiceError 400 for a value that
 * is not an integer within ±(2^53−1).
 */
export function whole(value: Json = null): number {
  if (value === null) return NaN;
  const number = typeof value === 'string' && /^-?[0-9]+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new ServiceError(400, unnamedValue);
  return number;
}

function isMissing(value: Json): boolean {
  return value === null || Number.isNaN(value);
}

function rowCount(value: Json): Json {
  const isCount =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0 && value < 2 ** 64
      : typeof value === 'string' && /^[0-9]+$/.test(value) && isWithin(value);
  if (!isCount) throw new ServiceError(400, unnamedValue);
  // -0, the result of `0 * -1`, is 0.
  return value === 0 ? 0 : value;
}

/** Whether the count is within the range of the server. */
function isWithin(count: string): boolean {
  const digits = count.replace(/^0+(?=.)/, '');
  return digits.length < allRows.length || (digits.length === allRows.length && digits <= allRows);
}
