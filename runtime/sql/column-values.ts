/** Columns as JSON values without a lost digit, and numbers and strings in the form that both kinds of database accept. */
import type { Json } from '../handler/json.js';

/** An integer: a number as long as a double carries it, else its digits. */
export function integerValue(text: string): Json {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * A decimal: a number up to 15 significant digits (zeros at the end of the fraction do not count: 0.50 is 0.5), else its
 * string; NaN and infinities are null. One pass in each direction: a `numeric` column holds up to 147,455 digits.
 */
export function decimalValue(text: string): Json {
  let start = text.startsWith('-') ? 1 : 0;
  const point = text.indexOf('.');
  if (!isDigits(text, start, point)) return null;
  let end = text.length;
  if (point !== -1) while (text[end - 1] === '0') end -= 1;
  const fraction = point === -1 ? 0 : end - point - 1;
  // The first significant digit.
  while (start < end && (text[start] === '0' || text[start] === '.')) start += 1;
  const digits = end - start - (point > start ? 1 : 0);
  // Beyond 300 zeros after the point, a double loses digits however few they are.
  if (digits > 15 || fraction > 300) return text;
  return Number(text);
}

/** Whether the string consists of digits from `start` on, except for a point at `point`. */
function isDigits(text: string, start: number, point: number): boolean {
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (index !== point && (character < '0' || character > '9')) return false;
  }
  return true;
}

/** A float: NaN and infinities are null. */
export function floatValue(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** A date with a time, between them a `T`; the fraction of a second without zeros at its end. */
export function timestampValue(text: string): string {
  let end = text.length;
  // A regular expression takes several times as long, and there may be one for each row.
  if (text.includes('.')) {
    while (text[end - 1] === '0') end -= 1;
    if (text[end - 1] === '.') end -= 1;
  }
  const blank = text.indexOf(' ');
  return blank === -1 ? text.slice(0, end) : `${text.slice(0, blank)}T${text.slice(blank + 1, end)}`;
}

const zoned = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d+)?([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?$/;

/** A timestamp with any UTC offset, in UTC with a `Z`. Other values (infinity, BC) stay as they are. */
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

/** A surrogate without its partner. It is not a character, and both drivers would silently replace it. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether the string has a surrogate without its partner, which no database can store. */
export function isIllFormed(text: string): boolean {
  return loneSurrogate.test(text);
}

/** 1e21 is 1000000000000000000000, 1e-7 is 0.0000001. Undefined for a number that is not finite. */
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

/** The bytes of padded base64, as columns of bytes return them; undefined for any other string. */
export function base64Bytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
