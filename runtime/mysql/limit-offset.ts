/** Validates LIMIT and OFFSET on MySQL, which accepts any string as a number: `abc` as 0, and -1 as all rows. */
import type { Json } from '../handler/json.js';
import { ServiceError, unnamedValue } from '../handler/reply.js';

/** The maximum LIMIT of MySQL. */
const allRows = '18446744073709551615';

/** A value for LIMIT; null means unlimited, as on PostgreSQL. Throws a ServiceError 400 for a value that is not a number of rows. */
export function limit(value: Json = null): Json {
  return value === null ? allRows : rowCount(value);
}

/** A value for OFFSET; null means 0, as on PostgreSQL. Throws a ServiceError 400 for a value that is not a number of rows. */
export function offset(value: Json = null): Json {
  return value === null ? 0 : rowCount(value);
}

function rowCount(value: Json): Json {
  const isCount =
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0 && value < 2 ** 64
      : typeof value === 'string' && /^[0-9]+$/.test(value) && isWithin(value);
  if (!isCount) throw new ServiceError(400, unnamedValue);
  return value;
}

/** Whether the count is within the range of the server. */
function isWithin(count: string): boolean {
  const digits = count.replace(/^0+(?=.)/, '');
  return digits.length < allRows.length || (digits.length === allRows.length && digits <= allRows);
}
