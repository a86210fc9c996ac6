/** Formats timestamps for MySQL and MariaDB, which do not accept time zones: `2026-01-31T12:00:00Z` is an invalid DATETIME. */
import type { Json } from '../handler/json.js';

const written = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The zero date of TIMESTAMP, which is not a valid date. */
const zero = /^0000-00-00T00:00:00Z$/;

/**
 * Converts a `date-time` value to UTC, without a zone: `2026-01-31 12:00:00`, with the fraction. Strings in other forms are not
 * changed, and are checked by the database.
 */
export function timestamp(value: Json = null): Json {
  if (typeof value !== 'string') return value;
  const match = written.exec(value);
  if (match === null) return value;
  if (zero.test(value)) return value.slice(0, 19).replace('T', ' ');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, , , zoneHour, zoneMinute] = match
    .slice(1)
    .map(Number);
  const [fraction = '', sign] = match.slice(7);
  const offset =
    sign === undefined ? 0 : (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  // Date.UTC would interpret the year 26 as 1926.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || hour > 23 || minute > 59 || second > 60) return value;
  date.setUTCHours(hour, minute - offset, second);
  const utc = date.toISOString();
  // Years before 0 or after 9999 have a sign.
  return /^\d/.test(utc) ? utc.slice(0, 19).replace('T', ' ') + fraction : value;
}

/** Converts a timestamp, or the elements of a list for `IN (…)`. */
export function timestamps(value: Json = null): Json {
  return Array.isArray(value) ? value.map(timestamp) : timestamp(value);
}
