/** Converts columns to JSON values without losing digits, and formats numbers and strings for both database systems. */
import type { Json } from '../handler/json.js';

/** An integer: a number if it fits in a double, otherwise the string of its digits. */
export function integerValue(text: string): Json {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * A decimal: a number if it has at most 15 significant digits (trailing zeros of the fraction do not count: 0.50 becomes 0.5),
 * otherwise a string; NaN and infinities become null. Scans the string once in each direction, because a `numeric` column can have up
 * to 147,455 digits.
 */
export function decimalValue(text: string): Json {
  let start = text.startsWith('-') ? 1 : 0;
  const point = text.indexOf('.');
  if (!isDigits(text, start, point)) return null;
  let end = text.length;
  if (point !== -1) while (text[end - 1] === '0') end -= 1;
  const fraction = point === -1 ? 0 : end - point - 1;
  // Skip to the first significant digit.
  while (start < end && (text[start] === '0' || text[start] === '.')) start += 1;
  const digits = end - start - (point > start ? 1 : 0);
  // With more than 300 zeros after the point, a double loses digits regardless of their number.
  if (digits > 15 || fraction > 300) return text;
  return Number(text);
}

/** Whether the string from `start` on consists of digits, except for the point at `point`. */
function isDigits(text: string, start: number, point: number): boolean {
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (index !== point && (character < '0' || character > '9')) return false;
  }
  return true;
}

/** A float; NaN and infinities become null. */
export function floatValue(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** A date-time with a `T`, and without trailing zeros in the fraction of seconds. */
export function timestampValue(text: string): string {
  let end = text.length;
  // A regular expression would take several times as long, for a function that may be called for each row.
  if (text.includes('.')) {
    while (text[end - 1] === '0') end -= 1;
    if (text[end - 1] === '.') end -= 1;
  }
  const blank = text.indexOf(' ');
  return blank === -1 ? text.slice(0, end) : `${text.slice(0, blank)}T${text.slice(blank + 1, end)}`;
}

const zoned = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d+)?([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?$/;

/** A timestamp with any UTC offset, converted to UTC and marked with `Z`. Other values (infinity, BC) are not changed. */
export function utcTimestampValue(text: string): string {
  if (text.endsWith('+00')) return `${timestampValue(text.slice(0, -3))}Z`;
  const match = zoned.exec(text);
  if (match === null) return text;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [hours = 0, minutes = 0, seconds = 0] = match
    .slice(9, 12)
    .map((part) => Number((part as string | undefined) ?? 0));
  const offset = (hours * 3600 + minutes * 60 + seconds) * (match[8] === '-' ? -1 : 1);
  const timestamp = new Date(0);
  timestamp.setUTCFullYear(year, month - 1, day);
  timestamp.setUTCHours(hour, minute, second - offset);
  if (Number.isNaN(timestamp.getTime())) return text;
  const date = `${String(timestamp.getUTCFullYear()).padStart(4, '0')}-${two(timestamp.getUTCMonth() + 1)}-${two(timestamp.getUTCDate())}`;
  const time = `${two(timestamp.getUTCHours())}:${two(timestamp.getUTCMinutes())}:${two(timestamp.getUTCSeconds())}`;
  return `${date}T${time}${(match[7] ?? '').replace(/\.?0+$/, '')}Z`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** An unpaired surrogate, which both drivers would silently replace. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether the string contains an unpaired surrogate, which no database can store. */
export function isIllFormed(text: string): boolean {
  return loneSurrogate.test(text);
}

/**
 * The digits of a number without an exponent: 1e21 becomes 1000000000000000000000, 1e-7 becomes 0.0000001. Undefined for infinities and
 * NaN.
 */
export function plainDigits(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** The bytes of a padded base64 string, as returned for binary columns; undefined for any other string. */
export function base64Bytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
